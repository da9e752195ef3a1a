"""What runs inside a worker: each job is answered by itself, and what a process gives up it has no more."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from typing import Any, BinaryIO

import pytest

from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.query.sandbox import frames
from penstock.query.sandbox.jobs import JqQuery, SqlQuery, SqlSource, SqlTable
from penstock.query.sandbox.process import BOOT, PACKAGES, Text, _folders
from penstock.query.sandbox.worker import boot, confine, jq_job, serve
from penstock.query.sandbox.worker.fault import LONGEST, Fault, shorten
from penstock.query.sandbox.worker.jq_job import JqJob
from penstock.query.sandbox.worker.shelf import ResultTables, Shelf
from tests.kit.held_results import output_of, served, spoken

COUNT = JqQuery(program="length", run="length")
A = RowSpec(columns=(ColumnPath(name="a", path=("a",)),))
TABLES = [SqlTable(name="t", spoken=["t"], rows=A)]
ROWS = SqlQuery(
    sql="SELECT a FROM t", sources=[SqlSource(tables=TABLES)], known=["t"], rows=9, output=9_000, seconds=5, length=9
)


def test_jobs_are_answered_one_after_the_other() -> None:
    said = spoken(COUNT, [Text(pieces=[b"[1,", b"2]"])]) + spoken(ROWS, [Text(pieces=[b'[{"a":1}]'])])
    told = served(said)
    assert [kind for kind, _ in told] == [
        frames.READY,
        *(frames.READY, frames.OUTPUT, frames.READY, frames.DONE),
        *(frames.READY, frames.READY, frames.OUTPUT, frames.DONE),
    ]
    assert output_of(told) == b'2{"a":1}'
    assert json.loads(told[-1][1])["columns"] == ["a"]


def test_much_output_is_sent_while_it_is_made() -> None:
    told = served(spoken(JqQuery(program=".", run='range(3) | "x" * 1500000'), [Text(pieces=[b"1"])]))
    outputs = [payload for kind, payload in told if kind == frames.OUTPUT]
    assert len(outputs) == 6
    assert max(map(len, outputs)) <= frames.LONGEST
    assert len(b"".join(outputs)) == 3 * 1_500_002 + 2


def test_a_fault_ends_the_job_only() -> None:
    told = served(spoken(JqQuery(program=".[", run=".["), []))
    assert told[-1][0] == frames.FAILED
    assert json.loads(told[-1][1])["what"] == "jq: syntax error, unexpected end of file at line 1, column 2"


@pytest.mark.parametrize(("program", "what"), [("input", "no further input"), (".a", "Cannot index number")])
def test_a_program_that_fails_on_the_data_says_so(program: str, what: str) -> None:
    told = served(spoken(JqQuery(program=program, run=program), [Text(pieces=[b"1"])]))
    assert what in json.loads(told[-1][1])["what"]


def test_memory_that_runs_out_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_memory(job: JqJob, text: bytes, note: int, first: int) -> None:
        raise MemoryError

    monkeypatch.setattr(JqJob, "feed", out_of_memory)
    assert served(spoken(COUNT, [Text(pieces=[b"1"])]))[-1] == (frames.FAILED, b'{"memory":true,"held":{}}')


def test_an_error_that_nobody_thought_of_ends_the_job_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def surprised(job: JqJob, text: bytes, note: int, first: int) -> None:
        raise LookupError

    monkeypatch.setattr(JqJob, "feed", surprised)
    kind, told = served(spoken(COUNT, [Text(pieces=[b"1"])]))[-1]
    assert kind == frames.FAILED
    assert (
        json.loads(told)["what"]
        == "the query could not be answered: Penstock failed (LookupError), by a fault of its own"
    )


def test_a_stream_that_breaks_in_the_middle_of_a_frame_ends_the_worker() -> None:
    with pytest.raises(frames.BrokenFrameError):
        served(spoken(COUNT, [Text(pieces=[b"[1]"])])[:-7])


def test_a_stream_that_ends_in_the_middle_of_a_job_ends_the_worker() -> None:
    said = spoken(COUNT, [Text(pieces=[b"[1]"])])
    assert served(said[: -len(b"F\0\0\0\0")])[-1][0] == frames.DONE


def test_without_jq_a_filter_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jq_job, "jq", None)
    jq_job.check.cache_clear()
    serve.warm_up()
    with pytest.raises(Fault, match="need the jq package"):
        JqJob(COUNT, Shelf())


def test_warming_up_leaves_everything_ready() -> None:
    serve.warm_up()
    assert output_of(served(spoken(COUNT, [Text(pieces=[b"[1]"])]))) == b"1"


@pytest.mark.parametrize("text", ["x" * 10_000, "é" * 10_000, "\x00\x1b[31m" * 1_000, "\ud800" * 1_000])
def test_a_fault_is_short_and_printable(text: str) -> None:
    fault = Fault(text, do=text)
    for part in (fault.what, fault.do):
        assert len(part.encode()) <= LONGEST
        assert part.isprintable()
    assert shorten("short") == "short"


def run_here(code: str) -> str:
    """Run some lines in a Python of their own, for what cannot be taken back."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_what_was_given_up_is_gone() -> None:
    code = """
import os, socket
from penstock.query.sandbox.worker import confine
confine.give_up_rights()
for what in (lambda: open('/etc/passwd'), lambda: socket.socket(), os.pipe):
    try:
        what()
    except OSError as error:
        print(error.errno, end=' ')
"""
    assert run_here(code) in ("24 24 24", "1 1 1")  # by the limit, or by the filter of the Linux kernel


