"""The server's process: in a group of its own, and always ended with all its children.

It is started by the bare system call: the module that Python has for this takes longer to import than the rest of
what happens before the server runs. If this process is killed outright, a watcher notices: a shell that waits on a
pipe which only this process holds open, and then kills the server's group. That costs a megabyte, and works where no
parent-death signal exists.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock

from penstock.errors import UpstreamError

TYPE_CHECKING = False  # no ``typing``, ``dataclasses`` or ``threading`` here: the server waits for these imports
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeVar

    T = TypeVar("T")

NOT_FOUND = 127  # as shells have it
NOT_EXECUTABLE = 126
ENVIRONMENT_FILE = "/proc/self/environ"
OURS = "PENSTOCK_"  # Variables of Penstock start with this prefix. Some hold passwords, of the store for example.
SHELL = "/bin/sh"
WATCH = 'read -r _; kill -9 "-$0"'  # in words that every shell knows: some take no ``--`` here
GO = 'cd "$0" && exec "$@"'  # the bare system call takes no folder
SIGTERM, SIGKILL, SIGPIPE, SIGXFSZ = 15, 9, 13, 25  # the same on Linux and macOS; ``signal`` takes long to import
IGNORED = (SIGPIPE, SIGXFSZ)  # by Python, and what is ignored would be inherited
SHORTEST_LOOK, LONGEST_LOOK = 0.001, 0.05  # seconds between two looks for the end


class CannotStartError(UpstreamError):
    """The command could not be started at all; ``code`` is what a shell would exit with."""

    def __init__(self, what: str, *, do: str, code: int) -> None:
        super().__init__(what, do=do)
        self.code = code


class Child:
    """A running server. ``stdin`` and ``stdout`` are file descriptors of ours."""

    def __init__(self, pid: int, *, stdin: int, stdout: int, watcher: int | None, lifeline: int | None) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self._watcher = watcher
        self._lifeline = lifeline  # held open as long as we live
        self._code: int | None = None
        self._ended = False
        self.was_stopped = False  # it did not end by itself
        self._looking = allocate_lock()
        self._killing = allocate_lock()

    def poll(self) -> int | None:
        """Return how it ended, as a return code (negative for a signal); None while it runs."""
        with self._looking:
            if self._code is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self._code = os.waitstatus_to_exitcode(status)
            return self._code

    def wait(self, timeout: float) -> int | None:
        """Wait for the end, and return its code; None when it has not ended in time."""
        for pause in self._looks(timeout):
            time.sleep(pause)
        return self.poll()

    def signal(self, number: int) -> None:
        """Hand a signal to the server and all its children."""
        try:
            os.killpg(self.pid, number)
        except OSError:
            return  # gone already

    def end(self, grace: float) -> int:
        """End it with its children, and return its code. Waits as ``ending`` says."""
        for pause in self.ending(grace):
            time.sleep(pause)
        code = self.poll()
        return 0 if code is None else code  # ``ending`` does not end before the process has

    def ending(self, grace: float) -> Iterator[float]:
        """End it with its children, step by step: by itself, by SIGTERM, by SIGKILL, with ``grace`` seconds for each.
        Yields how long to wait until the next look, so that threads and event loops share the steps."""
        yield from self._looks(grace)
        if self.poll() is None:
            self.was_stopped = True
            self.signal(SIGTERM)
            yield from self._looks(grace)
        self.kill()
        while self.poll() is None:  # no process survives SIGKILL; the system may take a moment
            yield from self._looks(grace)

    def _looks(self, seconds: float) -> Iterator[float]:
        deadline, pause = time.monotonic() + seconds, SHORTEST_LOOK
        while self.poll() is None and time.monotonic() < deadline:
            yield pause
            pause = min(2 * pause, LONGEST_LOOK)

    def kill(self) -> None:
        """End what is left of the group, at once; then the watcher has nothing left to do."""
        with self._killing:
            if self._ended:  # by now the number may be another's
                return
            self._ended = self.poll() is not None
            self.signal(SIGKILL)
            if self._watcher is not None:
                os.kill(self._watcher, SIGKILL)
                os.waitpid(self._watcher, 0)
                self._watcher = None
            if self._lifeline is not None:  # a gateway over HTTP has many servers, one after the other
                os.close(self._lifeline)
                self._lifeline = None


def start(command: Sequence[str], more: Mapping[str, str] | None = None, *, folder: str = "") -> Child:
    """Start a server with our stderr, our folder and ``inherited_environment``, to which ``more`` is added."""
    command = spelled_out(command, folder)
    if sys.platform == "win32":
        from penstock.gateway.upstreams.process_windows import start_on_windows  # noqa: PLC0415  (of this system only)

        return start_on_windows(command, more, folder=folder)
    words = [SHELL, "-c", GO, folder, *command] if folder else list(command)
    pid, stdin, stdout = between_pipes(
        command[0], lambda stdin, stdout: _spawn(words, stdin=stdin, stdout=stdout, group=0, more=more)
    )
    watcher, lifeline = _watch(pid)
    return Child(pid, stdin=stdin, stdout=stdout, watcher=watcher, lifeline=lifeline)


def spelled_out(command: Sequence[str], folder: str = "") -> list[str]:
    """Split a first word that is a whole command line, as some clients take it (``"command": "uvx some-server"``). A
    program whose name has a blank in it stays one word."""
    first = command[0]
    places = [folder, *os.get_exec_path()] if " " in first.strip() else []
    if not places or any(os.path.exists(os.path.join(place, first)) for place in places):
        return list(command)
    import shlex  # noqa: PLC0415  (few commands are so, and the server waits for all imports)

    try:
        words = shlex.split(first, posix=sys.platform != "win32")
    except ValueError:  # a quote that nothing closes: the error names the program as it was given
        return list(command)
    return [*words, *command[1:]]


def between_pipes(program: str, spawn: Callable[[int, int], T]) -> tuple[T, int, int]:
    """Start a program on two pipes. Returns what ``spawn`` gave, and our ends: to write to, and to read from."""
    theirs, stdin = os.pipe()
    stdout, ours = os.pipe()
    try:
        return spawn(theirs, ours), stdin, stdout
    except (OSError, ValueError) as error:
        os.close(stdin)
        os.close(stdout)
        raise cannot_start(program, error) from None
    finally:
        os.close(theirs)
        os.close(ours)


def cannot_start(program: str, error: OSError | ValueError) -> CannotStartError:
    """Return the error that says why a program could not be started, and what to do."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        do = "check the spelling, and that the client's PATH contains it"
        return CannotStartError(f"{program!r} cannot be started: there is no such program", do=do, code=NOT_FOUND)
    reason = getattr(error, "strerror", None) or str(error)
    do = "check that it can be executed"
    return CannotStartError(f"{program!r} cannot be started: {reason}", do=do, code=NOT_EXECUTABLE)


