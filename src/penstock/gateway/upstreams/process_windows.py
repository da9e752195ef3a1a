"""The server's process on Windows, where there are neither process groups nor signals as elsewhere."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from penstock.gateway.upstreams.process import Child, between_pipes, inherited_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class WindowsChild(Child):
    """A process whose whole tree is ended by ``taskkill``."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: int, stdout: int) -> None:
        super().__init__(process.pid, stdin=stdin, stdout=stdout, watcher=None, lifeline=None)
        self._process = process

    def poll(self) -> int | None:
        return self._process.poll()

    def signal(self, number: int) -> None:
        """Do nothing: Windows hands on no signals, and the server sees the end of its input."""

    def kill(self) -> None:
        if self.poll() is None:
            command = ["taskkill", "/T", "/F", "/PID", str(self.pid)]
            subprocess.run(command, capture_output=True, check=False)  # noqa: S603


def start_on_windows(command: Sequence[str], more: Mapping[str, str] | None = None, *, folder: str = "") -> Child:
    """Start a command. npx and its like are .cmd files, which are found by name only when looked for."""
    words = [shutil.which(command[0]) or command[0], *command[1:]]
    environment = {**inherited_environment(), **(more or {})}
    process, stdin, stdout = between_pipes(
        command[0],
        lambda stdin, stdout: subprocess.Popen(words, stdin=stdin, stdout=stdout, env=environment, cwd=folder or None),  # noqa: S603
    )
    return WindowsChild(process, stdin, stdout)
