"""A file cut into chunks that put together are the file, and the links in a text."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTH: Final = 1_600  # characters; some 400 tokens: a section, a function, a screen of text
LEAST: Final = 400  # characters before a heading begins a new chunk: a heading alone says nothing
MOST_LINKS: Final = 20  # of one chunk; a page that links to more is an index, and relates everything to everything

PROSE: Final = frozenset((".md", ".markdown", ".rst", ".txt", ".adoc", ".org"))
CODE: Final = frozenset(
    (
        ".c",
        ".cpp",
        ".cs",
        ".css",
        ".go",
        ".h",
        ".java",
        ".js",
        ".jsx",
        ".kt",
        ".php",
        ".py",
        ".rb",
        ".rs",
        ".sh",
        ".sql",
    )
) | {".swift", ".ts", ".tsx"}
DATA: Final = frozenset((".csv", ".ini", ".json", ".log", ".toml", ".xml", ".yaml", ".yml"))

_HEAD: Final = re.compile(
    r"#{1,6} +(?P<heading>\S.*)|(?:async +)?(?:def|class|func|fn|function|interface|struct) +(?P<name>\w+)"
)
_MARKDOWN: Final = re.compile(r"\[[^\]\n]*\]\(<?([^)\s>]+)")
_WIKI: Final = re.compile(r"\[\[([^\]|#\n]+)")
_IMPORT: Final = re.compile(r"^\s*(?:from|import) +([\w.]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a file, under the last heading or definition before it."""

    title: str
    text: str


def kind_of(source: str) -> str:
    """Decide what a chunk is, by the name of its source."""
    suffix = posixpath.splitext(source)[1].lower()
    return "code" if suffix in CODE else "data" if suffix in DATA else "prose"


def pieces(text: str) -> list[Piece]:
    """Cut a file into chunks: one begins at a heading or a definition, and at the latest when the one before is long
    enough."""
    chunks: list[Piece] = []
    part: list[str] = []
    title, size = "", 0
    for line in _lines(text):
        head = _HEAD.match(line)
        if part and (size + len(line) > LENGTH or (head and size >= LEAST)):
            chunks.append(Piece(title=title, text="".join(part)))
            part, size = [], 0
        if head and (not part or not title):
            title = (head["heading"] or head["name"]).strip()
        part.append(line)
        size += len(line)
    return [*chunks, Piece(title=title, text="".join(part))] if part else chunks


def _lines(text: str) -> Iterator[str]:
    """Yield lines, those that are longer than a chunk in several parts, cut after a blank where there is one."""
    for line in text.splitlines(keepends=True):
        rest = line
        while len(rest) > LENGTH:
            end = rest.rfind(" ", LENGTH // 2, LENGTH) + 1 or LENGTH
            yield rest[:end]
            rest = rest[end:]
        yield rest


def links_in(text: str, source: str) -> list[str]:
    """Collect what a text links to: ``[x](path)`` and ``[[name]]``, and the modules that code imports."""
    targets: dict[str, None] = {}
    folder = posixpath.dirname(source)
    for target in _MARKDOWN.findall(text):
        path = unquote(target.partition("#")[0])
        if path and ":" not in path:
            targets[address_of(posixpath.join(folder, path))] = None
    for name in _WIKI.findall(text):
        targets[address_of(name.strip())] = None
    if kind_of(source) == "code":
        for module in _IMPORT.findall(text):
            targets[module.rpartition(".")[2].casefold()] = None
    own = (address_of(source), name_of(source))
    return [target for target in targets if target and target not in own][:MOST_LINKS]


def address_of(target: str) -> str:
    """Return the path that a link finds a source by: without dots that lead nowhere, in any case."""
    return posixpath.normpath(target).lstrip("/").casefold() if target else ""


def name_of(source: str) -> str:
    """Return the name that a link may find a source by, without its folder and suffix."""
    return posixpath.splitext(posixpath.basename(source))[0].casefold()
