"""Confine a worker through the Linux kernel, so that a bug in jq, SQLite or a parser cannot reach beyond the worker.

``prctl``    The process gains no privileges, other processes of the same user cannot trace it, and it leaves no core.
``seccomp``  A filter allows the system calls that a confined worker needs and refuses all others. The worker can
             compute, use its memory, its clock and its open pipes, and limit itself. It cannot open, change or link
             files, open sockets, or start, signal, trace or limit other processes. The filter also binds root.

On other systems, and on processors whose system calls are not listed here, only the limits of ``confine`` apply.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from typing import Final, NamedTuple

PR_SET_DUMPABLE: Final = 4
PR_SET_SECCOMP: Final = 22
PR_SET_NO_NEW_PRIVS: Final = 38
SECCOMP_MODE_FILTER: Final = 2
# Instructions of the classic BPF machine: load a word of the call, jump if it is equal, return.
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
# Offsets in the structure that the kernel passes to the filter.
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
ALLOW: Final = 0x7FFF0000
REFUSE: Final = 0x00050000 | errno.EPERM


class Processor(NamedTuple):
    """The name that the kernel has for a processor, and the numbers of its system calls."""

    architecture: int
    tgkill: int
    prlimit: int
    allowed: dict[str, int]


_X86_64: Final = {
    "read": 0,
    "readv": 19,
    "pread64": 17,
    "write": 1,
    "writev": 20,
    "close": 3,
    "lseek": 8,
    "fstat": 5,
    "newfstatat": 262,  # fstat of the C library
    "poll": 7,
    "ppoll": 271,
    "select": 23,
    "pselect6": 270,
    "mmap": 9,
    "mprotect": 10,
    "munmap": 11,
    "mremap": 25,
    "madvise": 28,
    "brk": 12,
    "futex": 202,
    "rseq": 334,
    "set_robust_list": 273,
    "membarrier": 324,
    "sched_yield": 24,
    "sched_getaffinity": 204,
    "rt_sigaction": 13,
    "rt_sigprocmask": 14,
    "rt_sigreturn": 15,
    "sigaltstack": 131,
    "restart_syscall": 219,
    "setitimer": 38,
    "getitimer": 36,
    "nanosleep": 35,
    "clock_nanosleep": 230,
    "clock_gettime": 228,
    "clock_getres": 229,
    "gettimeofday": 96,
    "getrusage": 98,
    "times": 100,
    "sysinfo": 99,
    "getrandom": 318,
    "getpid": 39,
    "getppid": 110,
    "gettid": 186,
    "getuid": 102,
    "geteuid": 107,
    "getgid": 104,
    "getegid": 108,
    "exit": 60,
    "exit_group": 231,
}
_ARM64: Final = {
    "read": 63,
    "readv": 65,
    "pread64": 67,
    "write": 64,
    "writev": 66,
    "close": 57,
    "lseek": 62,
    "fstat": 80,
    "newfstatat": 79,  # fstat of the C library
    "ppoll": 73,
    "pselect6": 72,
    "mmap": 222,
    "mprotect": 226,
    "munmap": 215,
    "mremap": 216,
    "madvise": 233,
    "brk": 214,
    "futex": 98,
    "rseq": 293,
    "set_robust_list": 99,
    "membarrier": 283,
    "sched_yield": 124,
    "sched_getaffinity": 123,
    "rt_sigaction": 134,
    "rt_sigprocmask": 135,
    "rt_sigreturn": 139,
    "sigaltstack": 132,
    "restart_syscall": 128,
    "setitimer": 103,
    "getitimer": 102,
    "nanosleep": 101,
    "clock_nanosleep": 115,
    "clock_gettime": 113,
    "clock_getres": 114,
    "gettimeofday": 169,
    "getrusage": 165,
    "times": 153,
    "sysinfo": 179,
    "getrandom": 278,
    "getpid": 172,
    "getppid": 173,
    "gettid": 178,
    "getuid": 174,
    "geteuid": 175,
    "getgid": 176,
    "getegid": 177,
    "exit": 93,
    "exit_group": 94,
}
PROCESSORS: Final = {
    "x86_64": Processor(architecture=0xC000003E, tgkill=234, prlimit=302, allowed=_X86_64),
    "aarch64": Processor(architecture=0xC00000B7, tgkill=131, prlimit=261, allowed=_ARM64),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def harden() -> None:
    """Give up rights for good. If the kernel refuses one of these steps, the others still take effect."""
    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    processor = PROCESSORS.get(platform.machine())
    if processor is not None:
        steps = program(processor, os.getpid())
        buffer = ctypes.create_string_buffer(b"".join(steps))
        checks = _Program(len(steps), ctypes.addressof(buffer))
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(checks), 0, 0)


def program(processor: Processor, own: int) -> list[bytes]:
    """Return the filter. ``own`` is the id of this process.

    Two calls depend on the process that they name. ``abort`` signals a thread of this process, and a worker sets its
    own limits, for which the C library passes 0.
    """
    steps = [
        _step(LOAD, ARCHITECTURE),
        _step(JUMP_IF_EQUAL, processor.architecture, 1, 0),
        _step(RETURN, REFUSE),  # Another architecture has other numbers.
        _step(LOAD, NUMBER),
    ]
    for number in processor.allowed.values():
        steps += [_step(JUMP_IF_EQUAL, number, 0, 1), _step(RETURN, ALLOW)]
    for number, process in ((processor.tgkill, own), (processor.prlimit, 0)):
        steps += [
            _step(JUMP_IF_EQUAL, number, 0, 4),
            _step(LOAD, FIRST_ARGUMENT),
            _step(JUMP_IF_EQUAL, process, 0, 1),
            _step(RETURN, ALLOW),
            _step(RETURN, REFUSE),
        ]
    return [*steps, _step(RETURN, REFUSE)]


def _step(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_so, if_not, value)
