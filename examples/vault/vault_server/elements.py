"""The elements of a note's text beside its front matter: links, list items with their tasks, and inline fields.

Names and rules are those of Obsidian and its Dataview plugin: a link is ``[[note#heading|text]]`` or
``[text](note.md)``, a task is a list item with a box, and a field in the text is a line ``key:: value``, or
``[key:: value]`` inside one.
"""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import unquote

MOST_LINKS: Final = 10_000  # of one note; an index of everything is not read by hand
MOST_ITEMS: Final = 10_000  # list items of one note, for the same reason
LONGEST_VALUE: Final = 2_000  # characters of an inline field; more is a paragraph with two colons in it

_CODE: Final = re.compile(r"^(?P<fence>```|~~~).*?(?:^(?P=fence)[^\n]*$|\Z)|`[^`\n]*`", re.DOTALL | re.MULTILINE)
# Patterns begin with a sign that is rare in a text: that is what the regular expressions of Python look for quickly.
_LINK: Final = re.compile(r"\[(?:\[([^\[\]\n|]+)(?:\|([^\[\]\n]*))?\]\]|([^\[\]\n]*)\]\(<?([^()<>\n]+?)>?\))")
_ITEM: Final = re.compile(r"^(?P<indent>[ \t>]*)(?:[-*+]|\d+[.)])[ \t]+(?:\[(?P<box>.)\][ \t]+)?(?P<text>\S.*)$")
_LISTED: Final = re.compile(r"\n[ \t>]*(?:[-*+]|\d+[.)])[ \t]+\S|\A[ \t>]*(?:[-*+]|\d+[.)])[ \t]+\S")
_HEADING: Final = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*$")
_BRACKETED: Final = re.compile(r"[\[(]([^\[\]():\n]{1,100})::[ \t]*((?:\[\[[^\]\n]*\]\]|[^\[\]()\n])*)[\])]")
_FULL_LINE: Final = re.compile(r"^[ \t>*_~-]*([^\W_][^\[\]():\n`]{0,100}?)[*_~]*::[ \t]*(\S.*)$", re.MULTILINE)
_SHORT: Final = re.compile(r"(🗓️|🗓|📅|✅|➕|🛫|⏳)\s*(\d{4}-\d\d-\d\d)")
_SHORT_NAMES: Final = {"🗓️": "due", "🗓": "due", "📅": "due", "✅": "completion", "➕": "created", "🛫": "start",
                       "⏳": "scheduled"}  # fmt: skip


def links(text: str) -> list[list[Any]]:
    """Collect every link to a note or file, once, in order: ``[target, shown text or None, is embedded]``."""
    if "](" not in text and "[[" not in text:
        return []
    unique: dict[tuple[str, str | None, bool], None] = {}
    plain = _without_code(text)
    for match in _LINK.finditer(plain):
        wiki, display, words, target = match.groups()
        embed = plain.startswith("!", match.start() - 1) and match.start() > 0
        if wiki is not None:
            unique[wiki.strip(), display, embed] = None
        elif not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|#|//", target):
            unique[unquote(target.partition(' "')[0].strip()), words or None, embed] = None
        if len(unique) == MOST_LINKS:
            break
    return [list(one) for one in unique]


def inline_fields(text: str) -> dict[str, Any]:
    """Collect the fields in a note's text; those in a task are the task's. A key that stands twice has a list."""
    if "::" not in text:
        return {}
    fields: dict[str, Any] = {}
    for line in _without_code(text).split("\n"):
        if "::" not in line:
            continue
        item = _ITEM.match(line)
        if item is not None and item["box"] is not None:
            continue
        for key, value in _BRACKETED.findall(line) or _FULL_LINE.findall(line):
            _add(fields, key, value)
    return fields


def items(text: str) -> list[list[Any]]:
    """Collect every list item: ``[line, line of the item that it is in or None, box or None, text, heading or None]``.

    The first line is 0, as in Dataview.
    """
    if _LISTED.search(text) is None:
        return []
    rows: list[list[Any]] = []
    above: list[tuple[int, int]] = []  # the indent and the line of the items that the next one may be inside
    heading: str | None = None
    fence = ""
    for number, line in enumerate(text.split("\n")):
        bare = line.strip()
        if bare[:3] in ("```", "~~~"):
            fence = "" if fence == bare[:3] else fence or bare[:3]
            continue
        if fence or not bare:
            continue
        if (title := _HEADING.match(line)) is not None:
            heading, above = title[2], []
            continue
        match = _ITEM.match(line.rstrip())
        if match is None:
            if not line[0].isspace():
                above = []
            elif rows and above and above[-1][1] == rows[-1][0]:  # the item goes on in this line
                rows[-1][3] += f"\n{bare}"
            continue
        indent = len(match["indent"].expandtabs(4))
        while above and above[-1][0] >= indent:
            above.pop()
        rows.append([number, above[-1][1] if above else None, match["box"], match["text"], heading])
        above.append((indent, number))
        if len(rows) == MOST_ITEMS:
            break
    return rows


def item_fields(text: str) -> dict[str, Any]:
    """Collect the fields in one list item: ``[key:: value]``, and the signs that stand for dates."""
    fields: dict[str, Any] = {}
    for key, value in _BRACKETED.findall(text) if "::" in text else ():
        _add(fields, key, value)
    for sign, day in _SHORT.findall(text):
        fields.setdefault(_SHORT_NAMES[sign], day)
    return fields


def _without_code(text: str) -> str:
    return _CODE.sub(" ", text) if "`" in text or "~~~" in text else text


def _add(fields: dict[str, Any], key: str, value: str) -> None:
    name, content = key.strip().strip("*_~").strip(), _typed(value.strip()[:LONGEST_VALUE])
    if not name:
        return
    if name in fields:
        before = fields[name]
        fields[name] = [*before, content] if isinstance(before, list) else [before, content]
    else:
        fields[name] = content


def _typed(value: str) -> Any:
    """Read a value as Dataview does: a number, a truth, or a text. Dates and links are texts until a query looks."""
    if re.fullmatch(r"-?\d{1,18}", value):
        return int(value)
    if re.fullmatch(r"-?\d{1,18}\.\d{1,18}", value):
        return float(value)
    return {"true": True, "false": False}.get(value.lower(), value)
