"""Jobs in, answers out, one after the other, until the pipe is closed."""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.query.sandbox import frames
from penstock.query.sandbox.jobs import Job, JqQuery, ParseText, RegexQuery, SqlQuery, SqlSource, SqlTable, Work
from penstock.query.sandbox.worker.fault import Fault
from penstock.query.sandbox.worker.jq_job import JqJob
from penstock.query.sandbox.worker.regex_job import RegexJob
from penstock.query.sandbox.worker.shelf import Shelf
from penstock.query.sandbox.worker.sql_job import SqlJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

FULL: Final = 65_536  # bytes of output that are collected before they are sent: what a pipe takes at once

_JQ: Final = JqQuery(program=".[].a", run=".[].a")
_SQL: Final = SqlQuery(
    sql="SELECT count(*), sum(a), json_object('a', a) FROM held GROUP BY a ORDER BY 1",
    sources=[
        SqlSource(
            tables=[
                SqlTable(name="items", spoken=["held"], rows=RowSpec(columns=(ColumnPath(name="a", path=("a",)),))),
            ]
        )
    ],
    known=["items", "held"],
    rows=1,
    output=1_000,
    seconds=1,
    length=0,
)


class _Answering(Protocol):
    @property
    def wanted(self) -> list[int]: ...
    def feed(self, text: bytes, note: int, first: int, /) -> Iterable[bytes]: ...
    def finish(self) -> Iterator[bytes]: ...
    def summary(self) -> dict[str, Any]: ...


def warm_up() -> None:
    """Do everything once that is done later, so that whatever reads files or starts slowly has done so."""
    for work in (_JQ, _SQL):
        with suppress(Fault):  # without jq this is still good for SQL
            job = _open(work, Shelf())
            list(job.feed(b'[{"a":1.5},{"a":1e999}]', 0, 0))  # A number like the second needs another parser.
            list(job.finish())
    gc.freeze()


def serve(
    incoming: BinaryIO, outgoing: BinaryIO, allow: Callable[[float, int], None], rest: Callable[[], None]
) -> None:
    """Say that we are ready, and answer jobs until the other side hangs up. Between two jobs there is no hurry."""
    shelf = Shelf()
    _end(outgoing, frames.READY)
    while (frame := frames.read_frame(incoming)) is not None:
        if frame[0] == frames.FORGET:
            shelf.forget(msgspec.json.decode(frame[1], type=list[str]))
            continue
        job = msgspec.json.decode(frame[1], type=Job)
        allow(job.seconds, job.memory)
        kind, summary = frames.FAILED, dict[str, Any]()
        try:
            kind, summary = frames.DONE, _work(job, shelf, incoming, outgoing)
        except Fault as fault:
            summary = {"what": fault.what, "do": fault.do}
        except MemoryError:
            summary = {"memory": True}
        except (OSError, frames.BrokenFrameError):  # the pipe itself: no process is there to tell
            raise
        except Exception as error:  # noqa: BLE001  # whatever a query does, it ends its own job only
            what = f"the query could not be answered: Penstock failed ({type(error).__name__}), by a fault of its own"
            summary = {"what": what, "do": "what is held is unharmed; ask in another way"}
        rest()
        _end(outgoing, kind, {**summary, "held": shelf.sizes()})


def _work(job: Job, shelf: Shelf, incoming: BinaryIO, outgoing: BinaryIO) -> dict[str, Any]:
    answering = _open(job.work, shelf)
    _end(outgoing, frames.READY, {"wanted": answering.wanted})
    pieces: list[bytes] = []
    while (frame := frames.read_frame(incoming)) is not None:
        kind, payload = frame
        if kind == frames.DATA:
            pieces.append(payload)
        elif kind == frames.TEXT:
            note, first = map(int, payload.split())
            outputs = answering.feed(b"".join(pieces), note, first)
            pieces.clear()
            _send(outgoing, outputs)
            _end(outgoing, frames.READY)
        else:
            break
    _send(outgoing, answering.finish())
    return answering.summary()


def _open(work: Work, shelf: Shelf) -> _Answering:
    match work:
        case JqQuery():
            return JqJob(work, shelf)
        case SqlQuery():
            return SqlJob(work, shelf)
        case RegexQuery():
            return RegexJob(work)
        case ParseText():
            raise Fault("this process has no parsers", do="ask one that has")


def _send(outgoing: BinaryIO, pieces: Iterable[bytes]) -> None:
    waiting: list[bytes] = []
    length = 0
    for piece in pieces:
        waiting.append(piece)
        length += len(piece)
        if length >= FULL:
            frames.write_pieces(outgoing, frames.OUTPUT, b"".join(waiting))
            waiting.clear()
            length = 0
    frames.write_pieces(outgoing, frames.OUTPUT, b"".join(waiting))


def _end(outgoing: BinaryIO, kind: bytes, summary: dict[str, Any] | None = None) -> None:
    """Write the last frame of our turn."""
    frames.write_frame(outgoing, kind, b"" if summary is None else msgspec.json.encode(summary))
    outgoing.flush()
