"""While a large vault is being read: lists answer at once, and a search tells how far it is."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from fastmcp import Client

from vault_server import vault as module
from vault_server.app import build
from vault_server.index import Index
from vault_server.settings import SHIPPED, load_settings
from vault_server.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import pytest

    from vault_server.catalog import File


def twenty_notes(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number}.md").write_text(f"word{number} #tag")
    return folder


def test_a_list_does_not_wait_for_notes_to_be_read_and_a_search_shows_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = twenty_notes(tmp_path)
    monkeypatch.setattr(module, "LOOK_EACH_TIME", 10)
    go_on = threading.Event()
    put = Index.put

    def slow(self: Index, place: Path, seen: Iterable[File], progress: Callable[[int], None]) -> list[File]:
        files = [*seen]
        progress(7)
        assert go_on.wait(60)
        return put(self, place, files, progress)

    monkeypatch.setattr(Index, "put", slow)
    vault = Vault(folder, tmp_path / "index.sqlite")
    vault.start()
    heard: list[Any] = []

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))
        go_on.set()

    async def ask() -> list[Any]:
        async with Client(build(vault, load_settings(SHIPPED))) as client:
            listed = await client.call_tool("list_vault_files", {"limit": 3})
            folders = await client.call_tool("discover", {"category": "folders"})
            found = await client.call_tool("search_vault_smart", {"query": "word7"}, progress_handler=on_progress)
            return [listed, folders, found]

    listed, folders, found = asyncio.run(ask())
    assert '"total":20' in listed.content[0].text
    assert '"stillToRead":13' in folders.content[0].text
    assert '"path":"7.md"' in found.content[0].text
    assert next(iter(heard)) == (7, 20, "notes read")
    vault.close()


def test_a_search_that_has_waited_long_enough_says_how_far_the_vault_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vault").mkdir()
    monkeypatch.setattr(module, "PATIENCE", 0.5)
    vault = Vault(tmp_path / "vault", tmp_path / "index.sqlite")  # never started, and so never ready

    async def ask() -> Any:
        async with Client(build(vault, load_settings(SHIPPED))) as client:
            call = {"operation": "search", "params": {"query": "x"}}
            return await client.call_tool("vault", call, raise_on_error=False)

    told = asyncio.run(ask())
    assert told.is_error
    assert "still being read: 0 of 0 files; ask again soon" in told.content[0].text
    vault.close()
