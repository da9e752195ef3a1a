"""Which records are search matches, and where in them the file, the line and the text are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.json.strings import quote
from penstock.core.preview.cells import dig, fields, items, part_of
from penstock.core.sample import spread
from penstock.core.toolkit.fields import TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from penstock.core.json.index import Container
    from penstock.core.subject import Subject
    from penstock.core.toolkit.fields import FieldPath

SAMPLE: Final = 100  # parts looked at to find out whether they are matches
SAMPLE_BYTES: Final = 1_048_576  # of them: parts may be large
MOST_OTHERS: Final = 2  # fields shown of a match besides file, line and text
LIGHT: Final = 40  # bytes of such a field
FEW: Final = 5  # matches looked at in one file's list to find out what they are
LEVELS: Final = 3  # levels of objects in which the fields of a match are looked for

# Names are compared by their letters alone: filePath and file_path are one.
_FILES: Final = {"file", "filename", "filepath", "path", "relativepath", "relpath", "abspath", "absolutepath"}
_PLACES: Final = {"uri", "fileuri", "url", "source"}  # which may be other things too, unless they look like a path
_LINES: Final = {"line", "lineno", "linenumber", "linenum", "lnum", "startline", "beginline", "row"}
_COLUMNS: Final = {"column", "col", "startcolumn", "character"}
_SNIPPETS: Final = {"match", "matchtext", "matchedtext", "linetext", "snippet", "excerpt", "fragment", "highlight"}
_TEXTS: Final = _SNIPPETS | {"context", "preview", "text", "content", "lines", "message", "title", "code"}
_NOUNS: Final = {"hits", "occurrences", "messages", "errors", "findings", "references", "locations"}
_LISTS: Final = _NOUNS | {"matches", "textmatches", "results"}
_LOG: Final = {"level", "levelname", "loglevel", "lvl"}
_WRAPPERS: Final = ("text", "value", "name")  # as in {"path": {"text": "src/a.ts"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Where in a part the file is (None: it is the key), and where its list of matches (None: it is one match).

    ``marks`` are fields of which a match has at least one, ``shown`` those that are shown, ``others`` all the rest.
    """

    file: FieldPath | None
    inner: FieldPath | None
    marks: tuple[FieldPath, ...]
    shown: tuple[FieldPath, ...]
    others: tuple[FieldPath, ...]
    noun: str

    def file_of(self, key: str, value: bytes) -> bytes | None:
        return quote(key) if self.file is None else dig(value, self.file)

    def matches_of(self, key: str, value: bytes) -> list[bytes]:
        """The matches in one part of the container."""
        if self.inner is not None:
            return items(dig(value, self.inner) or b"")
        is_match = self.file_of(key, value) is not None and any(dig(value, mark) for mark in self.marks)
        return [value] if is_match else []


