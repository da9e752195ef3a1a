"""``penstock replay FILE``: act as the server of a recording, on standard input and output."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from penstock.gateway.recording import read_recording
from penstock.gateway.replaying import Replay

if TYPE_CHECKING:
    import argparse

HELP: Final = (
    "Act as the server that was recorded with penstock run --record FILE, on standard input and output, so that a bug "
    "can be reproduced without the server. Each request gets the response that the server gave to the same request."
)
USAGE: Final = "penstock replay FILE"
EXAMPLE: Final = """\
  penstock run --record bug.jsonl npx -y some-server     make a recording: use the server, then end it
  penstock doctor penstock replay bug.jsonl              look at the recorded server
  penstock run penstock replay bug.jsonl                 put the gateway in front of it"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the recording")


def run(args: argparse.Namespace) -> int:
    lines, left_out = read_recording(args.file)
    replay = Replay(lines)
    if left_out:
        sys.stderr.write(f"penstock: secrets left out of this recording: {left_out:,}\n")
    for line in sys.stdin.buffer:
        for answer in replay.answer(line):
            sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    return 0
