"""Ranking by meaning: with the real model where it can be had, and a plain word where it is not installed."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from scripts.real_parts import install_model
from tests.kit.examples import client as talk
from tests.kit.examples.vault_client import FOLDER

from server_parts.meaning import MODEL, fused
from vault_server.app import main
from vault_server.index import Index
from vault_server.scan import scan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOTES = {
    "dentist.md": "---\nstatus: open\n---\nThe dentist appointment is on Tuesday, bring the insurance card.",
    "engine.md": "The car engine makes a strange noise when it is cold.",
    "soup.md": "Soup with carrots and potatoes, cook for twenty minutes.",
    "budget.md": "Meeting about the budget and the open invoices.",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[talk.Talk]:
    folder = tmp_path_factory.mktemp("meaning")
    (folder / "vault").mkdir()
    for name, text in NOTES.items():
        (folder / "vault" / name).write_text(text)
    command = [str(FOLDER / "server.py"), str(folder / "vault"), "--data", str(folder / "data"), "--semantic"]
    environment = {**os.environ, "PYTHONPATH": str(install_model()), "HF_HUB_OFFLINE": "1"}
    transport = StdioTransport(sys.executable, command, cwd=str(folder), env=environment, keep_alive=False)
    with talk.Talk(Client(transport)) as conversation:
        yield conversation


@pytest.mark.compat
@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("tooth doctor visit", "dentist.md"),
        ("automobile motor sound", "engine.md"),
        ("vegetable broth recipe", "soup.md"),
        ("financial expenses", "budget.md"),
    ],
)
def test_a_note_is_found_by_what_it_means_without_one_of_its_words(server: talk.Talk, question: str, path: str) -> None:
    told = server.told("search_vault_smart", query=question)
    assert told["ranking"] == f"BM25 and meaning ({MODEL})"
    assert told["results"][0]["path"] == path
    assert told["results"][0]["likeness"] > 0.15
    assert "score" not in told["results"][0]


@pytest.mark.compat
def test_a_note_that_was_written_now_is_found_by_its_meaning(server: talk.Talk) -> None:
    server.told("create_vault_file", filename="ship.md", content="The vessel left the harbour before dawn.")
    told = server.told("search_vault_smart", query="boat departing port")
    assert told["results"][0]["path"] == "ship.md"
    assert told["pagination"]["total"] == len(told["results"])
    told = server.told("search_vault_smart", query="vessel", filter={"limit": 1})
    assert told["results"][0]["path"] == "ship.md"
    assert {"score", "likeness"} <= told["results"][0].keys()


def test_without_the_option_the_answer_says_that_words_are_ranked(talk: talk.Talk) -> None:
    assert talk.told("search_vault_smart", query="drainage")["ranking"] == "BM25"


def test_an_option_whose_package_is_missing_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    (tmp_path / "vault").mkdir()
    assert main([str(tmp_path / "vault"), "--data", str(tmp_path), "--semantic"]) == 2
    assert "the package wordllama is not installed; in the repository run: pip install --group semantic" in (
        capsys.readouterr().err
    )


def test_notes_near_the_top_of_both_orders_come_first() -> None:
    assert fused([1, 2, 3], [4, 2]) == [2, 1, 4, 3]
    assert fused([], []) == []


def test_vectors_go_with_their_notes(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "b.md").write_text("b")
    index = Index(tmp_path / "data" / "index.sqlite")
    files = {file.path: file for file in index.put(tmp_path, scan(tmp_path), lambda _: None)}
    numbers = sorted(file.id for path, file in files.items() if path.endswith(".md"))
    assert index.count_without_vector("m") == 2
    assert [row[0] for row in index.without_vector("m", 5)] == numbers
    index.put_vectors("m", [(number, b"xx") for number in (*numbers, 99)])
    assert [*index.vectors("m")] == [(numbers, b"xxxx")]
    assert index.count_without_vector("another") == 2
    index.forget(["a.md"])
    assert [len(part) for part, _ in index.vectors("m")] == [1]
    index.close()
