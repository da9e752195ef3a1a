"""What tests of suggestions share: a short way to ask for them, data to ask about, and a reader of their filters."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from penstock.core.forms.document import read
from penstock.core.json.path import parse
from penstock.core.subject import study
from penstock.core.suggest import Suggestion, suggest
from penstock.core.tokens.count import count

FETCH = "fetch_cached_response"
DIRECTORIES = {"src/components": 8, "src/components/ui": 3, "src/server": 9, "lib/net": 12, "node_modules/react": 14}
SEVERITIES = {"critical": 2, "high": 6, "medium": 12, "low": 20}


def ask(
    data: Any,
    *,
    share: float = 0.5,
    budget: int | None = None,
    arguments: Any = None,
    schema: Any = None,
    handle: str | None = None,
    most: int = 5,
    **properties: Any,
) -> tuple[Suggestion, ...]:
    """Suggestions for ``search(arguments)``; ``properties`` are the parameters of its schema.

    The budget is a share of what the whole costs, so that tests hold for every way of counting.
    """
    document = read(data if isinstance(data, str | bytes) else json.dumps(data))
    tokens = count(document.raw).tokens
    return suggest(
        study(document),
        tokens=tokens,
        budget=int(tokens * share) if budget is None else budget,
        tool="search",
        arguments={} if arguments is None else arguments,
        schema={"type": "object", "properties": properties} if schema is None else schema,
        handle=handle,
        most=most,
    )


def one(made: tuple[Suggestion, ...], word: str) -> Suggestion:
    """The one suggestion whose reason has this word in it."""
    [found] = [suggestion for suggestion in made if word in suggestion.why]
    return found


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


def jq(program: str, value: Any) -> Any:
    """What jq makes of a program of the few kinds that are suggested; an error of jq is a ``TypeError`` here."""
    if found := re.fullmatch(r"\[(\S+|\.\[\".*?\"\])\[\] \| (select|del)\((.*)\)\]", program):
        items = _at(found[1], value)
        keep = found[2] == "del"
        return [_without(found[3], item) if keep else item for item in items if keep or _holds(found[3], item)]
    if found := re.fullmatch(r"(?:(\S+) \| )?with_entries\(select\((.*)\)\)", program):
        members = _at(found[1] or ".", value).items()
        return {key: inner for key, inner in members if _holds(found[2], {"key": key, "value": inner})}
    found = re.fullmatch(r"del\((.*)\)", program)
    assert found is not None, program
    return _without(found[1], value)


def _holds(condition: str, item: Any) -> bool:
    if found := re.fullmatch(r"(\S+|.*\]\??) (==|>=) (.*)", condition):
        value, literal = _at(found[1], item), json.loads(found[3])
        return value == literal if found[2] == "==" else type(value) is type(literal) and value >= literal
    found = re.fullmatch(r"(.*?)((?:starts|ends)with)\((.*)\)", condition)
    assert found is not None, condition
    value = item
    for step in found[1].split(" | ")[:-1]:
        if step == "strings":
            if not isinstance(value, str):
                return False
        else:
            value = _at(step, value)
    if not isinstance(value, str):
        raise TypeError("not a string")
    text = json.loads(found[3])
    return value.startswith(text) if found[2] == "startswith" else value.endswith(text)


def _at(path: str, value: Any) -> Any:
    safe = path.endswith("?")
    for step in parse(path.replace("?", "")):
        if value is None or (safe and not isinstance(value, dict | list)):
            return None
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
        else:
            raise TypeError(f"cannot index {value!r} with {step!r}")
    return value


def _without(paths: str, value: Any) -> Any:
    copy = json.loads(json.dumps(value))
    for path in paths.split(", "):
        *owner, last = parse(path.replace("?", ""))
        place = copy
        for step in owner:
            place = place[step]
        if isinstance(place, dict):
            place.pop(last, None)
        elif not path.endswith("?"):
            raise TypeError(f"cannot delete from {place!r}")
    return copy
