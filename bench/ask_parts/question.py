"""A document and its questions. The truth of each is computed by Python from the same rows, never by Penstock."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isclose
from typing import Any

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """``draft`` is the query that a model writes first, in ``language``, and ``slip`` is what is wrong with it.
    ``truth`` is the answer: one value, or a list of them. ``also`` is another way to write it."""

    draft: str
    truth: Any
    slip: str = "none"
    language: str = "sql"
    also: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A result of a tool: its text, and the questions about it."""

    name: str
    text: str
    questions: list[Question] = field(default_factory=list)

    def ask(self, draft: str, truth: Any, slip: str = "none", language: str = "sql", also: Any = None) -> None:
        self.questions.append(Question(draft=draft, truth=truth, slip=slip, language=language, also=also))


def values_of(rows: Any) -> list[Any]:
    """Return the values of an answer, row by row."""
    rows = rows if isinstance(rows, list) else [rows]
    return [value for row in rows for value in (row.values() if isinstance(row, dict) else [row])]


def is_right(question: Question, rows: Any) -> bool:
    """Return True if an answer is the truth. The order of several values does not matter."""
    truth = question.truth if isinstance(question.truth, list) else [question.truth]
    found = values_of(rows)
    if question.also is not None and found == [question.also]:
        return True
    return len(found) == len(truth) and all(map(_same, sorted(found, key=repr), sorted(truth, key=repr)))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other)
