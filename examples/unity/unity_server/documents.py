"""A scene file cut into its documents, without reading what is in them.

Unity writes every object as a YAML document of its own, ``--- !u!CLASS &ID``, with its fields at an indent of two.
What a field holds is indented further, also the second line of a long text, so a line's beginning tells what it is.
That makes it safe to look for lines; libyaml takes some twenty times as long for the same.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, NamedTuple

from penstock import CallerError

_HEADER: Final = re.compile(rb"--- !u!(\d{1,10}) &(-?\d{1,19})( stripped)?[ \t]*\n([A-Za-z_]\w*):[ \t]*(?:\n|\Z)")
_CONFLICTS: Final = (b"\n<<<<<<< ", b"\n>>>>>>> ")
_BOM: Final = b"\xef\xbb\xbf"


class Document(NamedTuple):  # a scene has 100,000 of them, and a frozen dataclass takes four times as long to make
    """One object of a file. Its fields lie between ``start`` and ``end``, each after a line break."""

    class_id: int
    file_id: int
    stripped: bool
    kind: str
    start: int
    end: int


class BrokenError(CallerError):
    """A file that cannot be read as what it should be."""

    def __init__(self, name: str, what: str, do: str = "open the scene in Unity and save it again") -> None:
        super().__init__(f"{name}: {what}", do=do)


def normalized(data: bytes) -> bytes:
    """Return a file's bytes with the line ends that Unity writes."""
    data = data.removeprefix(_BOM)
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def split(name: str, data: bytes) -> dict[int, Document]:
    """Split a normalized file into its documents, by their ids in the order of the file; ``name`` is for the
    complaint."""
    _check_start(name, data)
    for mark in _CONFLICTS:
        if (at := data.find(mark)) >= 0:
            raise BrokenError(name, f"line {_line(data, at + 1)} is of a merge conflict", do="resolve it, and save")
    starts = []
    at = data.find(b"\n---")  # an expression would take longer for this than for all the rest
    while at >= 0:
        starts.append(at + 1)
        at = data.find(b"\n---", at + 4)
    if not starts:
        raise BrokenError(name, "has no documents in it")
    documents: dict[int, Document] = {}
    for start, end in pairwise([*starts, len(data)]):
        header = _HEADER.match(data, start, end)
        if header is None:
            raise BrokenError(
                name, f"line {_line(data, start)} does not begin a document of Unity, as --- !u!1 &123 does"
            )
        class_id, file_id, stripped, kind = header.groups()
        number = int(file_id)
        if number in documents:
            raise BrokenError(name, f"line {_line(data, start)} begins a second document with the id {number}")
        body = header.end() - 1 if data[header.end() - 1 : header.end()] == b"\n" else header.end()
        documents[number] = Document(int(class_id), number, stripped is not None, kind.decode(), body, end)
    return documents


def _check_start(name: str, data: bytes) -> None:
    if data.startswith(b"version https://git-lfs"):
        raise BrokenError(name, "is a pointer of Git LFS and not the file itself", do="run git lfs pull")
    if not data.startswith(b"%YAML"):
        what = "is not in Unity's text format: it does not begin with %YAML" if data else "is empty"
        raise BrokenError(
            name, what, do="set Asset Serialization to Force Text in Unity's editor settings, and save it"
        )


def _line(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1
