"""LineBuffer: whatever the chunks, the same lines come out, from memory or from a file."""

from __future__ import annotations

from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import spool
from penstock.protocol.wire import lines as lines_module
from penstock.protocol.wire.lines import KEPT, STEP, Line, LineBuffer, TooLong
from penstock.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LIMIT = 50


@pytest.fixture(autouse=True, scope="module")
def _small_lines_are_large() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_module, "LARGE", 20)
        patch.setattr(spool, "MAX_IN_MEMORY", 40)
        yield


messages = st.lists(
    st.one_of(
        st.binary(max_size=80).map(lambda data: data.replace(b"\n", b"")),
        st.sampled_from(
            [b'{"id":1}', b'{"jsonrpc":"2.0","id":2,"result":{"content":[]}}', b"\xef\xbb\xbf{}", b"\r", b""]
        ),
    ),
    max_size=8,
)
sizes = st.lists(st.integers(1, 30), max_size=40)


def cut(data: bytes, lengths: Sequence[int]) -> list[bytes]:
    """The data in chunks of these lengths; what is left over comes byte by byte."""
    chunks: list[bytes] = []
    for length in lengths:
        chunks.append(data[:length])
        data = data[length:]
    return [*chunks, *(bytes((byte,)) for byte in data)]


def fed(lines: LineBuffer, chunks: Sequence[bytes]) -> list[Line]:
    return [line for chunk in chunks for line in lines.feed(chunk)]


def whole(line: Line) -> bytes:
    assert not isinstance(line, TooLong)
    return bytes(line)


@given(messages, st.binary(max_size=30).map(lambda data: data.replace(b"\n", b"")), sizes)
def test_whatever_the_chunks_the_same_lines_come_out(sent: list[bytes], rest: bytes, lengths: list[int]) -> None:
    data = b"".join(one + b"\n" for one in sent) + rest
    for new_spool in (Spool, lambda: Spool(TemporaryFile)):
        lines = LineBuffer(lambda: 10**9, new_spool=new_spool)
        found = fed(lines, cut(data, lengths))
        assert [whole(line) for line in found] == [one + b"\n" for one in sent]
        left = lines.rest()
        is_whole = rest.rstrip().endswith(b"}") or new_spool is Spool or len(rest) < 40
        assert (None if left is None else whole(left)) == (rest + b"\n" if rest and is_whole else None)
        assert lines.rest() is None


def test_a_long_line_is_a_view_of_a_file() -> None:
    lines = LineBuffer(lambda: 10**9, new_spool=lambda: Spool(TemporaryFile))
    (line,) = fed(lines, [b"x" * 30, b"y" * 30, b"\n"])
    assert isinstance(line, memoryview)
    assert bytes(line) == b"x" * 30 + b"y" * 30 + b"\n"


def test_a_line_that_no_disk_takes_is_known_by_its_ends() -> None:
    def full() -> Any:
        raise OSError(28, "No space left on device")

    lines = LineBuffer(lambda: 10**9, new_spool=lambda: Spool(full))
    (line, after) = fed(lines, [b'{"id":1,' + b"x" * 30, b"y" * 30, b"z}\n{}\n"])
    assert isinstance(line, TooLong)
    assert (line.size, line.head[:8], line.tail[-3:]) == (71, b'{"id":1,', b"z}\n")
    assert "No space left on device" in line.failure
    assert "free space" in line.failure
    assert after == b"{}\n"


@given(messages, sizes)
def test_a_line_above_the_limit_is_told_of_and_no_other_line_is_touched(sent: list[bytes], lengths: list[int]) -> None:
    found = fed(LineBuffer(lambda: LIMIT), cut(b"".join(one + b"\n" for one in sent), lengths))
    assert len(found) == len(sent)
    for line, one in zip(found, (one + b"\n" for one in sent), strict=True):
        if len(one) <= LIMIT:
            assert whole(line) == one
        else:
            assert isinstance(line, TooLong)
            assert (line.size, line.tail) == (len(one), one)
            assert one.startswith(line.head)


@given(st.integers(1, 3 * KEPT), st.integers(0, 8 * KEPT))
def test_of_a_line_that_is_too_long_its_beginning_and_its_end_are_kept(chunk: int, more: int) -> None:
    lines = LineBuffer(lambda: LIMIT)
    data = bytes(number % 251 for number in range(KEPT + more)).replace(b"\n", b" ") + b"\n"
    (line,) = fed(lines, [data[at : at + chunk] for at in range(0, len(data), chunk)] if chunk > 999 else [data])
    assert isinstance(line, TooLong)
    assert line.size == len(data)
    assert data.startswith(line.head)
    assert line.head
    assert data.endswith(line.tail)
    assert len(line.tail) == KEPT


def test_a_line_in_one_chunk_is_that_chunk() -> None:
    chunk = b'{"id":1}\n'
    assert LineBuffer(lambda: LIMIT).feed(chunk)[0] is chunk


def test_the_end_of_a_line_that_is_too_long_and_never_ended_is_no_message() -> None:
    lines = LineBuffer(lambda: LIMIT)
    assert not lines.feed(b"x" * 60)
    assert lines.rest() is None
    assert lines.feed(b"{}\n") == (b"{}\n",)


def test_the_limit_is_asked_for_only_once_a_line_is_large() -> None:
    def limit() -> int:
        raise AssertionError("asked")

    lines = LineBuffer(limit)
    assert fed(lines, [b"x" * 10, b"y" * 9 + b"\n", b"\n"]) == [b"x" * 10 + b"y" * 9 + b"\n", b"\n"]
    with pytest.raises(AssertionError, match="asked"):
        lines.feed(b"x" * 21)


def test_a_conversation_cut_at_any_byte_is_the_same_conversation() -> None:
    sent = [
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"w\xc3\xadre"}}}\n',
        b'{"method":"notifications/initialized","jsonrpc":"2.0"}\r\n',
        b"\n",
        b'[{"id":"a","method":"ping"},{"id":"b","method":"ping"}]\n',
        b'{"result":{"content":[{"type":"text","text":"\xf0\x9f\x98\x80 \\ud83d"}]},"id":2}\n',
    ]
    data = b"".join(sent)
    for at in range(len(data) + 1):
        assert fed(LineBuffer(lambda: 10**9), [data[:at], data[at:]]) == sent


def test_growth_is_reported_after_each_step() -> None:
    told: list[tuple[bytes, int]] = []
    lines = LineBuffer(lambda: 10**9, grew=lambda head, size: told.append((head[:1], size)))
    fed(lines, [b"short\n", b"a" * (STEP - 1), b"a" * 2, b"a" * STEP, b"a\nb", b"b" * STEP])
    assert told == [(b"a", STEP + 1), (b"a", 2 * STEP + 1), (b"b", STEP + 1)]
