"""What a worker can no longer do once it has given up its rights: tried out in a process of its own."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"),
    reason="other systems have no such filter",
)

TRIES = """
import ctypes, errno, json, os, resource, socket, sys, threading
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
    "empty a file": lambda: os.truncate(sys.argv[1], 0),
    "link a file": lambda: os.link(sys.argv[1], sys.argv[1] + ".link"),
    "make a symbolic link": lambda: os.symlink("/etc/passwd", sys.argv[1] + ".link"),
    "make a pipe with a name": lambda: os.mkfifo(sys.argv[1] + ".fifo"),
    "change a mode": lambda: os.chmod(sys.argv[1], 0o777),
    "change an owner": lambda: os.chown(sys.argv[1], -1, -1),
    "set an attribute": lambda: os.setxattr(sys.argv[1], "user.a", b"1"),
    "set a file's times": lambda: os.utime(sys.argv[1]),
    "make a folder": lambda: os.mkdir(sys.argv[1] + ".folder"),
    "change the folder": lambda: os.chdir("/"),
    "limit the parent": lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0)),
    "slow the parent down": lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19),
    "make memory with a name": lambda: os.memfd_create("a"),
}.items():
    try:
        call()
        told[name] = "done"
    except OSError as error:
        told[name] = errno.errorcode[error.errno]
told["trace"] = errno.errorcode.get(ctypes.set_errno(0) or (libc.ptrace(16, os.getppid(), 0, 0) and ctypes.get_errno()))
ctypes.set_errno(0)
told["change a mode by a newer call"] = errno.errorcode.get(
    libc.syscall(452, -100, sys.argv[1].encode(), 0o777, 0) and ctypes.get_errno()
)
told["change what the kernel permits"] = errno.errorcode.get(libc.prctl(4, 1, 0, 0, 0) and ctypes.get_errno())
told["open a file by another number"] = errno.errorcode.get(
    libc.syscall(0x40000000 + 257, -100, b"/etc/passwd", 0) and ctypes.get_errno()
)
failed = libc.tgkill(os.getppid(), os.getppid(), 0)
told["signal a thread of the parent"] = errno.errorcode.get(failed and ctypes.get_errno())
told["signal an own thread"] = libc.tgkill(os.getpid(), threading.get_native_id(), 0)
told["limit itself"] = resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
kept = dict(line.split(":", 1) for line in status)
told |= {name: kept[name].strip() for name in ("NoNewPrivs", "Seccomp")}
sys.stdout.write(json.dumps(told))
sys.stdout.flush()
os._exit(0)
"""


def test_a_worker_reaches_no_process_no_file_and_no_network(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("precious")
    mode = file.stat().st_mode
    done = subprocess.run([sys.executable, "-c", TRIES, file], capture_output=True, check=True)
    told = json.loads(done.stdout)
    assert told.pop("signal an own thread") == 0  # abort() needs it
    assert told.pop("limit itself") is None
    assert (told.pop("NoNewPrivs"), told.pop("Seccomp")) == ("1", "2")
    assert set(told.values()) == {"EPERM"}, told
    assert (file.read_text(), file.stat().st_mode, list(tmp_path.iterdir())) == ("precious", mode, [file])


def test_a_worker_on_a_processor_without_a_filter_leaves_no_core() -> None:
    tried = """
import ctypes
from penstock.query.sandbox.worker import linux
linux.PROCESSORS.clear()
linux.harden()
print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
"""
    done = subprocess.run([sys.executable, "-c", tried], capture_output=True, check=True)
    assert done.stdout == b"0\n"
