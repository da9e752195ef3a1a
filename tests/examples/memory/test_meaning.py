"""Retrieval by meaning: with the real model where it can be had, and a plain word where it is not installed."""

from __future__ import annotations

import os
import sqlite3
import sys
from typing import TYPE_CHECKING

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from scripts.real_parts import install_model
from tests.kit.examples import client as talk
from tests.kit.examples.memory_client import FOLDER

from memory_server.app import main
from memory_server.database import Database
from memory_server.library import Draft, Library
from server_parts.meaning import MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHUNKS = (
    ("Dentist", "The dentist appointment is on Tuesday, bring the insurance card."),
    ("Engine", "The car engine makes a strange noise when it is cold."),
    ("Soup", "Soup with carrots and potatoes, cook for twenty minutes."),
    ("Budget", "Meeting about the budget and the open invoices."),
)
RANKING = f"ranking: BM25 and meaning ({MODEL})"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[talk.Talk]:
    folder = tmp_path_factory.mktemp("meaning")
    (folder / "texts").mkdir()
    (folder / "texts" / "trip.md").write_text("# Log\n\nThe vessel left the harbour before dawn.\n")
    command = [str(FOLDER / "server.py"), str(folder / "texts"), "--data", str(folder / "data"), "--semantic"]
    environment = {**os.environ, "PYTHONPATH": str(install_model()), "HF_HUB_OFFLINE": "1"}
    transport = StdioTransport(sys.executable, command, cwd=str(folder), env=environment, keep_alive=False)
    with talk.Talk(Client(transport)) as conversation:
        chunks = [{"title": title, "content": text} for title, text in CHUNKS]
        conversation.told("store_chunks", session_id="me", chunks=chunks)
        yield conversation


@pytest.mark.compat
@pytest.mark.parametrize(
    ("task", "title"),
    [
        ("tooth doctor visit", "Dentist"),
        ("automobile motor sound", "Engine"),
        ("vegetable broth recipe", "Soup"),
        ("financial expenses", "Budget"),
        ("boat departing port", "Log"),
    ],
)
def test_a_chunk_is_found_by_what_it_means_without_one_of_its_words(server: talk.Talk, task: str, title: str) -> None:
    text = server.call("context_aware_retrieve", session_id="me", current_task=task).texts[0]
    assert RANKING in text
    first = next(line for line in text.splitlines() if line.startswith("### "))
    assert f" · {title} · likeness 0." in first


@pytest.mark.compat
def test_words_and_meaning_are_one_order_and_what_is_forgotten_is_gone(server: talk.Talk) -> None:
    stored = server.told(
        "store_chunks", session_id="me", chunks=[{"title": "Pier", "content": "Boats tie up at the pier."}]
    )
    asked = {"session_id": "me", "current_task": "pier for a ship", "auto_expand": False}
    text = server.call("context_aware_retrieve", **asked).texts[0]
    assert "· Pier · relevance 1.00, likeness 0." in text
    assert "· Log · likeness 0." in text
    server.told("forget", session_id="me", chunk_ids=stored["chunk_ids"])
    assert "Pier" not in server.call("context_aware_retrieve", **asked).texts[0]
    other = {"session_id": "another", "current_task": "tooth doctor visit"}
    assert "Dentist" not in server.call("context_aware_retrieve", **other).texts[0]


def test_without_the_option_the_header_says_that_words_are_ranked(talk: talk.Talk) -> None:
    text = talk.call("context_aware_retrieve", session_id="s", current_task="authentication").texts[0]
    assert "task type: general, ranking: BM25, memory revision" in text


def test_an_option_whose_package_is_missing_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    assert main([str(tmp_path), "--data", str(tmp_path), "--semantic"]) == 2
    assert "the package wordllama is not installed; in the repository run: pip install --group semantic" in (
        capsys.readouterr().err
    )


def test_a_memory_without_vectors_gets_room_for_them_and_keeps_its_chunks(tmp_path: Path) -> None:
    file = tmp_path / "memory.sqlite"
    database = Database(file)
    Library(database).store("me", [Draft(text="Tokens expire.")])
    database.close()
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TRIGGER remove_vector")
        connection.execute("DROP TABLE vectors")
        connection.execute("PRAGMA user_version = 3")
    connection.close()
    database = Database(file)
    with database.write() as writer:
        number = writer.execute("SELECT id FROM chunks").fetchone()[0]
        writer.execute("INSERT INTO vectors VALUES (?, 'm', x'00')", (number,))
    assert Library(database).forget("me", [number]) == ([number], 0)
    with database.read() as reader:
        assert reader.execute("SELECT count(*) FROM vectors").fetchone()[0] == 0
    database.close()
