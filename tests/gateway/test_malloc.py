"""What a large result took goes back to the system."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from penstock.gateway.malloc import give_back_what_is_freed, reuse_what_is_freed, trim

FREEING = """
from penstock.gateway.malloc import give_back_what_is_freed

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

assert give_back_what_is_freed()
before = resident()
blocks = [b"x" * 300_000 for _ in range(200)]
after = resident()
kept = blocks[::50]  # some stay, as the last of a heap would hold all before it
blocks.clear()
print(after - before, resident() - before)
"""

BETWEEN = """
from penstock.gateway.malloc import give_back_what_is_freed, trim

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

give_back_what_is_freed()
before = resident()
blocks = [b"x" * 20_000 for _ in range(2_000)]
kept = blocks[::20]
blocks.clear()
left = resident() - before
assert trim()
print(left, resident() - before)
"""

BUSY = """
import resource
from penstock.gateway.busy import Busy

def faults(count):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for at in range(count):
        bytes([at]) * 1_000_000
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

from penstock.gateway.malloc import give_back_what_is_freed
give_back_what_is_freed()
idle = faults(200)
with Busy():
    busy = faults(200)
print(idle, busy, faults(200))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts the pages that are mapped anew")
def test_parts_of_a_megabyte_are_used_again_while_a_long_line_arrives() -> None:
    done = subprocess.run([sys.executable, "-c", BUSY], capture_output=True, text=True, check=True)
    idle, busy, after = map(int, done.stdout.split())
    assert busy * 5 < idle
    assert busy * 5 < after


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_lies_free_between_blocks_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", BETWEEN], capture_output=True, text=True, check=True)
    left, after = map(int, done.stdout.split())
    assert left > 30_000_000
    assert after < 10_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_blocks_that_were_freed_are_no_longer_ours() -> None:
    done = subprocess.run([sys.executable, "-c", FREEING], capture_output=True, text=True, check=True)
    taken, left = map(int, done.stdout.split())
    assert taken > 50_000_000
    assert left < 5_000_000


def test_a_library_that_takes_no_such_wish_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    assert not give_back_what_is_freed()
    assert not reuse_what_is_freed()
    assert not trim()
