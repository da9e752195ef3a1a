"""Run by ``test_sqlite_kill``: for each line on standard input, a process that puts results until it is killed.

The processes are forked from this one, so that a hundred of them need not import everything a hundred times. Each
announces a handle before its put, and acknowledges it after: ``begin HANDLE SIZE``, ``done HANDLE SIZE``.
"""

from __future__ import annotations

import os
import random
import sys
import time

from penstock.stores import Metadata, NewRecord, new_handle, open_store


def content(handle: str, size: int) -> bytes:
    """Bytes that can be told from the handle alone; half of them pack well, half do not."""
    return random.Random(handle).randbytes(size // 2) + (handle.encode() * size)[: size - size // 2]


def made() -> NewRecord:
    handle, size = new_handle(), random.randrange(10, 800_000)
    meta = Metadata(created=time.time(), expires=None, size=size)
    return NewRecord(handle=handle, owner="me", raw=content(handle, size), index=b"index", meta=meta)


def put_for_ever(url: str) -> None:
    store = open_store(url)
    while True:
        for new in [made() for _ in range(12)]:  # made beforehand, so that nearly all the time is spent in puts
            os.write(1, f"begin {new.handle} {len(new.raw)}\n".encode())
            store.put(new)
            os.write(1, f"done {new.handle} {len(new.raw)}\n".encode())


def main() -> None:
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            put_for_ever(sys.argv[1])
        os.write(1, f"pid {child}\n".encode())
        _, status = os.waitpid(child, 0)
        os.write(1, f"dead {os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    main()
