"""Held results for tests, and a worker that runs in this process instead of one of its own."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.core.forms.document import read
from penstock.core.forms.reading import TableSpec
from penstock.core.forms.recognise import read_form
from penstock.core.json.index import reader
from penstock.query.sandbox import frames
from penstock.query.sandbox.jobs import Job
from penstock.query.sandbox.worker import serve
from penstock.query.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.query.sandbox.jobs import JqQuery, SqlQuery
    from penstock.query.sandbox.process import Text


def held(data: bytes | str) -> Source:
    """A source as a store gives it back: its tables went through bytes."""
    document = read(data)
    kept = msgspec.msgpack.encode([table.kept for table in read_form(document).tables])
    tables = msgspec.msgpack.decode(kept, type=tuple[TableSpec, ...])
    return Source(read=reader(document.body), index=document.index, tables=tables)


def held_value(value: Any) -> Source:
    return held(json.dumps(value))


def spoken(question: JqQuery | SqlQuery, *texts: Iterable[Text]) -> bytes:
    """All that we send for a question, without waiting for the worker's turns: the texts of one table after those of
    another."""
    stream = io.BytesIO()
    frames.write_frame(stream, frames.JOB, msgspec.json.encode(Job(work=question, seconds=5, memory=2**30)))
    for note, some in enumerate(texts):
        for text in some:
            for piece in text.pieces:
                frames.write_pieces(stream, frames.DATA, piece)
            frames.write_frame(stream, frames.TEXT, b"%d %d" % (note, text.first))
    frames.write_frame(stream, frames.FINISH)
    return stream.getvalue()


def served(said: bytes, rest: Callable[[], None] = lambda: None) -> list[tuple[bytes, bytes]]:
    """The frames that a worker answers with, once it was told all of this; after a failure it hears no more."""
    outgoing = _Outgoing()
    serve.serve(_Incoming(said, outgoing), outgoing, lambda seconds, memory: None, rest)
    outgoing.seek(0)
    told: list[tuple[bytes, bytes]] = []
    while (frame := frames.read_frame(outgoing)) is not None:
        told.append(frame)
    return told


class _Outgoing(io.BytesIO):
    failed = False

    def write(self, data: Any) -> int:
        self.failed = self.failed or (len(data) == 5 and bytes(data[:1]) == frames.FAILED)
        return super().write(data)


class _Incoming(io.BytesIO):
    def __init__(self, said: bytes, outgoing: _Outgoing) -> None:
        super().__init__(said)
        self._outgoing = outgoing

    def read(self, size: int | None = -1) -> bytes:
        return b"" if self._outgoing.failed else super().read(size)


def output_of(told: list[tuple[bytes, bytes]]) -> bytes:
    return b"".join(payload for kind, payload in told if kind == frames.OUTPUT)
