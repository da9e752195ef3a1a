"""Paths into JSON, written as jq writes them: ``.``, ``.items``, ``.items[3].tags``, ``.["odd key"]``.

A path is a tuple of keys (``str``) and indexes (``int``); the empty tuple is the whole document. ``EACH`` stands
for "every item" and appears only in paths that describe (``.items[].tags``), never in one that can be read.
"""

from __future__ import annotations

import difflib
import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterable

Step = str | int
Path = tuple[Step, ...]

EACH: Final = -1  # an index that no document has: "every item"
MOST_NAMES: Final = 2_000  # names compared; in a map of many more, likeness says nothing and takes seconds
LONGEST: Final = 4_000  # characters; a path is typed by a model, and nothing real comes near this

_NAME = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)
_STEP = re.compile(
    r"""\.?\[\s*(?P<index>\d{1,18})\s*\]"""
    r"""|\.?\[\s*(?P<quoted>"(?:[^"\\]|\\.)*")\s*\]"""
    r"""|\.(?P<string>"(?:[^"\\]|\\.)*")"""
    r"""|\.(?P<name>[A-Za-z_$][\w$-]*)"""
)


def render(path: Path) -> str:
    """Write ``path`` so that ``parse`` reads it back, and jq understands it."""
    parts: list[str] = []
    for step in path:
        if step == EACH:
            parts.append("[]")
        elif isinstance(step, int):
            parts.append(f"[{step}]")
        elif _NAME.fullmatch(step) and "-" not in step and "$" not in step:
            parts.append(f".{step}")
        else:
            parts.append(f"[{json.dumps(step)}]")
    text = "".join(parts)
    return text if text.startswith(".") else "." + text


def parse(text: str) -> Path:
    """Read a path; a leading dot may be missing (``items[3]``), as people and models write it."""
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


def shorten(text: str, limit: int = 60) -> str:
    """Enough of a long text to recognise it by, for an error message."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def nearest(wanted: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known names most like the wanted one: those that differ only in case first, then by likeness."""
    names = list(islice(known, MOST_NAMES))
    same = [name for name in names if name.lower() == wanted.lower()]
    close = difflib.get_close_matches(wanted, names, n=limit, cutoff=0.5)
    return list(dict.fromkeys([*same, *close]))[:limit]
