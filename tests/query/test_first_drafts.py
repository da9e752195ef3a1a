"""Thirty documents are asked as a model would first ask: no wrong answer comes without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.ask import readings

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox


def test_no_first_draft_is_silently_wrong(sandbox: Sandbox) -> None:
    found = readings(sandbox)
    silent = [(one.name, question.draft) for one, question, reading in found if reading.outcome in ("silent", "error")]
    assert silent == []
    assert len(found) >= 100
    assert len({one.name for one, *_ in found}) >= 30