def recognise(subject: Subject, main: Container) -> Form | None:
    """What the matches in a container are like, if there are matches in it."""
    average = max(1, main.size // main.count)
    sampled = spread(main.count, max(2, min(SAMPLE, SAMPLE_BYTES // average)))
    parts = [part_of(subject, main, at) for at in sampled]
    seen = _Seen(value for _, value in parts)
    if main.kind == "object":
        paths = sum("/" in key or "." in key for key, _ in parts)
        return _listed(parts, seen, None) if paths * 2 >= len(parts) else None
    file = seen.find(_FILES, _is_text) or seen.find(_PLACES, _is_path)
    if file is None or seen.is_log:
        return None
    return _single(seen, file) or _listed(parts, seen, file)


def _single(seen: _Seen, file: FieldPath) -> Form | None:
    """Every part is a match: it has a line; or a snippet of a file; or a text, and other texts of the same file."""
    line, snippet, text = seen.find(_LINES, _is_line), seen.find(_SNIPPETS, _is_text), seen.find(_TEXTS, _is_text)
    values = seen.fields[file]
    again = len(set(values)) * 2 <= len(values)
    if not (line or (snippet and _meaning(file) in _FILES) or (text and again)):
        return None
    noun = "finding" if text and _meaning(text) == "message" else "match"
    return _form(seen, file, None, [line, snippet, text], noun)


def _listed(parts: list[tuple[str, bytes]], seen: _Seen, file: FieldPath | None) -> Form | None:
    """Every part is a file with a list of matches."""
    lists = [path for path, values in seen.fields.items() if _meaning(path) in _LISTS and seen.mostly(values, _is_list)]
    if file is None and sum(_is_list(value) for _, value in parts) * 2 >= len(parts):
        lists = [()]
    for path in lists:
        found = [match for _, value in parts for match in items(dig(value, path) or b"")[:FEW]]
        inside = _Seen(found)
        line, text = inside.find(_LINES, _is_line), inside.find(_TEXTS, _is_text)
        plain = path and found and all(map(_is_text, found))
        if line or text or plain:
            noun = _meaning(path).removesuffix("s") if path and _meaning(path) in _NOUNS else "match"
            return _form(inside, file, path, [line, text], noun)
    return None


def _form(
    seen: _Seen, file: FieldPath | None, within: FieldPath | None, marks: list[FieldPath | None], noun: str
) -> Form:
    known = tuple(dict.fromkeys(path for path in marks if path))
    core = {file, *known, seen.find(_COLUMNS, _is_line)}
    extra = [path for path, values in seen.fields.items() if path not in core and _is_light(values)][:MOST_OTHERS]
    shown = tuple(path for path in seen.fields if path in core or path in extra)
    others = tuple(path for path in seen.fields if path not in shown)
    return Form(file=file, inner=within, marks=known, shown=shown, others=others, noun=noun)


class _Seen:
    """The values of every field in some objects, by its path."""

    def __init__(self, values: Iterable[bytes]) -> None:
        self.fields: dict[FieldPath, list[bytes]] = {}
        self.count = 0
        for value in values:
            self.count += 1
            for path, inner in _leaves(value, ()):
                self.fields.setdefault(path, []).append(inner)

    def mostly(self, values: list[bytes], holds: Callable[[bytes], bool]) -> bool:
        return sum(map(holds, values)) * 2 >= self.count

    def find(self, meanings: set[str], holds: Callable[[bytes], bool]) -> FieldPath | None:
        """The field that has one of these names in most objects, the nearest to the top first."""
        named = [(path, values) for path, values in self.fields.items() if _meaning(path) in meanings]
        return min((path for path, values in named if self.mostly(values, holds)), key=len, default=None)

    @property
    def is_log(self) -> bool:
        """Lines of a log name the file that wrote them: they have a level and a time."""
        timed = any(TIME.preference(path) is not None for path in self.fields)
        return timed and any(_meaning(path) in _LOG for path in self.fields)


def _leaves(value: bytes, path: FieldPath) -> Iterator[tuple[FieldPath, bytes]]:
    for key, inner in fields(value).items():
        if inner[:1] == b"{" and len(path) + 1 < LEVELS:
            yield from _leaves(inner, (*path, key))
        elif inner != b"null":
            yield (*path, key), inner


def _meaning(path: FieldPath) -> str:
    """The letters of a field's name, or of the object's that only wraps it."""
    named = path[-2] if path[-1] in _WRAPPERS and len(path) > 1 else path[-1]
    return "".join(filter(str.isalpha, named.lower()))


def _is_text(value: bytes) -> bool:
    return value[:1] == b'"' and value != b'""'


def _is_path(value: bytes) -> bool:
    return _is_text(value) and (b"/" in value or b"." in value)


def _is_line(value: bytes) -> bool:
    return value.strip(b'"').isdigit()


def _is_list(value: bytes) -> bool:
    return value[:1] == b"["


def _is_light(values: list[bytes]) -> bool:
    """Short and not always the same."""
    return sum(map(len, values)) <= LIGHT * len(values) and len(set(values)) > 1 and not _is_list(values[0])
