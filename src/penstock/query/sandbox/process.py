"""One worker process as we see it: started empty-handed, spoken to by turns, killed when it breaks a limit.

A thread of ours that waits for a worker waits in a pipe, without the interpreter's lock. A worker that outlives us is
no danger: its pipe closes when we die, and if it is busy then, a timer of its own ends it a second after its limit.
"""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from penstock.core.plain import Plain
from penstock.query import plugin_forms
from penstock.query.sandbox import frames
from penstock.query.sandbox.frames import BrokenFrameError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import BinaryIO

    from penstock.query.sandbox.jobs import Job

BOOT: Final = Path(__file__).with_name("worker") / "boot.py"
PACKAGES: Final = ("msgspec", "jq")
# Negative numbers of signals: aborted, overrun, refused memory, or killed by the kernel for it; then the two timers.
_OUT_OF_MEMORY: Final = frozenset((-6, -7, -9, -11))
_OUT_OF_TIME: Final = frozenset((-14, -24))
STARTING: Final = 30.0  # seconds that a worker has to say that it is ready; it needs a tenth of one
PARTING: Final = 2.0  # seconds that an idle worker has to see its pipe closed and go


class Text(Plain, frozen=True, kw_only=True):
    """One text to send, in pieces: JSON, or what a table is made of. ``first`` is the number of the first part in
    it."""

    pieces: Iterable[bytes]
    first: int = 0


class Answered(Plain, frozen=True, kw_only=True):
    """All that the worker put out, and what it says of it."""

    output: bytes
    summary: dict[str, Any]


class Refused(Plain, frozen=True, kw_only=True):
    """The worker says what is wrong with the query. It is ready for the next one."""

    what: str
    do: str


class OutOfTime(Plain, frozen=True, kw_only=True):
    """The time ran out, and the worker was killed."""


class TooMuch(Plain, frozen=True, kw_only=True):
    """There was more output than allowed, and the worker was killed."""


class NoMemory(Plain, frozen=True, kw_only=True):
    """The worker ran out of memory; it may be dead."""


class Died(Plain, frozen=True, kw_only=True):
    """The worker ended by itself, with this status; 0 when it lives but does not say what it should."""

    status: int


Outcome = Answered | Refused | OutOfTime | TooMuch | NoMemory | Died