def how_it_ended(code: int) -> str:
    """Return how the server ended, in words that follow its name."""
    if code >= 0:
        return f"exited with code {code}"
    import signal  # noqa: PLC0415  (the server waits for all imports)

    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def exit_code(code: int) -> int:
    """Return the code to exit with: after a signal 128 and its number, as shells have it."""
    return code if code >= 0 else 128 - code


def _spawn(
    command: list[str], *, stdin: int, stdout: int, group: int | None, more: Mapping[str, str] | None = None
) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, stdout, 1)]
    environment = {**inherited_environment(), **(more or {})}
    if group is None:
        return os.posix_spawnp(command[0], command, environment, file_actions=actions, setsigdef=IGNORED, setsid=True)
    return os.posix_spawnp(command[0], command, environment, file_actions=actions, setsigdef=IGNORED, setpgroup=group)


def inherited_environment() -> dict[str, str]:
    """Return our environment for a server: without Penstock's own variables, and without ``LC_CTYPE`` if Python added
    it when it started."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    if "LC_CTYPE" in environment:
        try:
            with open(ENVIRONMENT_FILE, "rb") as file:
                if b"\0LC_CTYPE=" not in b"\0" + file.read():
                    del environment["LC_CTYPE"]
        except OSError:  # other systems do not tell
            return environment
    return environment


def _watch(group: int) -> tuple[int | None, int | None]:
    """Start the watcher, a process in a session of its own, which outlives us and then kills the server's group.
    Returns it, and our end of the pipe that tells it so."""
    theirs, lifeline = os.pipe()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    command = [SHELL, "-c", WATCH, str(group)]
    try:
        try:
            return _spawn(command, stdin=theirs, stdout=nowhere, group=None), lifeline
        except NotImplementedError:  # a system that cannot make sessions like this
            return _spawn(command, stdin=theirs, stdout=nowhere, group=0), lifeline
    except OSError:  # no shell: the server still sees the end of its input
        os.close(lifeline)
        return None, None
    finally:
        os.close(theirs)
        os.close(nowhere)
