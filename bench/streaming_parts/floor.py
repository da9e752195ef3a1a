"""The least that a gateway in Python does with a large result: read it, unescape it, write it to a file.

It indexes, packs, measures and commits nothing, answers with nothing, and takes any line for one with one long text. A
process of its own, as the gateway is: ``python floor.py COMMAND...``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading

import msgspec

PIECE = 65_536  # bytes that are unescaped at a time
LARGE = 1_000_000  # bytes of a line that is not passed on
WIDE = 1_048_576
F_SETPIPE_SZ = 1_031

TEXT = msgspec.json.Decoder(str)


def relay(server: int, client: int) -> None:
    rest = b""
    while chunk := os.read(server, WIDE):
        rest = pass_on(rest + chunk, client)
        if len(rest) > LARGE:
            head, text = rest.split(b'"text":"', 1)
            rest = swallow(server, text)
            os.write(client, head + b'"text":""}]}}\n')
            rest = pass_on(rest, client)


def pass_on(lines: bytes, client: int) -> bytes:
    """Write whole lines to the client. Returns what is left."""
    while b"\n" in lines:
        line, lines = lines.split(b"\n", 1)
        os.write(client, line + b"\n")
    return lines


def swallow(server: int, text: bytes) -> bytes:
    """Unescape a text into a file, up to the end of its line. Returns what stands behind that."""
    with tempfile.TemporaryFile() as file:
        while True:
            end = text.find(b"\n")
            at, stop = 0, text.rfind(b'"}],"isError"', 0, end) if end >= 0 else len(text)
            while stop - at > (0 if end >= 0 else 2 * PIECE):
                piece = text[at : min(at + PIECE, stop)]
                if len(piece) == PIECE:
                    piece = piece[: whole(piece)]
                file.write(TEXT.decode(b'"%b"' % piece).encode())
                at += len(piece)
            if end >= 0:
                return text[end + 1 :]
            text = text[at:] + os.read(server, WIDE)


def whole(piece: bytes) -> int:
    """Return how much of a piece ends behind a character that is no escape: these are a few bytes at most."""
    cut = len(piece)
    while b"\\" in piece[cut - 12 : cut] or piece[cut - 1] >= 0x80:
        cut -= 1
    return cut


def main() -> None:
    process = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        import fcntl

        fcntl.fcntl(process.stdout.fileno(), F_SETPIPE_SZ, WIDE)
    except (ImportError, OSError):
        pass
    threading.Thread(target=relay, args=(process.stdout.fileno(), 1), daemon=True).start()
    while line := sys.stdin.buffer.readline():
        process.stdin.write(line)
    process.stdin.close()
    process.wait()


if __name__ == "__main__":
    main()
