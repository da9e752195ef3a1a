"""The first answer about each generated document is the one that its file keeps."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from penstock import Call, Config, Gate, open_store
from penstock.query.parse.convert import Converter
from tests.kit.answers import line_of
from tests.notices.documents import FOLDER, LIMIT, NoticedDocument, documents, first_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTS = documents()


@pytest.fixture(scope="module")
def convert() -> Iterator[Converter]:
    with closing(Converter()) as converter:
        yield converter


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_first_answer_is_the_kept_one(document: NoticedDocument, convert: Converter) -> None:
    kept = document.file.read_text("utf-8")
    assert first_answer(document, convert) == kept, "if the change is intended: python -m tests.notices"


@pytest.fixture(scope="module")
def gate() -> Iterator[Gate]:
    with open_store("memory:") as store, closing(Gate(store, Config(max_tokens=LIMIT))) as gate:
        yield gate


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_next_call_of_a_notice_runs_as_it_is(document: NoticedDocument, gate: Gate) -> None:
    line = line_of(json.loads(gate.admit(Call(tool=document.name, owner="me"), document.result())))
    answer = json.loads(gate.fetch("me", {"cache_id": line["cache_id"], **line["next"]}))
    assert not answer.get("isError"), (line["next"], answer)


def test_every_kept_notice_has_a_document() -> None:
    assert set(FOLDER.glob("*.txt")) == {document.file for document in DOCUMENTS}
