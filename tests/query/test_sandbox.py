"""A worker has nothing of ours, never outlives its limits, and its end costs the question and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import psutil
import pytest

from penstock.errors import CallerError
from penstock.query.jq.filter import run_filter
from penstock.query.sandbox import process
from penstock.query.sandbox.jobs import Job, JqQuery
from penstock.query.sandbox.process import Died, NoMemory, OutOfTime, Text, Worker, _meaning
from penstock.query.sandbox.sandbox import JobLimits, Load, Sandbox
from penstock.query.sql.query import run_sql
from penstock.share import Share
from tests.kit.held_results import held_value
from tests.kit.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = held_value([{"name": "Ann"}, {"name": "Bob"}])
ENDLESS = "last(repeat(1))"


def matches_of(pool: Sandbox, program: str = "length") -> bytes:
    return run_filter(program, SOURCE, pool).lines


def test_workers_start_when_they_are_needed_and_are_used_again() -> None:
    with Sandbox() as pool:
        assert list(pool.idle) == []
        matches_of(pool)
        first = pool.idle
        matches_of(pool)
        assert pool.idle == first
        assert len(first) == 1
    assert list(pool.idle) == []
    assert not psutil.pid_exists(first[0])


def test_a_worker_has_no_environment_no_files_and_a_group_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_SECRET", "hush")
    secret, other = os.pipe()
    os.set_inheritable(secret, True)
    with Sandbox() as pool:
        assert matches_of(pool, "$ENV, env") == b"{}\n{}"
        (pid,) = pool.idle
        worker = psutil.Process(pid)
        assert os.getpgid(pid) == pid != os.getpgid(0)
        assert os.getsid(pid) == pid
        assert "PENSTOCK_SECRET" not in worker.environ()
        links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
        assert sorted(link.partition(":")[0] for link in links) == [*["/dev/null"] * 3, "pipe", "pipe"]
        assert str(Path(f"/proc/self/fd/{secret}").readlink()) not in links
        limits = Path(f"/proc/{pid}/limits").read_text()
        for name in ("open files", "file size", "core file size", "processes"):
            (line,) = (line for line in limits.splitlines() if line.startswith(f"Max {name} "))
            assert line.split()[-3:-1] == ["0", "0"]
    os.close(secret)
    os.close(other)


def test_we_never_import_jq_ourselves() -> None:
    code = """
import sys
from penstock.core.forms.document import read
from penstock.core.json.index import reader
from penstock.query.jq.filter import run_filter
from penstock.query.sandbox.sandbox import Sandbox
from penstock.query.source import Source
from penstock.query.sql.query import run_sql
document = read('[1,2]')
source = Source(read=reader(document.body), index=document.index)
with Sandbox() as pool:
    assert run_filter('add', source, pool).lines == b'3'
    assert run_sql('SELECT sum(value) AS s FROM items', {'a': source}, pool).lines == b'{"s":3}'
assert 'jq' not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_worker_without_jq_still_answers_sql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "penstock").symlink_to(Path(process.__file__).parents[2])
    (tmp_path / "msgspec").symlink_to(Path(msgspec.__file__).parent)
    monkeypatch.setattr(process, "_folders", lambda _: [str(tmp_path)])
    with Sandbox() as pool:
        assert run_sql("SELECT count(*) AS n FROM items", {"a": SOURCE}, pool).lines == b'{"n":2}'
        with pytest.raises(CallerError, match="need the jq package"):
            matches_of(pool)


def test_a_question_that_takes_too_long_is_stopped_and_the_next_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    with Sandbox(limits=JobLimits(seconds=PATIENCE)) as pool:
        matches_of(pool)
        before = pool.idle
        with monkeypatch.context() as patch:
            patch.setattr(pool, "limits", JobLimits(seconds=0.3))
            with pytest.raises(CallerError, match=r"took longer than 0\.3 s"):
                matches_of(pool, ENDLESS)
        assert list(pool.idle) == []
        assert matches_of(pool) == b"2"
        assert pool.idle != before
        assert not psutil.pid_exists(before[0])


def test_output_is_limited_while_it_is_read() -> None:
    with Sandbox(limits=JobLimits(output=100_000)) as pool:
        with pytest.raises(CallerError, match="gives more than 100,000 bytes"):
            matches_of(pool, 'repeat("x" * 1000)')
        assert matches_of(pool, '"x" * 99000 | length') == b"99000"


def test_memory_is_limited() -> None:
    with Sandbox() as pool:
        with pytest.raises(CallerError, match="needs more than 256 MB of memory"):
            matches_of(pool, '"x" * 1e9 | length')
        assert matches_of(pool) == b"2"


