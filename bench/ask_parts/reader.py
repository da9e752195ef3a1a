"""A reader that asks once, and if the answer has a note, follows its expression word for word and asks once more."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from bench.ask_parts.question import Question, is_right

Outcome = Literal["right", "mended", "noted", "error", "silent"]
Ask = Callable[[str, str], tuple[Any, list[str]]]  # a language and a query; gives the rows and the notes

_MATCHES = re.compile(r"has (?P<old>.+?); (?P<new>.+) matches [\d,]+ rows?$")
_OTHER = re.compile(r": (?P<old>.+?) matches [\d,]+ rows?, (?P<new>.+) matches [\d,]+$")
_CONDITION = re.compile(r"(?P<name>.+?) (?P<operator>=|<=|>=|<|>|LIKE) (?P<value>.+)")
_NUMBER = re.compile(r"\bnumber\((?P<name>\"[^\"]+\"|\w+)\) (?:reads|sorts|makes)")
_NULL = re.compile(r"never true: (?P<name>.+) IS NULL$")
_CAST = re.compile(r"CAST\((?P<old>.+) AS INTEGER\)$")
_MOMENT = re.compile(r"and '(?P<text>.+)' is a text: (?P<new>.+)$")
_JQ = re.compile(r"^\.(?P<name>\w+) is nowhere (?P<value>\"[^\"]*\"|[-\d.]+);.*?: ?(?P<call>\.\w+ \|.+)$")
_JQ_SAME = re.compile(r"^\.(?P<name>\w+) is nowhere (?P<value>\"[^\"]*\"|[-\d.]+); (?P<new>\.\w+ == .+) matches$")


class QueryError(Exception):
    """The query was refused. The reader sees that, so nothing is silently wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What became of a question: its outcome, the rows and the notes of its first answer."""

    outcome: Outcome
    rows: Any = None
    notes: tuple[str, ...] = ()


def read(question: Question, ask: Ask) -> Reading:
    """Ask a question as it was drafted, and mend it by its notes if they say how."""
    try:
        rows, notes = ask(question.language, question.draft)
    except QueryError as error:
        return Reading(outcome="error", rows=str(error))
    about = {"rows": rows, "notes": tuple(notes)}
    if is_right(question, rows):
        return Reading(outcome="right", **about)
    if not notes:
        return Reading(outcome="silent", **about)
    try:
        again, _ = ask(question.language, mended(question, notes))
    except QueryError:
        return Reading(outcome="noted", **about)
    return Reading(outcome="mended" if is_right(question, again) else "noted", **about)


def mended(question: Question, notes: list[str]) -> str:
    """Return the query with the expressions of its notes."""
    draft = question.draft
    for note in notes:
        if question.language == "jq":
            draft = _mended_jq(draft, note)
            continue
        if found := _MATCHES.search(note) or _OTHER.search(note):
            draft = _replaced(draft, found["old"], found["new"])
        elif found := _NULL.search(note):
            draft = re.sub(rf"{re.escape(found['name'].strip(chr(34)))}\s*=\s*NULL", f"{found['name']} IS NULL", draft)
        elif found := _CAST.search(note):
            draft = _replaced(draft, found["old"], found[0])
        elif found := _MOMENT.search(note):
            name = note.partition(" holds")[0]
            operator = re.search(rf"{re.escape(name)}\s*(<=|>=|<|>|=)\s*'{re.escape(found['text'])}'", draft)
            draft = draft.replace(operator[0], found["new"]) if operator else draft
        elif found := _NUMBER.search(note):
            name = found["name"]
            draft = re.sub(rf"(?<!number\()(?<![\w.\"']){re.escape(name)}(?![\w(])", f"number({name})", draft)
    return draft


def _mended_jq(draft: str, note: str) -> str:
    if found := _JQ_SAME.search(note) or _JQ.search(note):
        old = re.compile(rf"[\w.]*\.{found['name']}\s*==\s*{re.escape(found['value'])}")
        return old.sub(lambda _: f"({found[3]})", draft)
    return draft


def _replaced(draft: str, old: str, new: str) -> str:
    """Replace a condition, whatever blanks and quotes it has; negated if the draft asks for the opposite."""
    parts = _CONDITION.fullmatch(old)
    if parts is None:
        return draft.replace(old, new)
    value = re.escape(parts["value"].strip("'"))
    listed = rf"IN \(['\"]?{value}['\"]?\)"
    operator = rf"(?P<is>{re.escape(parts['operator'])}|<>|!=)\s*['\"]?{value}['\"]?|{listed}"
    name = re.escape(parts["name"].replace('"', ""))
    pattern = re.compile(rf'(?<![\w])(?:\w+\.)*"?{name}"?\s*(?:{operator})', re.IGNORECASE)
    return pattern.sub(lambda match: f"NOT ({new})" if match["is"] in ("<>", "!=") else f"({new})", draft)


def rows_of(lines: bytes) -> Any:
    """Return the rows of an answer."""
    return [json.loads(line) for line in lines.splitlines()]
