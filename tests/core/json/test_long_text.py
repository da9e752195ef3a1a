"""A long text is lifted out of its line without a change, however the line is cut, and whatever else is in it."""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core.json import long_text as lifting
from penstock.core.json.long_text import FIRST, HEAD, MARK, Lifted, drained, lift, lift_at_once, long_text, put_back
from penstock.core.json.strings import quote_exactly, unescape, unquote_to_bytes, whole_part
from penstock.core.tokens.count import escaped
from tests.kit.strategies import any_text, values

if TYPE_CHECKING:
    from collections.abc import Iterator

HALF = "\ud83d"
STRETCHED = st.tuples(any_text, st.sampled_from(["", "a", '"', "\\", "\\\\\\", "é", "😀", HALF, "\n\t", "\\u00e9"]))


def line_of(text: str, *, escaped: bool = True, **members: Any) -> bytes:
    """An answer with this text, written in ASCII, or in UTF-8, which has no lone surrogates."""
    text = text if escaped else text.encode("utf-8", "replace").decode()
    message = {"jsonrpc": "2.0", "result": {"content": [{"type": "text", "text": text}], **members}, "id": 7}
    written = json.dumps(message, ensure_ascii=escaped, separators=(",", ":"))
    return written.encode()


def chunked(line: bytes, size: int) -> Iterator[bytes]:
    return (line[at : at + size] for at in range(0, len(line), size))


def whole(found: Lifted) -> Any:
    """The line as data, with its text in its place."""
    line = found.line if found.text is None else put_back(found.line, found.text)
    return json.loads(line)


def small(patch: pytest.MonkeyPatch, piece: int) -> None:
    """Let short strings be long ones, so that many ways to cut them are tried."""
    patch.setattr(lifting, "HEAD", 80)
    patch.setattr(lifting, "PIECE", piece)


@given(any_text, st.lists(STRETCHED, max_size=3), values, st.integers(1, 200), st.integers(12, 40), st.booleans())
@example("", [], {"text": "x"}, 7, 12, True)
def test_a_lifted_text_put_back_is_the_line_as_it_was(
    opening: str, stretches: list[tuple[str, str]], beside: Any, size: int, piece: int, escaped: bool
) -> None:
    text = opening + "".join(part + fill * 60 for part, fill in stretches)
    line = line_of(text, escaped=escaped, structuredContent=beside)
    with pytest.MonkeyPatch.context() as patch:
        small(patch, piece)
        found = lift(chunked(line, size))
    assert whole(found) == json.loads(line)
    if found.text is not None:
        told = json.loads(line)["result"]["content"][0]["text"]
        assert found.text == told.encode("utf-8", "surrogatepass")
        assert found.line.count(MARK.encode()) == 1


@given(st.binary(max_size=400), st.integers(1, 60), st.integers(12, 40))
def test_what_is_no_json_string_never_becomes_other_data(inside: bytes, size: int, piece: int) -> None:
    line = b'{"id":1,"result":{"content":[{"type":"text","text":"' + b"a" * 80 + inside + b'"}]}}'
    with pytest.MonkeyPatch.context() as patch:
        small(patch, piece)
        found = lift(chunked(line, size))
    try:
        expected = json.loads(line)
    except ValueError:
        # Then it is not JSON afterwards either, with its text in its place or without having been lifted.
        with pytest.raises(ValueError, match=r".*"):
            whole(found)
    else:
        assert whole(found) == expected


@given(any_text.map(lambda text: text * 40), st.integers(1, 40), st.booleans())
def test_the_pieces_of_a_string_are_its_text(text: str, size: int, escaped: bool) -> None:
    literal = json.dumps(text if escaped else text.encode("utf-8", "replace").decode(), ensure_ascii=escaped).encode()
    rest = literal[1:-1]
    read = b""
    waiting = b""
    while rest:
        waiting, rest = waiting + rest[:size], rest[size:]
        cut = whole_part(waiting)
        read += unescape(waiting[:cut])
        waiting = waiting[cut:]
    assert read + unescape(waiting) == json.loads(literal).encode("utf-8", "surrogatepass") == unquote_to_bytes(literal)


@given(st.lists(st.sampled_from(["a", '"', "\\", "é", "漢", "😀", HALF, "\ude00", "\n"]), min_size=12), st.booleans())
@example([HALF] * 12, True)
def test_of_twelve_bytes_inside_a_string_some_can_be_read_without_what_follows(parts: list[str], escaped: bool) -> None:
    literal = json.dumps("".join(parts), ensure_ascii=escaped).encode("utf-8", "surrogatepass")[1:-1]
    at = 0
    while len(literal) - at >= 12:
        cut = whole_part(literal, at, at + 12)
        assert cut > at
        at = cut


def test_a_long_string_of_any_kind_of_character_is_read_piece_by_piece() -> None:
    for part in ("plain words ", 'a "quoted" word\n', "\\", "naïve 漢字 😀", f"{HALF} half", "\x01\x7f"):
        text = part * 20_000
        assert unquote_to_bytes(json.dumps(text).encode()) == text.encode("utf-8", "surrogatepass")
        literal = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
        assert unquote_to_bytes(literal) == text.encode("utf-8", "surrogatepass")


