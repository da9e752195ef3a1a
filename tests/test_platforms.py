"""Windows, as far as another system can stand for it: what Python does not have there is taken away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from penstock.cli.mcp_client_process import Process
from tests.kit.gateway import code
from tests.kit.waiting import PATIENCE

if TYPE_CHECKING:
    import pytest

# What stands for Windows: the calls, signals and modules that Python does not have there. The standard library and the
# packages of others are loaded before, as they have their own code for it; what we import must not miss anything.
WINDOWS = """
import asyncio, concurrent.futures, http.server, importlib, importlib.util, logging, multiprocessing, os, pathlib
import pkgutil, select, selectors, shutil, signal, socket, sqlite3, ssl, subprocess, sys, tempfile, threading
import aiohttp, fastmcp, httptools, jq, mcp.server, msgspec, prometheus_client, re2, redis, urllib.request, uvicorn
import yaml
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "uvloop", "syslog"):
    sys.modules[name] = None
for name in ("SIGKILL", "SIGHUP", "SIGQUIT", "SIGPIPE", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPROF", "SIGCHLD",
             "ITIMER_PROF", "ITIMER_REAL", "setitimer", "alarm", "pthread_sigmask", "sigwait", "siginterrupt"):
    if hasattr(signal, name):
        delattr(signal, name)
for name in ("fork", "forkpty", "killpg", "getpgid", "setsid", "setpgid", "getuid", "geteuid", "getgid", "getegid",
             "posix_spawn", "posix_spawnp", "POSIX_SPAWN_DUP2", "POSIX_SPAWN_OPEN", "O_NOFOLLOW", "O_DIRECTORY",
             "O_CLOEXEC", "O_NONBLOCK", "fchmod", "fchown", "chown", "uname", "getloadavg", "sched_getaffinity",
             "WNOHANG", "waitid", "pread", "pwrite", "sendfile", "mkfifo"):
    if hasattr(os, name):
        delattr(os, name)
sys.platform = "win32"
import penstock
failed = []
for module in pkgutil.walk_packages(penstock.__path__, "penstock."):
    if module.name in ("penstock.__main__", "penstock.query.sandbox.worker.linux"):
        continue
    try:
        importlib.import_module(module.name)
    except Exception as error:
        failed.append(f"{module.name}: {type(error).__name__}: {error}")
print("\\n".join(failed))
"""


def test_every_module_can_be_imported_on_windows() -> None:
    done = subprocess.run([sys.executable, "-c", WINDOWS], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr


def test_a_server_that_doctor_or_the_demo_started_is_ended_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no SIGKILL there, and no group of processes: a process is ended by another call."""

    def kill(process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            os.kill(process.pid, 9)

    monkeypatch.setattr(subprocess.Popen, "kill", kill)
    monkeypatch.delattr(signal, "SIGKILL")
    monkeypatch.setattr(sys, "platform", "win32")
    for program, by_itself in (("input()", True), ("import time; time.sleep(600)", False)):
        process = Process(code(program), parting=PATIENCE if by_itself else 0.1)
        process.write(b"\n")
        process.close()
        assert process.ended_by_itself is by_itself
