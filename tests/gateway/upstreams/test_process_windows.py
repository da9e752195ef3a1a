"""The server's process as it is made on Windows, as far as another system can tell: the calls are the same there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from penstock.gateway.upstreams.process import CannotStartError
from penstock.gateway.upstreams.process_windows import start_on_windows
from tests.kit.gateway import code
from tests.kit.processes import is_gone
from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.gateway.upstreams.process import Child

SLEEP = "import time; print('up', flush=True); time.sleep(600)"
TASKKILL = """#!/bin/sh
echo "$@" > "{told}"
test "$1 $2 $3" = "/T /F /PID" && kill -9 "$4"
"""


@pytest.fixture
def started() -> Iterator[Callable[..., Child]]:
    children: list[Child] = []

    def begin(*command: str) -> Child:
        children.append(start_on_windows(command))
        return children[-1]

    yield begin
    for child in children:
        os.close(child.stdin)
        os.close(child.stdout)


def program(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.write_text(text)
    file.chmod(0o755)


def test_it_reads_what_is_written_and_ends_with_its_input(started: Callable[..., Child]) -> None:
    child = started(*code("print(input())"))
    os.write(child.stdin, b"hello\n")
    assert os.read(child.stdout, 100) == b"hello\n"
    assert child.wait(PATIENCE) == 0
    child.signal(2)  # nothing can be handed on there
    child.kill()  # and nothing is left to end
    assert child.end(PATIENCE) == 0


def test_server_inherits_no_variable_of_penstock(
    started: Callable[..., Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_STORE", "redis://:hunter2@127.0.0.1:1/0")
    child = started(*code("import os; print([name for name in os.environ if 'PENSTOCK' in name])"))
    assert os.read(child.stdout, 100) == b"[]\n"
    assert child.wait(PATIENCE) == 0


def test_a_program_is_found_as_the_shell_would_find_it(
    started: Callable[..., Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """npx is npx.cmd there, which is found by its name only where PATH is searched for it."""
    program(tmp_path, "npx", "#!/bin/sh\necho found $1\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    child = started("npx", "with words")
    assert os.read(child.stdout, 100) == b"found with words\n"
    assert child.wait(PATIENCE) == 0


def test_its_whole_tree_is_ended(
    started: Callable[..., Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    program(tmp_path, "taskkill", TASKKILL.format(told=told))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    child = started(*code(SLEEP))
    assert os.read(child.stdout, 100) == b"up\n"
    assert child.poll() is None
    child.kill()
    assert child.wait(PATIENCE) == -9
    assert told.read_text().split() == ["/T", "/F", "/PID", str(child.pid)]
    assert until(lambda: is_gone(child.pid))


def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    for command in (["no-such-program-anywhere"], [str(tmp_path)], ["\0"]):
        with pytest.raises(CannotStartError, match="cannot be started"):
            start_on_windows(command)
