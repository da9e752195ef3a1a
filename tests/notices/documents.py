"""Make the documents whose notices are kept, and write down what a model reads about each of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import bench.answers  # noqa: F401  (registers the makers of its results)
from bench.answers_parts.question import MAKERS
from bench.shapes import SHAPES

from penstock import Budget, Call, Hold, fit
from tests.kit.facts import made_pairs, made_text
from tests.kit.facts.made_json import JSON_FORMS
from tests.kit.facts.made_pairs import PAIR_FORMS
from tests.kit.facts.made_text import TEXT_FORMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.answers_parts.question import Result

    from penstock.query.parse.convert import Converter
    from tests.kit.facts.made_json import Made

    Texts = str | list[str]

FOLDER: Final = Path(__file__).parent / "snapshots"
LIMIT: Final = 4_000  # tokens; every document below costs more
SHAPE_BYTES: Final = 60_000  # enough rows for every statement that a notice makes
SEED: Final = 11
HANDLE: Final = "r_AAAAAAAAAAAAAAAAAAAAAA"
LIFETIME_S: Final = 1_800


@dataclass(frozen=True, slots=True)
class NoticedDocument:
    """A document by the name of its file, and the function that makes its text or texts."""

    name: str
    make: Callable[[], Texts]

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.name}.txt"

    def result(self) -> bytes:
        """Return the document as a tool's result, a block for each text."""
        made = self.make()
        texts = [made] if isinstance(made, str) else made
        return json.dumps({"content": [{"type": "text", "text": text} for text in texts]}).encode()


def documents() -> list[NoticedDocument]:
    """Return all documents whose notices are kept, sorted by name."""
    found = [NoticedDocument(f"shape-{one.name}", partial(one.make, SHAPE_BYTES)) for one in SHAPES.values()]
    for title, make in MAKERS.items():
        name = title.partition(": ")[2].replace("_", "-")
        found.append(NoticedDocument(f"asked-{name}", partial(_content, make)))
    for form in (*JSON_FORMS, *TEXT_FORMS, *PAIR_FORMS, *made_text.FORMLESS, *made_pairs.FORMLESS):
        name = form.__name__.replace("_", "-")
        found.append(NoticedDocument(f"form-{name}", partial(_text, form)))
    found += [NoticedDocument("cells-of-json", _cells_of_json), NoticedDocument("cells-of-logs", _cells_of_logs)]
    return sorted(found, key=lambda document: document.name)


def _cells_of_json() -> str:
    """Return events whose payloads are JSON in texts."""
    kinds = ["created", "paid", "refunded"]
    payloads = [{"plan": ["free", "team"][n % 5 == 0], "total": n * 7 % 90, "user": {"id": n}} for n in range(400)]
    return json.dumps([{"kind": kinds[n % 3], "payload": json.dumps(one)} for n, one in enumerate(payloads)])


def _cells_of_logs() -> str:
    """Return jobs, each with its log in one text."""
    levels = ["INFO", "WARN", "INFO", "ERROR"]
    logs = [
        "\n".join(f"2026-03-0{n % 9 + 1}T08:{at:02}:00Z {levels[(n + at) % 4]} worker: step {at}" for at in range(12))
        for n in range(60)
    ]
    return json.dumps([{"job": n, "ok": n % 7 > 0, "log": log} for n, log in enumerate(logs)])


def _content(make: Callable[[], Result]) -> Texts:
    return make().content


def _text(form: Callable[[int], Made]) -> Texts:
    return form(SEED).text


def first_answer(document: NoticedDocument, convert: Converter) -> str:
    """Return the text of every block that a client gets for the document, in order."""
    plan = fit(document.result(), Budget(max_tokens=LIMIT), Call(tool="read_it"), convert)
    if not isinstance(plan, Hold):
        raise AssertionError(f"{document.name} fits into {LIMIT:,} tokens: make it larger")
    answer = json.loads(plan.answer(HANDLE, LIFETIME_S))
    return "\n".join(block["text"] for block in answer["content"]) + "\n"
