"""Paths as they are written in notices: ``.runs[].results[]``, ``.paths[*]``, ``["odd key"][3]``."""

from __future__ import annotations

import json
import re
from typing import Any, Final


class Every:
    """A step to all items of an array, or to all members of an object."""

    def __init__(self, text: str) -> None:
        self.text = text


EACH: Final = Every("[]")
MEMBER: Final = Every("[*]")
Step = str | int | Every

_STEP = re.compile(r'\.?\[\]|\.?\[\*\]|\.?\[(?P<index>\d+)\]|\.?\[(?P<quoted>"(?:[^"\\]|\\.)*")\]|\.(?P<name>[\w$-]+)')


def read_path(text: str) -> tuple[Step, ...]:
    """The steps of a path."""
    steps: list[Step] = []
    at = 0
    while at < len(text) and text != ".":
        found = _STEP.match(text, at)
        if found is None:
            raise ValueError(f"no path: {text!r}")
        at = found.end()
        if found["name"] is not None:
            steps.append(found["name"])
        elif found["quoted"] is not None:
            steps.append(str(json.loads(found["quoted"])))
        elif found["index"] is not None:
            steps.append(int(found["index"]))
        else:
            steps.append(EACH if found[0].endswith("[]") else MEMBER)
    return tuple(steps)


def write_step(step: Step) -> str:
    """One step, as jq writes it."""
    if isinstance(step, Every):
        return step.text
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", step) else f"[{json.dumps(step)}]"


def value_at(data: Any, text: str) -> Any:
    """What lies at a path without steps to several things; None where there is nothing."""
    for step in read_path(text):
        if isinstance(step, str) and isinstance(data, dict):
            data = data.get(step)
        elif isinstance(step, int) and isinstance(data, list) and step < len(data):
            data = data[step]
        else:
            return None
    return data
