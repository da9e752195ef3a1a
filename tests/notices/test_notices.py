"""The first answer about each generated document is the one that its file keeps."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from penstock.query.parse.convert import Converter
from tests.notices.documents import FOLDER, NoticedDocument, documents, first_answer

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


def test_every_kept_notice_has_a_document() -> None:
    assert set(FOLDER.glob("*.txt")) == {document.file for document in DOCUMENTS}
