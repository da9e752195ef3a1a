"""Take a password out of the process title, which every user of the machine can read (``ps``)."""

from __future__ import annotations

import sys
from urllib.parse import urlsplit


def hide_password(url: str) -> None:
    """Overwrite the password of a URL wherever it stands in this process's command line. On Linux only: elsewhere a
    process cannot change its title without help, and the documentation says so."""
    password = urlsplit(url).password if "@" in url else None
    if not password or sys.platform != "linux":
        return
    import ctypes

    try:
        with open("/proc/self/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        start, end = int(fields[45]), int(fields[46])  # arg_start and arg_end, fields 48 and 49 of proc(5)
    except (OSError, ValueError, IndexError):
        return  # a kernel that does not tell
    if not 0 < start < end:
        return
    words, secret = ctypes.string_at(start, end - start), password.encode()
    hidden = words.replace(b":" + secret + b"@", b":" + b"*" * len(secret) + b"@")
    if hidden != words:
        ctypes.memmove(start, hidden, len(hidden))
