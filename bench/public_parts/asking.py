"""Hold the answers of the benchmark, and judge each question by the notice, by the offered call and by one SQL call."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bench.answers_parts.judge import OWNER, First, admit, tokens_of
from bench.answers_parts.question import Result, sql
from bench.public_parts.reading import Read, read_first
from bench.public_parts.sql_answers import read_answer
from bench.public_parts.templates import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.public_parts.questions import Asked

    from penstock import Gate

FETCH_TOOL: Final = "fetch_cached_response"
QUERIES: Final = ("sql", "filter")  # actions of an offered call that compute something


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An answer of the benchmark that the gate holds. ``next_read`` is what the answer to the offered query states."""

    first: First
    read: Read
    whole: int  # tokens of the answer itself
    next_read: Read


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A question with its outcome. ``first`` and ``next`` are the lines that settle it; they are empty if none do."""

    question: Asked
    first: str
    next: str
    answer: str
    is_right: bool
    first_tokens: int
    call_tokens: int
    whole_tokens: int


def outcomes(gate: Gate, folder: Path, questions: Sequence[Asked]) -> Iterator[Outcome]:
    """Yield the outcome of each question. Each answer of the benchmark is admitted once."""
    held: dict[str, Held] = {}
    for question in questions:
        if question.answer_file not in held:
            held[question.answer_file] = hold(gate, folder, question)
        yield outcome(gate, held[question.answer_file], question)


def hold(gate: Gate, folder: Path, question: Asked) -> Held:
    """Admit the answer that a question is about, and run the call that its notice offers."""
    text = (folder / question.answer_file).read_text("utf-8")
    first = admit(gate, Result(content=text, questions=()), question.tool, question.arguments)
    if first is None:
        raise ValueError(f"{question.answer_file} passes whole: there is no notice to judge")
    read = read_first(first)
    offered = offered_call(first.notice)
    answers = [] if offered is None else fetched(gate, offered)
    next_read = read_answer(answers, offered, read.total) if offered is not None and answers else Read()
    return Held(first=first, read=read, whole=tokens_of(text), next_read=next_read)


def outcome(gate: Gate, held: Held, question: Asked) -> Outcome:
    """Judge one question."""
    template = TEMPLATES[question.task]
    values = template.values(question.words)
    call = {"cache_id": held.first.notice["cache_id"], **sql(template.query(question.words))}
    blocks = fetched(gate, call)
    answer = answer_of(blocks)
    return Outcome(
        question=question,
        first=template.settled(held.read, values, question.gold),
        next=template.settled(held.next_read, values, question.gold),
        answer=answer,
        is_right=question.accepts(answer),
        first_tokens=held.first.tokens,
        call_tokens=tokens_of(json.dumps(call)) + sum(map(tokens_of, blocks)),
        whole_tokens=held.whole,
    )


def offered_call(notice: dict[str, Any]) -> dict[str, Any] | None:
    """Return the first query that a notice offers, as arguments of the fetch tool. It may be in ``next`` or in
    ``suggestions``, alone or in a list, with its arguments in a member or next to its name."""
    offers: list[dict[str, Any]] = []
    for name in ("next", "suggestions"):
        value = notice.get(name, [])
        offers += [value] if isinstance(value, dict) else value
    for one in offers:
        arguments = one.get("arguments", {key: one[key] for key in ("action", "sql", "jq_filter") if key in one})
        if one.get("tool", FETCH_TOOL) == FETCH_TOOL and arguments.get("action") in QUERIES:
            return {"cache_id": notice["cache_id"], **arguments}
    return None


def fetched(gate: Gate, call: dict[str, Any]) -> list[str]:
    """Return the text blocks of the answer to a call to the fetch tool."""
    result = json.loads(gate.fetch(OWNER, call))
    return [one["text"] for one in result["content"] if one["type"] == "text"]


def answer_of(blocks: Sequence[str]) -> str:
    """Return the cells of the only column of an answer, separated by commas; empty if it is an error or a page."""
    try:
        answer = json.loads(blocks[0])
    except ValueError:
        return ""
    if answer.get("_pagination", {}).get("has_more"):
        return ""
    cells = [value for row in answer.get("result", []) for value in row.values()]
    return ", ".join(cell if isinstance(cell, str) else json.dumps(cell) for cell in cells)
