"""The server's process: started as it is asked for, in a group of its own, and ended with all its children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from penstock.gateway.upstreams import process
from penstock.gateway.upstreams.process import CannotStartError, Child, exit_code, how_it_ended, spelled_out, start
from tests.kit.gateway import code
from tests.kit.processes import is_gone
from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ECHO = "import sys; [(sys.stdout.write(line), sys.stdout.flush()) for line in sys.stdin]"
STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
POLITE = "import signal, os, time; signal.signal(15, lambda *_: os._exit(9)); print('up', flush=True); time.sleep(600)"
PARENT = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-I", "-S", "-c", {STUBBORN!r}], stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def started() -> Iterator[Callable[..., Child]]:
    children: list[Child] = []

    def begin(text: str, more: dict[str, str] | None = None) -> Child:
        children.append(start(code(text), more))
        return children[-1]

    yield begin
    for child in children:
        child.kill()
        assert child.wait(PATIENCE) is not None
        os.close(child.stdout)
        try:
            os.close(child.stdin)
        except OSError:
            continue  # the test has closed it


Starter = Any


def line(child: Child) -> bytes:
    parts = b""
    while not parts.endswith(b"\n"):
        chunk = os.read(child.stdout, 65_536)
        assert chunk, "it ended without a line"
        parts += chunk
    return parts


def test_it_reads_what_is_written_and_ends_with_its_input(started: Starter) -> None:
    child = started(ECHO)
    assert child.poll() is None
    os.write(child.stdin, b"hello\n")
    assert line(child) == b"hello\n"
    os.close(child.stdin)
    assert child.wait(PATIENCE) == 0
    assert child.poll() == 0
    assert child.end(PATIENCE) == 0


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["uvx server-x --flag", "more"], ["uvx", "server-x", "--flag", "more"]),
        (["'a b' c"], ["a b", "c"]),
        (["don't go"], ["don't go"]),
        (["npx"], ["npx"]),
        ([" "], [" "]),
    ],
)
def test_a_first_word_that_is_a_command_line_is_split(command: list[str], words: list[str]) -> None:
    assert spelled_out(command) == words


def test_a_program_with_a_blank_in_its_name_is_one_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "my server"
    program.touch()
    assert spelled_out([str(program)]) == [str(program)]
    assert spelled_out(["./my server"], str(tmp_path)) == ["./my server"]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert spelled_out(["my server"]) == ["my server"]


def test_it_is_in_a_group_of_its_own(started: Starter) -> None:
    child = started("import os; print(os.getpgrp(), os.getpid(), flush=True); input()")
    group, pid = map(int, line(child).split())
    assert group == pid == child.pid != os.getpgrp()


def test_it_inherits_no_ignored_signal_and_no_descriptor_of_ours(started: Starter) -> None:
    held = os.open(os.devnull, os.O_RDONLY)
    seen = "import os, signal; print(signal.getsignal(signal.SIGXFSZ), len(os.listdir('/dev/fd')), flush=True)"
    seen = f"import signal; signal.signal(signal.SIGPIPE, 0); {seen}"
    direct = subprocess.Popen(code(seen), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, close_fds=False)
    assert line(started(seen)) == direct.communicate()[0]
    os.close(held)


def test_a_signal_reaches_it_and_its_children(started: Starter) -> None:
    child = started(PARENT)
    grandchild = int(line(child))
    child.signal(signal.SIGKILL)
    assert child.wait(PATIENCE) == -signal.SIGKILL
    assert until(lambda: is_gone(grandchild))
    child.signal(signal.SIGTERM)  # to nobody, which is no error


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("print('up', flush=True); input()", -signal.SIGTERM),
        (STUBBORN, -signal.SIGKILL),
        (POLITE, 9),
    ],
)
def test_it_is_ended_by_ever_stronger_means(started: Starter, text: str, ends: int) -> None:
    child = started(text)
    assert line(child) == b"up\n"
    assert child.end(0.2) == ends


def test_its_children_are_ended_with_it(started: Starter) -> None:
    child = started(PARENT)
    grandchild = int(line(child))
    assert child.end(0.1) == -signal.SIGTERM
    assert until(lambda: is_gone(grandchild))


def test_waiting_for_one_that_goes_on_comes_to_nothing(started: Starter) -> None:
    assert started(ECHO).wait(0.01) is None


def test_several_threads_can_wait_for_it_and_end_it_at_once(started: Starter) -> None:
    child = started(STUBBORN)
    line(child)
    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(child.end(0.05))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert codes == [-signal.SIGKILL] * 8


def test_nobody_else_is_signalled_once_it_has_ended(started: Starter) -> None:
    child = started("")
    assert child.wait(PATIENCE) == 0
    child.kill()
    child.pid = os.getpid()  # as if its number had been given to another process
    child.kill()


def test_if_we_are_killed_outright_the_server_and_its_children_are_too() -> None:
    """The gateway's process is killed with -9; it is given no chance to clean up."""
    text = f"""
import os, sys
from penstock.gateway.upstreams.process import start
child = start([sys.executable, "-I", "-S", "-c", {PARENT!r}])
print(child.pid, os.read(child.stdout, 100).decode(), flush=True)
os.read(child.stdout, 100)
"""
    ours = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE)
    assert ours.stdout is not None
    pids = [int(pid) for pid in ours.stdout.readline().split()]
    assert len(pids) == 2
    ours.kill()
    ours.wait()
    ours.stdout.close()
    assert until(lambda: all(map(is_gone, pids)))


