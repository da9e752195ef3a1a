"""``penstock purge`` as a user meets it: it deletes what it is told to, says so, and leaves no byte behind."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest

from penstock.cli import BAD_USE, main
from penstock.stores import open_store
from tests.kit.stores.support import record

if TYPE_CHECKING:
    from pathlib import Path

SECRET = random.Random(1).randbytes(6_000)  # packs badly, so that it stands in the file as it is


@pytest.fixture
def place(tmp_path: Path) -> Path:
    file = tmp_path / "held.db"
    with open_store(f"sqlite://{file}") as store:
        now = time.time()
        store.put(record(SECRET, tool="old", created=now - 7_200, expires=now + 600))
        store.put(record(b"new", tool="new", created=now, expires=now + 600))
    return file


def purged(place: Path, *words: str) -> int:
    return main(["purge", "--store", f"sqlite://{place}", *words])


@pytest.mark.parametrize("words", [["--tool", "old"], ["--older-than", "1h"], ["--tool", "old", "--older-than", "90m"]])
def test_it_deletes_what_it_is_told_to_and_says_so(
    words: list[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert SECRET[:50] in place.read_bytes()
    assert purged(place, *words) == 0
    out = capsys.readouterr().out
    assert out.startswith("deleted 1 result (")
    assert f"from {place}; 1 left" in out
    assert not any(SECRET[at : at + 50] in place.read_bytes() for at in range(0, 6_000, 50))


def test_all_goes_only_when_that_is_said(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert purged(place) == BAD_USE
    assert purged(place, "--all", "--tool", "old") == BAD_USE
    assert purged(place, "--older-than", "soon") == BAD_USE
    assert main(["purge", "--all", "--store", "memory:"]) == BAD_USE
    assert "choose what to delete" in capsys.readouterr().err
    assert purged(place, "--all") == 0
    assert "deleted 2 results" in capsys.readouterr().out