def test_a_process_ends_by_itself_when_its_time_or_memory_is_up() -> None:
    code = "from penstock.query.sandbox.worker import confine; confine.GRACE = 0; confine.allow({}, {})\n{}"
    for seconds, memory, work, status in (
        (0.05, 2**32, "while True: pass", -14),
        (9, 2**29, "[bytes(2**26) for _ in range(2**10)]", 1),
    ):
        command = [sys.executable, "-c", code.format(seconds, memory, work)]
        done = subprocess.run(command, capture_output=True, check=False)
        assert done.returncode == status


def test_a_process_that_rests_has_no_time_limit() -> None:
    """Regression: the clock of the last job went on, and ended idle workers."""
    code = """
import signal
from penstock.query.sandbox.worker import confine
confine.allow(9, 2**32)
print(signal.getitimer(signal.ITIMER_REAL)[0] > 0, end=' ')
confine.rest()
print(signal.getitimer(signal.ITIMER_REAL))
"""
    assert run_here(code) == "True (0.0, 0.0)"


def test_a_worker_rests_after_every_job_before_it_says_that_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    did: list[object] = []
    end = serve._end

    def ended(outgoing: BinaryIO, kind: bytes, told: dict[str, Any] | None = None) -> None:
        did.append(kind)
        end(outgoing, kind, told)

    monkeypatch.setattr(serve, "_end", ended)
    wrong = JqQuery(program=".[", run=".[")
    served(spoken(COUNT, []) + spoken(wrong, []), rest=lambda: did.append("rest"))
    assert did == [frames.READY, frames.READY, "rest", frames.DONE, "rest", frames.FAILED]


def test_where_there_are_no_limits_nothing_is_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confine, "HAS_LIMITS", False)
    confine.give_up_rights()
    monkeypatch.setattr(gc, "freeze", lambda: None)  # this process goes on
    confine.allow(1, 1)
    confine.rest()


def test_a_job_takes_no_longer_for_the_results_that_are_kept_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: after each job all kept tables were measured, and all objects looked at by the collector: a query
    took three times as long once 300 results had been asked."""
    measured: list[ResultTables] = []
    size = ResultTables.size.fget  # type: ignore[attr-defined]

    def noted(one: ResultTables) -> int:
        measured.append(one)
        return int(size(one))

    monkeypatch.setattr(ResultTables, "size", property(noted))
    shelf = Shelf()
    kept = [shelf.database(f"key {number}") for number in range(20)]
    assert len(shelf.sizes()) == len(measured) == 20
    measured.clear()
    assert shelf.database("key 7") is kept[7]
    kept[7].connection.execute("CREATE TABLE t (a)")
    before = shelf.sizes()
    assert measured == [kept[7]]
    assert before["key 7"] > before["key 8"]
    shelf.forget(["key 7"])
    assert shelf.sizes().keys() == before.keys() - {"key 7"}
    code = "import gc; from penstock.query.sandbox.worker import confine; confine.rest(); print(len(gc.get_objects()))"
    assert int(run_here(code)) < 100


def test_a_limit_that_cannot_be_set_is_left() -> None:
    confine._limit(-1, 0, 0)


def test_the_script_serves_until_its_input_ends() -> None:
    said = spoken(COUNT, [Text(pieces=[b"[1]"])])
    command = [sys.executable, "-I", "-S", str(BOOT), *_folders(PACKAGES), "--"]
    done = subprocess.run(command, input=said, stdout=subprocess.PIPE, env={}, check=True)
    assert done.stdout.startswith(b'R\0\0\0\0R\0\0\0\x0e{"wanted":[0]}O\0\0\0\x011R\0\0\0\0Z')


def test_the_script_takes_its_folders_from_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    did: list[str] = []
    monkeypatch.setattr(sys, "argv", ["boot.py", "/nowhere", "--"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(os, "environ", {"A": "b"})
    monkeypatch.setattr(confine, "take_pipes", lambda: ("in", "out"))
    monkeypatch.setattr(confine, "give_up_rights", lambda: did.append("gave up"))
    monkeypatch.setattr(serve, "warm_up", lambda: did.append("warm"))
    monkeypatch.setattr(gc, "disable", lambda: did.append("does not collect"))
    monkeypatch.setattr(serve, "serve", lambda *given: did.append(f"served {given[:2]}"))
    boot.main()
    assert did == ["warm", "does not collect", "gave up", "served ('in', 'out')"]
    assert sys.path == []
    assert os.environ == {}
