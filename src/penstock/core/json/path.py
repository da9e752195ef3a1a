"""Paths into JSON, written as jq writes them: ``.``, ``.items``, ``.items[3].tags``, ``.["odd key"]``.

A path is a tuple of keys (``str``) and indexes (``int``); the empty tuple is the whole document. ``EACH`` stands
for "every item" and ``KEY`` for "every member"; they appear only in paths that describe (``.items[].tags``).
"""

from __future__ import annotations

import json
import re
from typing import Final

from penstock.core.text import shorten
from penstock.errors import CallerError

Step = str | int
Path = tuple[Step, ...]

EACH: Final = -1  # an index that no document has: "every item"
KEY: Final = -2  # another one: "every member" of a map
LONGEST: Final = 4_000  # characters; a path is typed by a model, and nothing real comes near this

_NAME = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)
_STEP = re.compile(
    r"""\.?\[\s*+(?P<index>\d{1,18})\s*+\]"""
    r"""|\.?\[\s*+(?P<every>\*?)\s*+\]"""
    r"""|\.?\[\s*+(?P<quoted>"(?:[^"\\]|\\.)*")\s*+\]"""
    r"""|\.(?P<string>"(?:[^"\\]|\\.)*")"""
    r"""|\.(?P<name>[A-Za-z_$][\w$-]*)"""
)


def render(path: Path) -> str:
    """Write ``path`` so that ``parse`` reads it back, and jq understands it."""
    text = "".join(map(render_step, path))
    return text if text.startswith(".") else "." + text


def render_step(step: Step) -> str:
    """Return one step as it stands inside a path."""
    if isinstance(step, int):
        return "[]" if step == EACH else "[*]" if step == KEY else f"[{step}]"
    return f".{step}" if _NAME.fullmatch(step) and "-" not in step and "$" not in step else f"[{json.dumps(step)}]"


def parse(text: str) -> Path:
    """Read a path to one value; a leading dot may be missing (``items[3]``), as people and models write it."""
    path = parse_open(text)
    if len(closed_part(path)) < len(path):
        raise CallerError(
            f"the path {shorten(render(path))!r} leads to many values, not to one",
            do="write a number for [], like .items[3]; filter and sql take them all",
        )
    return path


def closed_part(path: Path) -> Path:
    """Return the steps before the first that stands for every item or member."""
    return path[: next((at for at, step in enumerate(path) if step in (EACH, KEY)), len(path))]


def leads_to(wanted: Path, path: Path) -> bool:
    """Return True if a path lies at or below what another one, with open steps, stands for."""
    return len(path) >= len(wanted) and all(
        isinstance(step, int) if want == EACH else isinstance(step, str) if want == KEY else want == step
        for want, step in zip(wanted, path, strict=False)
    )


def parse_open(text: str) -> Path:
    """Read a path that may stand for many values, as notices and counts of matches write it: ``.items[].tags``."""
    text = text.strip()
    if len(text) > LONGEST:
        raise CallerError("the path is too long", do=f"write at most {LONGEST} characters")
    if text in ("", ".", "$"):
        return ()
    if text.startswith("$"):
        text = text[1:]
    if not text.startswith((".", "[")):
        text = "." + text
    steps: list[Step] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            raise CallerError(
                f"the path {shorten(text)!r} cannot be read at position {at}",
                do='write it like .items[3].tags or .["odd key"]',
            )
        if match["index"] is not None:
            steps.append(int(match["index"]))
        elif match["every"] is not None:
            steps.append(KEY if match["every"] else EACH)
        elif match["name"] is not None:
            steps.append(match["name"])
        else:
            steps.append(_unquote(match["quoted"] or match["string"], text))
        at = match.end()
    return tuple(steps)


def _unquote(literal: str, text: str) -> str:
    try:
        return str(json.loads(literal))
    except ValueError:
        raise CallerError(
            f"the path {shorten(text)!r} has a malformed string in it",
            do='write the key as a JSON string, like .["odd key"]',
        ) from None
