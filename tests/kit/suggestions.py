"""What tests of suggestions share: a short way to ask for them, and data to ask about."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from penstock.core.answer.suggest import AnsweredCall, suggest
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.tokens.count import count

if TYPE_CHECKING:
    from penstock.core.answer.suggest import Suggestion

FETCH = "fetch_cached_response"
DIRECTORIES = {"src/components": 8, "src/components/ui": 3, "src/server": 9, "lib/net": 12, "node_modules/react": 14}
SEVERITIES = {"critical": 2, "high": 6, "medium": 12, "low": 20}


def ask(
    data: Any,
    *,
    share: float = 0.5,
    page: int = 5_000,
    arguments: Any = None,
    schema: Any = None,
    most: int = 2,
    **properties: Any,
) -> tuple[Suggestion, ...]:
    """All suggestions for ``search(arguments)``; ``properties`` are the parameters of its schema. A narrower call may
    cost a share of what the whole costs, so that tests hold for every way of counting."""
    document = read(data if isinstance(data, str | bytes) else json.dumps(data))
    tokens = count(document.raw).tokens
    asked = AnsweredCall(
        tool="search",
        arguments={} if arguments is None else arguments,
        schema={"type": "object", "properties": properties} if schema is None else schema,
        fetch_tool=FETCH,
        tokens=tokens,
        most=int(tokens * share),
        page=page,
    )
    return suggest(document, read_form(document), asked, most)


def narrower(data: Any, **settings: Any) -> list[Suggestion]:
    """The suggestions that are calls to the tool itself."""
    return [one for one in ask(data, **settings) if one.tool == "search"]


def queries(data: Any, **settings: Any) -> list[Suggestion]:
    """The suggestions that are questions to the held tables."""
    return [one for one in ask(data, **settings) if one.tool == FETCH]


def matches(number: int, seed: int = 1) -> list[dict[str, Any]]:
    """Search results as a linter or a search tool gives them."""
    chance = random.Random(seed)
    words = ("const", "state", "render", "return", "props", "null", "await", "import", "effect", "value")
    return [
        {
            "file": f"{_pick(chance, DIRECTORIES)}/{chance.choice('abcdef')}.{chance.choice(['ts', 'tsx', 'md'])}",
            "line": chance.randrange(1, 900),
            "severity": _pick(chance, SEVERITIES),
            "found_at": f"2024-{chance.randrange(10, 13)}-{chance.randrange(10, 30)}T10:{chance.randrange(10, 60)}:00Z",
            "text": " ".join(chance.choice(words) for _ in range(chance.randrange(10, 50))),
        }
        for _ in range(number)
    ]


def _pick(chance: random.Random, weights: dict[str, int]) -> str:
    return chance.choices(list(weights), list(weights.values()))[0]