class Worker:
    """A running process. It is used by one thread at a time. ``held`` is what it says that it keeps: the bytes of each
    result by its key."""

    def __init__(self, boot: Path | None = None, packages: tuple[str, ...] = PACKAGES) -> None:
        """Take the script ``boot`` that the process runs, and the ``packages`` that it must be able to import."""
        self._process = _start(boot or BOOT, packages)
        self._greeted = False
        self._wanted: list[int] = []
        self.jobs = 0
        self.held: dict[str, int] = {}

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def memory(self) -> int:
        """Return the bytes that it has in memory, where the system tells it (Linux); else 0."""
        try:
            pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        except OSError:
            return 0
        return int(pages) * mmap.PAGESIZE

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, job: Job, texts: Sequence[Iterable[Text]], most_output: int) -> Outcome:
        """Send one job to the worker, with the texts that it may want. An error of the texts leaves it in the
        middle of something: kill it then."""
        if not self._greeted:
            outcome = self._within(STARTING, lambda: self._listen(bytearray(), 0))
            if outcome is not None:
                return outcome
            self._greeted = True
        self.jobs += 1
        outcome = self._within(job.seconds, lambda: self._converse(job, texts, most_output))
        return outcome or Died(status=0)

    def forget(self, keys: Sequence[str]) -> None:
        """Let an idle worker drop what it keeps of some results. It does so before its next job; the message is
        far shorter than what a pipe takes, so this never waits."""
        for key in keys:
            self.held.pop(key, None)
        with suppress(BrokenFrameError):  # it is dead, and keeps nothing
            self._write(frames.FORGET, msgspec.json.encode(keys))

    def kill(self) -> None:
        """End the process at once, and whatever it may have started. The number of a dead one may be another's."""
        if self._process.returncode is not None:
            return
        if sys.platform == "win32":
            self._process.kill()
        else:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Let an idle worker go; a dead one leaves nothing behind."""
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was written but never read is lost with it
                cast("BinaryIO", pipe).close()
        self._reap()

    def _within(self, seconds: float, talk: Callable[[], Outcome | None]) -> Outcome | None:
        """Return the outcome of an exchange of frames. The worker is killed when the time is up."""
        outcome: Outcome | None = None
        broken = False
        deadline = _Deadline(seconds, self.kill)
        try:
            outcome = talk()
        except BrokenFrameError:
            broken = True  # it is dead or out of its mind; how it ended says which
        finally:
            late = deadline.stop()
        if late:
            return OutOfTime()
        return self._cause_of_death() if broken else outcome

    def _converse(self, job: Job, texts: Sequence[Iterable[Text]], most_output: int) -> Outcome | None:
        output = bytearray()
        self._write(frames.JOB, msgspec.json.encode(job))
        failed = self._listen(output, most_output)
        for note in self._wanted if failed is None else ():
            for text in texts[note]:
                for piece in text.pieces:
                    self._write(frames.DATA, piece)
                self._write(frames.TEXT, b"%d %d" % (note, text.first))
                failed = self._listen(output, most_output)
                if failed is not None:
                    return failed
        if failed is not None:
            return failed
        self._write(frames.FINISH)
        return self._listen(output, most_output)

    def _write(self, kind: bytes, data: bytes = b"") -> None:
        stream = cast("BinaryIO", self._process.stdin)
        try:
            if kind == frames.DATA:
                frames.write_pieces(stream, kind, data)
                return
            frames.write_frame(stream, kind, data)
            stream.flush()
        except OSError:
            raise BrokenFrameError("the worker does not listen") from None

    def _listen(self, output: bytearray, most_output: int) -> Outcome | None:
        """Hear the worker out; None when it is ready for more."""
        stream = cast("BinaryIO", self._process.stdout)
        while (frame := frames.read_frame(stream)) is not None:
            match frame:
                case (frames.OUTPUT, payload):
                    output += payload
                    if len(output) > most_output:
                        self.kill()
                        return TooMuch()
                case (frames.READY, body):
                    self._wanted = msgspec.json.decode(body)["wanted"] if body else self._wanted
                    return None
                case (frames.DONE, body):
                    summary = msgspec.json.decode(body)
                    self.held = summary["held"]
                    return Answered(output=bytes(output), summary=summary)
                case (frames.FAILED, body):
                    fault = msgspec.json.decode(body)
                    self.held = fault["held"]
                    return NoMemory() if "memory" in fault else Refused(what=fault["what"], do=fault["do"])
                case _:
                    break
        raise BrokenFrameError("the worker hung up")

    def _cause_of_death(self) -> Outcome:
        status = self._reap()
        return Died(status=0) if status is None else _meaning(status)

    def _reap(self) -> int | None:
        """Wait for the end, and return the exit status; None when the process had to be killed."""
        try:
            return self._process.wait(PARTING)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
            return None


class _Deadline:
    """Kills the worker when its time is up, but never after the job was done, when it may be at another."""

    def __init__(self, seconds: float, kill: Callable[[], None]) -> None:
        self._kill = kill
        self._lock = threading.Lock()
        self._done = self._late = False
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> bool:
        """Stop the clock. Returns whether the time was up."""
        self._timer.cancel()
        with self._lock:
            self._done = True
            return self._late

    def _expire(self) -> None:
        with self._lock:
            if not self._done:
                self._late = True
                self._kill()


def _start(boot: Path, packages: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """Start a Python without site-packages, environment, files or terminal of ours. Windows starts nothing without one
    variable, which the worker drops with whatever else is there."""
    environment = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return subprocess.Popen(  # noqa: S603  # our own interpreter and script
        [
            sys.executable,
            "-I",
            "-S",
            str(boot),
            *_folders((*packages, *plugin_forms.packages())),
            "--",
            *plugin_forms.places(),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        cwd=boot.parent,
        start_new_session=True,
    )


def _folders(packages: tuple[str, ...]) -> list[str]:
    """Return the folders in which the worker finds this package and others, which are looked for but never imported
    here."""
    package = str(Path(__file__).parents[3])
    specs = (find_spec(name) for name in packages)
    origins = (Path(spec.origin) for spec in specs if spec is not None and spec.origin is not None)
    parents = (origin.parent.parent if origin.stem == "__init__" else origin.parent for origin in origins)
    return list(dict.fromkeys((package, *map(str, parents))))


def _meaning(status: int) -> Outcome:
    """Explain the exit status of a dead worker: jq aborts when it gets no memory, and overruns its stack on deep
    recursion."""
    if status in _OUT_OF_MEMORY:
        return NoMemory()
    return OutOfTime() if status in _OUT_OF_TIME else Died(status=status)
