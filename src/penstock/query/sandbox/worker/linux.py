"""Limits a worker through the Linux kernel: a mistake in jq, SQLite or a parser that lets data run as code then has no
way to another process, to a file or to the network.

``prctl``  no new privileges; not traceable by other processes of the same user, and no core
``seccomp``  a filter that refuses system calls which a worker never needs: to start, signal, trace or read processes,
             to open files and sockets. It holds for root too, unlike a limit on processes

Elsewhere, and on processors whose system calls are not listed here, the limits in ``confine`` are all there is.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from typing import Final

PR_SET_DUMPABLE: Final = 4
PR_SET_SECCOMP: Final = 22
PR_SET_NO_NEW_PRIVS: Final = 38
FILTER: Final = 2  # the mode of seccomp with a program
# Of the classic BPF machine: load a word of the call, jump if it equals or is no less, return.
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # where these stand in what the kernel shows to the program
OTHER_NUMBERS: Final = 0x40000000  # from here on x86-64 has every call a second time (x32)
ALLOW: Final = 0x7FFF0000
REFUSE: Final = 0x00050000 | errno.EPERM

# For each processor: its name to the kernel (AUDIT_ARCH), the number of ``tgkill``, and those of the refused calls.
_X86_64: Final = {
    "clone": 56,
    "clone3": 435,
    "fork": 57,
    "vfork": 58,
    "execve": 59,
    "execveat": 322,
    "ptrace": 101,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kill": 62,
    "tkill": 200,
    "rt_sigqueueinfo": 129,
    "rt_tgsigqueueinfo": 297,
    "pidfd_open": 434,
    "pidfd_send_signal": 424,
    "pidfd_getfd": 438,
    "socket": 41,
    "socketpair": 53,
    "connect": 42,
    "bind": 49,
    "open": 2,
    "creat": 85,
    "openat": 257,
    "openat2": 437,
    "unlink": 87,
    "unlinkat": 263,
    "rename": 82,
    "renameat": 264,
    "renameat2": 316,
    "chmod": 90,
    "fchmodat": 268,
    "mount": 165,
    "unshare": 272,
    "setns": 308,
    "bpf": 321,
    "perf_event_open": 298,
    "keyctl": 250,
    "userfaultfd": 323,
    "io_uring_setup": 425,
}
_ARM64: Final = {
    "clone": 220,
    "clone3": 435,
    "execve": 221,
    "execveat": 281,
    "ptrace": 117,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kill": 129,
    "tkill": 130,
    "rt_sigqueueinfo": 138,
    "rt_tgsigqueueinfo": 240,
    "pidfd_open": 434,
    "pidfd_send_signal": 424,
    "pidfd_getfd": 438,
    "socket": 198,
    "socketpair": 199,
    "connect": 203,
    "bind": 200,
    "openat": 56,
    "openat2": 437,
    "unlinkat": 35,
    "renameat": 38,
    "renameat2": 276,
    "fchmodat": 53,
    "mount": 40,
    "unshare": 97,
    "setns": 268,
    "bpf": 280,
    "perf_event_open": 241,
    "keyctl": 219,
    "userfaultfd": 282,
    "io_uring_setup": 425,
}
CALLS: Final = {"x86_64": (0xC000003E, 234, _X86_64), "aarch64": (0xC00000B7, 131, _ARM64)}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def harden() -> None:
    """Give up what the kernel lets a process give up, for good. A kernel that refuses one of these keeps the others."""
    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if platform.machine() in CALLS:
        steps = program(platform.machine(), os.getpid())
        buffer = ctypes.create_string_buffer(b"".join(steps))
        checks = _Program(len(steps), ctypes.addressof(buffer))
        prctl(PR_SET_SECCOMP, FILTER, ctypes.addressof(checks), 0, 0)


def program(machine: str, own: int) -> list[bytes]:
    """Assemble the filter: it refuses the calls that are listed, and signals to threads of any process but ``own``,
    since ``abort`` sends those."""
    architecture, tgkill, refused = CALLS[machine]
    steps = [
        _step(LOAD, ARCHITECTURE),
        _step(EQUAL, architecture, 1, 0),
        _step(RETURN, REFUSE),  # the calls of another processor have other numbers
        _step(LOAD, NUMBER),
        _step(AT_LEAST, OTHER_NUMBERS, 0, 1),
        _step(RETURN, REFUSE),
    ]
    for number in refused.values():
        steps += [_step(EQUAL, number, 0, 1), _step(RETURN, REFUSE)]
    return [
        *steps,
        _step(EQUAL, tgkill, 0, 3),
        _step(LOAD, FIRST_ARGUMENT),
        _step(EQUAL, own, 1, 0),
        _step(RETURN, REFUSE),
        _step(RETURN, ALLOW),
    ]


def _step(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_so, if_not, value)
