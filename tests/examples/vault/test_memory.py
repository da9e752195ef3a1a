"""Memory of the real server's process: names are in it, texts are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil
import pytest
from tests.kit.examples.vault_client import Talk

from vault_server.memory import give_back, keep_little

if TYPE_CHECKING:
    from pathlib import Path

NOTES, LENGTH = 12_000, 8_000
MOST_MEGABYTES = 70  # above a server that has read nothing; the texts are 96


def resident(folder: Path) -> float:
    """The megabytes that the server of a folder has."""
    (server,) = [one for one in psutil.Process().children(recursive=True) if str(folder) in " ".join(one.cmdline())]
    return float(server.memory_info().rss) / 1_000_000


@pytest.mark.compat
def test_the_texts_of_a_large_vault_are_not_in_memory(tmp_path: Path) -> None:
    folder, empty = tmp_path / "vault", tmp_path / "empty"
    empty.mkdir()
    for number in range(NOTES):
        note = folder / f"{number % 100}" / f"Größe {number}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        words = f"word{number} and [[Größe {number // 2}]] "
        note.write_text(f"---\nstatus: open\nnumber: {number}\n---\n" + words * (LENGTH // len(words)))
    with Talk([str(empty), "--data", str(tmp_path / "a")], cwd=tmp_path) as talk:
        talk.told("discover", category="tags")
        alone = resident(empty)
    with Talk([str(folder), "--data", str(tmp_path / "b")], cwd=tmp_path) as talk:
        while talk.call("discover", category="tags").is_error:
            continue  # each call waits for some seconds itself
        indexed = resident(folder)
        assert talk.told("search_vault_simple", query="word11999")["pagination"]["total"] == 1
        for query in (
            "TABLE length(rows) GROUP BY status",
            "LIST WHERE length(file.inlinks) > 1",
            "LIST FROM [[Größe 7]]",
        ):
            talk.told("search_vault", queryType="dataview", query=query, limit=1)
        talk.held("list_vault_files", limit=100_000)
        asked = resident(folder)
    print(f"alone {alone:.0f} MB, indexed {indexed:.0f} MB, asked {asked:.0f} MB")
    assert max(indexed, asked) < alone + MOST_MEGABYTES


def test_giving_memory_back_is_no_error_on_any_system(monkeypatch: pytest.MonkeyPatch) -> None:
    give_back()
    keep_little()
    monkeypatch.setattr("sys.platform", "win32")
    give_back()
    keep_little()
