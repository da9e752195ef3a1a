"""Take secrets out of the process title, which every user of the machine can read (``ps``)."""

from __future__ import annotations

import os
import sys

URLS = ("--url", "--store")
HEADER = "--header"


def hide_secrets(words: list[str]) -> None:
    """Overwrite the secrets of these words in the title of this process.

    This works on Linux only. On other systems a process cannot change its title without help from another package.
    """
    secret = {os.fsencode(word): hidden for word, hidden in zip(words, without_secrets(words), strict=True)}
    if sys.platform != "linux" or all(word == hidden for word, hidden in secret.items()):
        return
    import ctypes  # noqa: PLC0415  (most command lines have no secret)

    try:
        with open("/proc/self/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        start, end = int(fields[45]), int(fields[46])  # arg_start and arg_end, fields 48 and 49 of proc(5)
    except (OSError, ValueError, IndexError):
        return  # This kernel does not show the fields.
    if not 0 < start < end:
        return
    title = ctypes.string_at(start, end - start)
    hidden = b"\0".join(secret.get(word, word) for word in title.split(b"\0"))
    ctypes.memmove(start, hidden, len(hidden))


def without_secrets(words: list[str]) -> list[bytes]:
    """Return the words with asterisks for the values of headers and for the logins and queries of URLs.

    No word changes its length, because the title has room for exactly these bytes.
    """
    hidden = []
    option = ""
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name in (HEADER, *URLS):
            hidden.append(os.fsencode(name + equals) + _hidden(name, os.fsencode(value)))
        else:
            hidden.append(_hidden(option, os.fsencode(word)))
        option = word
    return hidden


def _hidden(option: str, value: bytes) -> bytes:
    if option == HEADER:
        name, colon, secret = value.partition(b":")
        return name + colon + b"*" * len(secret) if colon else b"*" * len(value)
    if option not in URLS:
        return value
    address, mark, query = value.partition(b"?")
    scheme, slashes, rest = address.partition(b"://")
    host, slash, path = rest.partition(b"/")
    login, at, host = host.rpartition(b"@")
    user, colon, password = login.partition(b":") if b":" in login else (b"", b"", login)  # A token.
    login = user + colon + b"*" * len(password)
    return b"".join((scheme, slashes, login, at, host, slash, path, mark, b"*" * len(query)))