@pytest.mark.parametrize("limit", ["LARGE", "OLD"])
def test_a_worker_that_is_large_or_old_is_not_kept(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(f"penstock.query.sandbox.sandbox.{limit}", 1)
    with Sandbox() as pool:
        assert matches_of(pool) == b"2"
        assert list(pool.idle) == []


def test_a_worker_that_died_while_it_waited_is_replaced() -> None:
    with Sandbox() as pool:
        matches_of(pool)
        (pid,) = pool.idle
        os.kill(pid, signal.SIGKILL)
        psutil.Process(pid).wait()
        assert matches_of(pool) == b"2"


def test_a_worker_outlives_a_killed_parent_by_no_more_than_its_limit() -> None:
    """Busy, it is ended by its own timer; waiting, by its pipe."""
    code = f"""
import sys, threading
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.query.test_sandbox import ENDLESS, SOURCE
from penstock.query.jq.filter import run_filter
from penstock.query.sandbox.sandbox import JobLimits, Sandbox
pool = Sandbox(limits=JobLimits(seconds=0.5))
run_filter('.', SOURCE, pool)
print(pool.idle[0], flush=True)
run_filter(ENDLESS, SOURCE, pool)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    worker = psutil.Process(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    psutil.wait_procs([worker], timeout=PATIENCE)
    assert not worker.is_running()


def test_the_memory_of_a_worker_is_known_where_the_system_tells_it() -> None:
    with Sandbox() as pool:
        matches_of(pool)
        worker = pool._pool._idle[0].worker
        assert 1_000_000 < worker.memory < 200_000_000
    assert worker.memory == 0


def test_threads_ask_at_the_same_time() -> None:
    answers: list[bytes] = []
    with Sandbox(workers=2) as pool:

        def ask(number: int) -> None:
            answers.append(matches_of(pool, f"[.[].name, {number}] | length"))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 1 <= len(pool.idle) <= 2
    assert answers == [b"3"] * 8


def test_when_all_workers_are_busy_a_question_waits_and_then_says_so() -> None:
    with Sandbox(workers=1, limits=JobLimits(seconds=30, queue=0.05)) as pool:
        matches_of(pool)
        with (
            pool._turns.turn(Share("another"), seconds=0),
            pytest.raises(CallerError, match="all query workers are busy"),
        ):
            matches_of(pool)
        assert matches_of(pool) == b"2"


def test_a_pool_that_is_forgotten_leaves_no_worker() -> None:
    pool = Sandbox()
    matches_of(pool)
    (pid,) = pool.idle
    del pool
    assert not psutil.pid_exists(pid)


@pytest.fixture
def babbling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Worker]:
    """A worker that runs another script."""
    monkeypatch.setattr(process, "PARTING", 0.2)

    def start(script: str) -> Worker:
        file = tmp_path / "boot.py"
        file.write_text(f"import os, sys, time\nsay = lambda data: os.write(1, data)\n{script}\n")
        monkeypatch.setattr(process, "BOOT", file)
        return Worker()

    return start


READY = "say(b'R\\0\\0\\0\\0')"
WAIT = "sys.stdin.buffer.read()"


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("sys.exit(3)", Died(status=3)),
        (f"{READY}; sys.exit(3)", Died(status=3)),
        (f"say(b'hello world, this is no frame'); {WAIT}", Died(status=0)),
        (f"say(b'Q\\0\\0\\0\\0'); {WAIT}", Died(status=0)),
        (f"{READY}; {READY}; {READY}; {READY}; {WAIT}", Died(status=0)),
        ("os.abort()", NoMemory()),
        (f"{READY}; os.kill(os.getpid(), 14)", OutOfTime()),
    ],
)
def test_a_worker_out_of_its_mind_is_ended(babbling: Callable[[str], Worker], script: str, outcome: Any) -> None:
    worker = babbling(script)
    job = Job(work=JqQuery(program=".", run="."), seconds=5, memory=2**30)
    assert worker.ask(job, [[Text(pieces=[b"[1]" * 100_000])]], 1_000) == outcome
    worker.kill()
    worker.close()
    assert not worker.alive


def test_the_way_a_worker_ends_says_what_it_lacked() -> None:
    assert _meaning(-signal.SIGABRT) == _meaning(-signal.SIGSEGV) == NoMemory()
    assert _meaning(-signal.SIGALRM) == _meaning(-signal.SIGXCPU) == OutOfTime()
    assert _meaning(1) == Died(status=1)


def test_a_dead_worker_is_reported_with_its_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Worker, "ask", lambda self, job, texts, most: Died(status=7))
    with Sandbox() as pool, pytest.raises(CallerError, match=r"ended its worker \(status 7\)"):
        matches_of(pool)


def test_limits_grow_with_the_data() -> None:
    limits = JobLimits(seconds=5)
    small, large = Load(size=1_000, at_once=1_000), Load(size=100_000_000, at_once=100_000_000)
    assert limits.time_for(small) == pytest.approx(5, abs=0.01)
    assert limits.time_for(large) == pytest.approx(25)
    assert limits.memory_for(small) < 300_000_000
    assert 1_000_000_000 < limits.memory_for(large) <= limits.memory
