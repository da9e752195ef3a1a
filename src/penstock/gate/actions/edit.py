"""``edit``: a held result with some changes, as a new held result; the first one stays as it is."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.act.edits import (
    JsonEdit,
    ShownChange,
    changes,
    checked,
    edit_json,
    in_json,
    in_json_string,
    literal_splices,
)
from penstock.core.answer.notice import encode, line_and_text
from penstock.core.budget import largest
from penstock.core.forms.document import Kind, read
from penstock.core.json.decoded import decoded
from penstock.core.json.lookup import span_at, value_at
from penstock.core.json.path import parse, render
from penstock.core.json.scan import bounds
from penstock.core.json.splice import Splice, splice
from penstock.core.json.strings import unquote_to_bytes
from penstock.core.plain import Plain
from penstock.core.text import counted, shorten
from penstock.errors import CallerError
from penstock.gate.actions.request import Rooms, seconds_left
from penstock.gate.arguments import whole
from penstock.gate.held import BLOCKS
from penstock.gate.records import Origin
from penstock.gate.tool_results import text_result
from penstock.query.search.pattern import RegexWorkers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.core.json.path import Path
    from penstock.gate.actions.request import FetchRequest
    from penstock.gate.arguments import FetchArguments
    from penstock.gate.held import HeldReader
    from penstock.query.source import Source

ALL: Final = "all"  # as a count: any number of matches, but at least one
MOST_CHANGES: Final = 20  # changes of one edit that are shown
LONG: Final = 160  # characters of a value that is shown
NOT_FOUND: Final = "find it as the text has it; in JSON, write the characters of strings without their escapes"
JSON_WORDS: Final = ("set", "remove", "append")


class Pair(Plain, frozen=True, kw_only=True):
    """A text to find, what takes its place, and how often it has to be there; None for any number."""

    find: str
    new: str
    count: int | None
    regex: bool

    def splices(self, text: bytes, workers: Callable[[], RegexWorkers]) -> list[Splice]:
        """Return the places of the text; raise a ``CallerError`` when their number is not the expected one."""
        if self.regex:
            from penstock.query.search.replacing import regex_splices  # noqa: PLC0415  (most edits are of plain text)

            places = regex_splices(text, self.find, self.new, workers())
        else:
            find, new = (one.encode("utf-8", "surrogatepass") for one in (self.find, self.new))
            places = list(literal_splices(text, find, new))
        if len(places) != self.count and (self.count is not None or not places):
            expected = "at least 1" if self.count is None else f"{self.count:,}"
            do = 'extend "find", or set "count"' if places else NOT_FOUND
            times = counted(len(places), "time")
            what = f"{shorten(self.find)!r} occurs {times}, expected {expected}; nothing changed"
            raise CallerError(what, do=do)
        return places


class EditAction:
    """The new handle in one line of JSON, then the changes as a small diff. A wrong count, or a path that is not there,
    makes nothing."""

    def run(self, request: FetchRequest) -> bytes:
        arguments = request.arguments
        opened = request.open_text(arguments.handle)
        if opened.held.meta.kind in BLOCKS:
            raise CallerError(f"this is a block of type {opened.held.meta.kind}", do="edit texts and JSON")
        pairs, of_json = _pairs(arguments), any(arguments.values.get(word) is not None for word in JSON_WORDS)
        if bool(pairs) == of_json:
            raise CallerError(
                "an edit has replace, or set, remove and append" if pairs else "there is nothing to change",
                do='give replace: [{"find": "...", "with": "..."}], or set: {".path": value}',
            )
        raw = opened.held.read(0, opened.held.size("raw"))
        splices, diffs, total = _replaced(opened, raw, request, pairs) if pairs else _json_edited(opened, arguments)
        size = len(raw) + sum(len(one.new) - (one.end - one.start) for one in splices)
        if size > request.max_bytes:
            raise CallerError(f"the edited result has {size:,} bytes", do=f"at most {request.max_bytes:,} are held")
        meta = opened.held.meta
        origin = Origin(
            tool=meta.tool,
            source=arguments.handle,
            run=opened.run,
            server=opened.server,
            server_name=opened.server_name,
        )
        kept = request.keep(splice(raw, splices), origin)
        head = {
            "cache_id": kept.handle,
            "source": arguments.handle,
            "changes": total,
            "total_bytes": size,
            "total_tokens": kept.meta.tokens,
            "expires_in_s": seconds_left(kept.meta.expires, request.now),
        }
        return _answer(head, list(islice(diffs, MOST_CHANGES)), total, Rooms.of(request.budget(opened)))


def _answer(head: dict[str, Any], diffs: Sequence[ShownChange], total: int, rooms: Rooms) -> bytes:
    """Return the line about the new result, and as many of all changes as are at hand and have room."""
    written = encode(head).decode()

    def diff(most: int) -> str:
        left = total - sum(one.places for one in diffs[:most])
        note = [f"… {counted(left, 'change')} not shown"] if left else []
        return "\n".join([*(one.text for one in diffs[:most]), *note])

    def fits(most: int) -> bool:
        return rooms.page.fits(line_and_text(written, diff(most)).encode("utf-8", "replace"))

    most = largest(len(diffs), fits)
    return text_result(written, diff(most))


def _replaced(
    opened: HeldReader, raw: bytes, request: FetchRequest, pairs: Sequence[Pair]
) -> tuple[list[Splice], Iterator[ShownChange], int]:
    """Return the splices of a text, of JSON, or of a string in JSON, with the changes to show and their number."""

    def workers() -> RegexWorkers:
        return RegexWorkers(sandbox=request.sandbox, share=opened.source.share)

    named = request.arguments.optional_text("path")
    path = (opened.text_path or ()) if named is None else parse(named)
    if not path:
        splices = _in_document(raw, pairs, workers)
        return splices, changes(raw, splices), len(splices)
    source = _json_of(opened)
    start, end = span_at(source.index, source.read, path)
    literal = source.read(start, end)
    if literal[:1] != b'"':
        raise CallerError(f"{shorten(render(path))} is no string", do="set its value: set {path: value}")
    text = unquote_to_bytes(literal)
    splices = _in_text(text, pairs, workers)
    return _moved(in_json_string(literal, splices), start), changes(text, splices), len(splices)


def _in_text(text: bytes, pairs: Sequence[Pair], workers: Callable[[], RegexWorkers]) -> list[Splice]:
    return checked(sorted(one for pair in pairs for one in pair.splices(text, workers)))


def _in_document(raw: bytes, pairs: Sequence[Pair], workers: Callable[[], RegexWorkers]) -> list[Splice]:
    """Return the splices of a whole document. Raises a ``CallerError`` if they would make invalid JSON of JSON."""
    if not _is_json(raw):
        return _in_text(raw, pairs, workers)
    start, end = bounds(raw)
    if raw[start : start + 1] == b'"':  # A JSON string that contains the document.
        literal = raw[start:end]
        return _moved(in_json_string(literal, _in_document(unquote_to_bytes(literal), pairs, workers)), start)
    splices = in_json(raw, _in_text(decoded(raw), pairs, workers))
    if not _is_json(splice(raw, splices)):
        raise CallerError(
            "after this edit the result would not be valid JSON; nothing changed",
            do="replace only text inside strings, write the rest as JSON, or use set, remove and append",
        )
    return splices


def _is_json(raw: bytes) -> bool:
    """Return True if all of a document is JSON, or JSON values one after the other."""
    document = read(raw)
    return document.kind in (Kind.JSON, Kind.VALUES) and document.around is None


def _moved(splices: Sequence[Splice], by: int) -> list[Splice]:
    return [Splice(by + one.start, by + one.end, one.new) for one in splices]


def _json_edited(opened: HeldReader, arguments: FetchArguments) -> tuple[list[Splice], Iterator[ShownChange], int]:
    """Return the splices of a JSON document, with the changes to show and their number."""
    source = _json_of(opened)
    edit = JsonEdit(set=_values(arguments, "set"), remove=_paths(arguments), append=_values(arguments, "append"))
    splices = edit_json(source.index, source.read, edit)

    def lines() -> Iterator[str]:
        for path, value in edit.set.items():
            yield f"{_at(path)}: {_before(source, path)} -> {_short(value)}"
        for path in edit.remove:
            yield f"-{_at(path)}: {_before(source, path)}"
        for path, value in edit.append.items():
            yield f"+{_at(path)}[]: {_short(value)}"

    diffs = (ShownChange(line, 1) for line in lines())
    return splices, diffs, len(edit.set) + len(edit.remove) + len(edit.append)


def _json_of(opened: HeldReader) -> Source:
    """Return the original bytes as JSON: paths of another document, which was made of them, cannot be written to."""
    if opened.within:
        return opened.original
    if opened.index.is_text or opened.index.root is None or not opened.is_raw:
        raise CallerError("this held result is no JSON as a whole, so it has no paths to change", do="use replace")
    return opened.source


def _pairs(arguments: FetchArguments) -> list[Pair]:
    value = _decoded(arguments, "replace")
    if value is None:
        return []
    pairs = [value] if isinstance(value, dict) else value
    if not isinstance(pairs, list) or not pairs:
        raise _wrong("replace", 'a list like [{"find": "...", "with": "...", "count": "1"}]')
    return [_pair(one, regex=arguments.truth("regex", default=False)) for one in pairs]


def _pair(value: Any, *, regex: bool) -> Pair:
    find, new, count = (
        (value.get(name) for name in ("find", "with", "count")) if isinstance(value, dict) else (None,) * 3
    )
    if not isinstance(find, str) or not find or not isinstance(new, str):
        raise _wrong("replace", 'pairs of texts like {"find": "...", "with": "..."}')
    count = whole(count)  # the schema has it as a text, because it may also be "all"
    if count is not None and count != ALL and not (isinstance(count, int) and count > 0 and count is not True):
        raise _wrong("count", f'a whole number from 1, or "{ALL}"')
    wanted = value.get("regex", regex) is True
    return Pair(find=find, new=new, count=None if count == ALL else count or 1, regex=wanted)


def _values(arguments: FetchArguments, name: str) -> dict[Path, bytes]:
    values = _decoded(arguments, name)
    if values is None:
        return {}
    if not isinstance(values, dict) or not values:
        raise _wrong(name, 'an object like {".path": value}')
    return {parse(str(path)): _written(value) for path, value in values.items()}


def _paths(arguments: FetchArguments) -> list[Path]:
    value = _decoded(arguments, "remove")
    paths = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(paths, list) or not all(isinstance(one, str) for one in paths):
        raise _wrong("remove", 'a list of paths like [".a.b"]')
    return [parse(one) for one in dict.fromkeys(paths)]


def _decoded(arguments: FetchArguments, name: str) -> Any:
    """Return an argument; one that is the text of a list or an object, as some clients send them, is taken for it."""
    value = arguments.values.get(name)
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError:
            raise _wrong(name, "JSON") from None
    return value


def _written(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(value).encode()


def _wrong(name: str, expected: str) -> CallerError:
    return CallerError(f"{name} cannot be read", do=f"expected {expected}")


def _before(source: Source, path: Path) -> str:
    try:
        return _short(value_at(source.index, source.read, path))
    except CallerError:
        return "absent"


def _at(path: Path) -> str:
    return shorten(render(path), LONG)


def _short(value: bytes) -> str:
    text = value.decode("utf-8", "replace")
    return text if len(text) <= LONG else f"{text[:LONG]}… ({len(text) - LONG:,} more characters)"