@given(any_text)
@example(f"{HALF} half, whole: 😀 漢 \x01\x7f")
def test_a_text_is_quoted_exactly_and_only_halves_of_emoji_become_escapes(text: str) -> None:
    quoted = quote_exactly(text)
    assert json.loads(quoted).encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass")
    assert quoted[1:-1] == escaped(text)


@pytest.mark.parametrize("size", [1_000, 65_536, 10**9])
def test_the_line_left_behind_is_short_and_says_where_the_text_was(size: int) -> None:
    line = line_of('{"a": "😀"}\n' * 20_000, structuredContent={"n": 1})
    found = lift(chunked(line, size))
    assert found.text == '{"a": "😀"}\n'.encode() * 20_000
    assert json.loads(found.line)["result"] == {
        "content": [{"type": "text", "text": MARK}],
        "structuredContent": {"n": 1},
    }


@pytest.mark.parametrize("escaped", [True, False])
def test_halves_of_emoji_in_a_long_text_are_lifted_as_they_are(escaped: bool) -> None:
    text = f"{HALF} half, whole: 😀 " * 20_000
    line = json.dumps({"text": text}, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    found = lift(chunked(line, 65_536))
    assert found.text == text.encode("utf-8", "surrogatepass")


class Chunk(bytes):
    """A chunk that is counted while anybody has it."""

    alive = 0

    def __new__(cls, data: bytes) -> Chunk:
        cls.alive += 1
        return super().__new__(cls, data)

    def __del__(self) -> None:
        type(self).alive -= 1


def test_chunks_are_let_go_while_the_text_is_read() -> None:
    line = line_of("0123456789" * 200_000)
    seen = []

    def arriving() -> Iterator[bytes]:
        for chunk in chunked(line, 65_536):
            seen.append(Chunk.alive)
            yield Chunk(chunk)

    assert lift(arriving()).text is not None
    assert len(seen) > 30
    assert max(seen) <= 3
    waiting = deque(chunked(line, 65_536))
    assert lift(drained(waiting)).text == b"0123456789" * 200_000
    assert not waiting


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"x" * 2 * HEAD,
        line_of("short"),
        json.dumps({"id": 1, "result": {"structuredContent": {"a": "x" * 2 * HEAD}}}).encode(),
        json.dumps({"id": 1, "result": {"content": ["text", "x" * 2 * HEAD]}}).encode(),
        json.dumps({"id": "x" * 2 * FIRST, "result": {"content": [{"text": "x" * 2 * HEAD}]}}).encode(),
        b'{"text\\":' + b'"' + b"x" * 2 * HEAD + b'"}',
        b'{"text"' + b" " * 2 * FIRST + b":" + b'"' + b"x" * 2 * HEAD + b'"}',
        b"[" + b'"text",' * HEAD + b"1]",
    ],
)
def test_a_line_without_a_long_text_near_its_beginning_stays_as_it_is(line: bytes) -> None:
    assert long_text(line[:HEAD]) is None
    assert lift(chunked(line, 10_000)) == Lifted(line=line)


@pytest.mark.parametrize("escaped", [MARK, "\\u0070" + MARK[1:], MARK.replace("-", "\\u002D")])
def test_a_line_that_says_the_mark_itself_keeps_its_text(escaped: str) -> None:
    beside = b',"more":"' + escaped.encode() + b'"'
    line = line_of("x" * 2 * HEAD, beside=1).replace(b',"beside":1', beside)
    found = lift(chunked(line, 50_000))
    assert found == Lifted(line=line)
    assert json.loads(found.line)["result"]["more"] == MARK


@pytest.mark.parametrize("broken", [b"\\x", b"\x01", b"\xff", b"\\u12"])
@pytest.mark.parametrize("ends", [True, False])
def test_a_broken_string_comes_back_as_it_was(broken: bytes, ends: bool) -> None:
    line = line_of("words " * 2 * HEAD)
    middle = len(line) // 2
    line = line[:middle] + broken + (line[middle:] if ends else b"")
    assert lift(chunked(line, 65_536)) == Lifted(line=line)
    assert lift(chunked(line[:-20], 65_536)) == Lifted(line=line[:-20])


@given(any_text, st.lists(STRETCHED, max_size=3), st.sampled_from([{}, {"isError": False}, {"_meta": {"a": "b"}}]))
def test_a_text_that_is_lifted_at_once_is_the_one_that_is_lifted_by_pieces(
    opening: str, stretches: list[tuple[str, str]], beside: dict[str, Any]
) -> None:
    text = opening + "".join(part + fill * 60 for part, fill in stretches) + "x" * 80
    line = json.dumps({"content": [{"type": "text", "text": text}], **beside}, separators=(",", ":")).encode()
    with pytest.MonkeyPatch.context() as patch:
        small(patch, 64)
        found = lift_at_once(line)
        assert found is None or found == lift(chunked(line, 50))
    simple = text.isascii() and "_meta" not in beside and MARK not in text
    assert found is not None or not simple


def test_what_cannot_be_lifted_at_once_is_left_to_the_pieces() -> None:
    assert lift_at_once(line_of("x" * HEAD)[: HEAD - 10]) is None  # it has no end
    assert lift_at_once(b'{"content":[{"type":"text","text":"' + b"x" * HEAD + b'"},{"a":"b"}]}') is None
    marked = {"content": [{"type": "text", "text": "x" * HEAD}]}
    assert lift_at_once(json.dumps({MARK: 1, **marked}).encode()) is None
