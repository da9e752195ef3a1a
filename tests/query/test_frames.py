"""What is written as frames is read as the same frames, and a stream that breaks off is never taken for a whole."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.query.sandbox import frames
from penstock.query.sandbox.frames import BrokenFrameError, read_frame, write_frame, write_pieces

kinds = st.sampled_from([frames.JOB, frames.DATA, frames.TEXT, frames.FINISH, frames.OUTPUT, frames.DONE])
messages = st.lists(st.tuples(kinds, st.binary(max_size=200)), max_size=8)


def written(told: list[tuple[bytes, bytes]]) -> bytes:
    stream = io.BytesIO()
    for kind, payload in told:
        write_frame(stream, kind, payload)
    return stream.getvalue()


@given(messages)
def test_frames_are_read_as_they_were_written(told: list[tuple[bytes, bytes]]) -> None:
    stream = io.BytesIO(written(told))
    assert [read_frame(stream) for _ in told] == told
    assert read_frame(stream) is None


@given(messages.filter(bool), st.data())
def test_a_stream_that_ends_inside_a_frame_is_an_error(told: list[tuple[bytes, bytes]], data: st.DataObject) -> None:
    whole = written(told)
    last = len(written(told[:-1]))
    stream = io.BytesIO(whole[: data.draw(st.integers(last + 1, len(whole) - 1))])
    for _ in told[:-1]:
        assert read_frame(stream) is not None
    with pytest.raises(BrokenFrameError):
        read_frame(stream)


def test_long_data_crosses_in_pieces_that_each_fit() -> None:
    data = bytes(range(256)) * 10_000
    stream = io.BytesIO()
    write_pieces(stream, frames.DATA, data)
    stream.seek(0)
    pieces = []
    while (frame := read_frame(stream)) is not None:
        assert len(frame[1]) <= frames.LONGEST
        pieces.append(frame[1])
    assert len(pieces) == 3
    assert b"".join(pieces) == data


def test_a_frame_that_claims_to_be_enormous_is_not_read() -> None:
    stream = io.BytesIO(b"O\xff\xff\xff\xff" + b"x" * 100)
    with pytest.raises(BrokenFrameError, match="4294967295 bytes"):
        read_frame(stream)