def test_without_a_shell_it_is_started_all_the_same(started: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SHELL", "/nowhere/sh")
    child = started(ECHO)
    os.close(child.stdin)
    assert child.wait(PATIENCE) == 0


def test_what_cannot_be_started_says_why_and_leaves_no_descriptor_open(tmp_path: Path) -> None:
    file = tmp_path / "server"
    file.write_text("no program")
    before = _open_descriptors()
    for command, exits, why in (
        (["no-such-program-anywhere"], 127, "there is no such program; check the spelling, and that"),
        ([str(tmp_path)], 126, "Permission denied; check that it can be executed"),
        ([str(file)], 126, "Permission denied; check that it can be executed"),
        ([""], 126, "cannot be started"),
        (["sh", "nul\0"], 126, "cannot be started"),
    ):
        with pytest.raises(CannotStartError) as raised:
            start(command)
        assert raised.value.code == exits
        assert why in str(raised.value)
        assert repr(command[0]) in str(raised.value)
    assert _open_descriptors() == before


def _open_descriptors() -> list[str]:
    return os.listdir("/dev/fd")[:-1]


@pytest.mark.parametrize(
    ("number", "words", "exits"),
    [
        (0, "exited with code 0", 0),
        (3, "exited with code 3", 3),
        (-signal.SIGKILL, "was killed by SIGKILL", 137),
        (-signal.SIGSEGV, "was killed by SIGSEGV", 139),
        (-99, "was killed by signal 99", 227),
    ],
)
def test_an_end_is_told_in_words_and_handed_on_as_shells_do(number: int, words: str, exits: int) -> None:
    assert how_it_ended(number) == words
    assert exit_code(number) == exits


def test_without_sessions_the_watcher_has_a_group_of_its_own(started: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    spawn = os.posix_spawnp

    def without_sessions(*words: Any, **options: Any) -> int:
        if "setsid" in options:
            raise NotImplementedError
        return spawn(*words, **options)

    monkeypatch.setattr(os, "posix_spawnp", without_sessions)
    child = started(ECHO)
    os.close(child.stdin)
    assert child.end(PATIENCE) == 0


def test_a_locale_that_python_has_added_is_taken_back_where_the_system_remembers(
    started: Starter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_CTYPE", "C.UTF-8")
    told = "import os; print(os.environb.get(b'LC_CTYPE'), flush=True)"
    for given, seen in ((b"A=1\0LC_CTYPE=C.UTF-8\0", b"b'C.UTF-8'\n"), (b"A=1\0", b"None\n"), (None, b"b'C.UTF-8'\n")):
        file = tmp_path / f"environ{given is None}"
        if given is not None:
            file.write_bytes(given)
        monkeypatch.setattr(process, "ENVIRONMENT_FILE", str(file))
        assert line(started(told)) == seen


def test_server_inherits_no_variable_of_penstock_unless_it_is_given_for_that_server(
    started: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_STORE", "redis://:hunter2@127.0.0.1:1/0")
    monkeypatch.setenv("PENSTOCK_HEADER_X-Key", "hunter2")
    told = "import os; print([(name, value) for name, value in os.environ.items() if 'PENSTOCK' in name])"
    assert line(started(told)) == b"[]\n"
    assert line(started(told, {"PENSTOCK_TTL": "1h"})) == b"[('PENSTOCK_TTL', '1h')]\n"


def test_the_environment_is_handed_on_as_it_came() -> None:
    """Python itself adds a locale to it where there is none."""
    text = (
        "from penstock.gateway.upstreams.process import start; import os; "
        "os.write(1, os.read(start(['env']).stdout, 9_999))"
    )
    for own in ({}, {"LC_CTYPE": "C.UTF-8"}, {"LC_ALL": "C"}):
        given = {"PATH": os.environ["PATH"], "ODD": "täxt = \udcff", "EMPTY": "", **own}
        direct, through = (
            subprocess.run(command, env=given, capture_output=True, check=True).stdout
            for command in (["env"], [sys.executable, "-c", text])
        )
        assert sorted(through.splitlines()) == sorted(direct.splitlines())
