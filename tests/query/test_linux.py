"""What a worker can no longer do once it has given up its rights: tried out in a process of its own."""

from __future__ import annotations

import json
import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"),
    reason="other systems have no such filter",
)

TRIES = """
import ctypes, errno, json, os, signal, socket, sys, threading
from penstock.query.sandbox.worker import confine
status = open("/proc/self/status")
confine.give_up_rights()
libc = ctypes.CDLL(None, use_errno=True)
told = {}
for name, call in {
    "signal the parent": lambda: os.kill(os.getppid(), 0),
    "signal a group": lambda: os.killpg(os.getpgid(0), 0),
    "fork": os.fork,
    "start a program": lambda: os.execv("/bin/true", ["true"]),
    "open a file": lambda: os.open("/etc/passwd", os.O_RDONLY),
    "make a socket": lambda: socket.socket(),
    "remove a file": lambda: os.unlink("/nowhere/at-all"),
}.items():
    try:
        call()
        told[name] = "done"
    except OSError as error:
        told[name] = errno.errorcode[error.errno]
told["trace"] = errno.errorcode.get(ctypes.set_errno(0) or (libc.ptrace(16, os.getppid(), 0, 0) and ctypes.get_errno()))
ctypes.set_errno(0)
told["open a file by another number"] = errno.errorcode.get(
    libc.syscall(0x40000000 + 257, -100, b"/etc/passwd", 0) and ctypes.get_errno()
)
failed = libc.tgkill(os.getppid(), os.getppid(), 0)
told["signal a thread of the parent"] = errno.errorcode.get(failed and ctypes.get_errno())
told["signal an own thread"] = libc.tgkill(os.getpid(), threading.get_native_id(), 0)
kept = dict(line.split(":", 1) for line in status)
told |= {name: kept[name].strip() for name in ("NoNewPrivs", "Seccomp")}
told["dumpable"] = libc.prctl(3, 0, 0, 0, 0)
sys.stdout.write(json.dumps(told))
sys.stdout.flush()
os._exit(0)
"""


def test_a_worker_reaches_no_process_no_file_and_no_network() -> None:
    done = subprocess.run([sys.executable, "-c", TRIES], capture_output=True, check=True)
    told = json.loads(done.stdout)
    assert told.pop("signal an own thread") == 0  # abort() needs it
    assert (told.pop("NoNewPrivs"), told.pop("Seccomp"), told.pop("dumpable")) == ("1", "2", 0)
    assert set(told.values()) == {"EPERM"}, told
