"""A query over the same fields reads them once, and sees what was written since."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from vault_server.dataview import columns, parse
from vault_server.searches import _dataview
from vault_server.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUERIES = (
    "TABLE due, players WHERE rating GROUP BY genre",
    "TABLE genre, due, rating, parent SORT rating",
    'TABLE rating FROM "Games" WHERE genre = "board"',
    "TABLE length(rows), min(rows.due) GROUP BY genre",
)


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    folder = tmp_path / "vault"
    (folder / "Games").mkdir(parents=True)
    (folder / "Games/Chess.md").write_text("---\ngenre: board\nplayers: [Ada]\nrating: 9\ndue: 2026-06-01\n---\n")
    (folder / "Games/Go.md").write_text("---\ngenre: board\nrating: 8\nparent: '[[Chess]]'\n---\n[due:: 2026-07-01]\n")
    (folder / "Games/Plan.png").write_bytes(b"\x89PNG")
    (folder / "Tax.md").write_text("---\nGenre: duty\n---\n")
    vault = Vault(folder, tmp_path / "index.sqlite")
    vault.start()
    yield vault
    vault.close()


def answers(vault: Vault, *, fresh: bool) -> list[Any]:
    if not fresh:
        return [_dataview(vault, query, 50)[0] for query in QUERIES]
    reads = [parse(query, datetime.now(tz=UTC)) for query in QUERIES]
    return [[read.item_of(row) for row in read.run(vault.pages())] for read in reads]


def test_queries_over_kept_columns_say_what_others_do(vault: Vault) -> None:
    alone = answers(vault, fresh=True)
    assert vault.columns.of(vault.catalog()) == {}
    assert answers(vault, fresh=False) == alone
    assert vault.columns.of(vault.catalog()).keys() == {"due", "rating", "genre"}  # no lists, no links
    assert answers(vault, fresh=False) == alone


def test_a_note_that_was_written_since_is_seen(vault: Vault) -> None:
    answers(vault, fresh=False)
    (vault.root.folder / "Tax.md").write_text("---\ngenre: duty\nrating: 1\n---\n")
    assert _dataview(vault, "TABLE rating WHERE rating = 1", 50)[0] == [{"filename": "Tax.md", "result": {"rating": 1}}]


def test_the_last_columns_are_kept_and_long_texts_are_not(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_COLUMNS", 1)
    for query in ("TABLE due", "TABLE rating"):
        _dataview(vault, query, 50)
    assert [*vault.columns.of(vault.catalog())] == ["rating"]
    monkeypatch.setattr(columns, "MOST_CHARACTERS", 3)
    _dataview(vault, "TABLE genre", 50)
    assert [*vault.columns.of(vault.catalog())] == ["rating"]


def test_a_query_that_looks_at_some_notes_leaves_no_column(vault: Vault) -> None:
    _dataview(vault, 'TABLE genre FROM "Games" LIMIT 1', 50)
    assert vault.columns.of(vault.catalog()) == {}
