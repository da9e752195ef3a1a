"""Find the rows of a text again, form by form, with csv and re. What is not known stays out: no column, no count."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

DELIMITERS: Final = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|"}
LEVELS: Final = (
    "EMERGENCY|ALERT|FATAL|CRITICAL|SEVERE|ERROR|ERR|WARNING|WARN|NOTICE|INFORMATION|INFO|DEBUG|TRACE|VERBOSE"
)
LETTERS: Final = {"V": "VERBOSE", "D": "DEBUG", "I": "INFO", "W": "WARN", "E": "ERROR", "F": "FATAL"}
SPELLINGS: Final = {"ERR": "ERROR", "INFORMATION": "INFO"}
_LEVEL = re.compile(rf"(?i)(?<![\w.-])({LEVELS})(?![\w-])")
_LOGCAT = re.compile(r"\S+ \S+ +\d+ +\d+ ([VDIWEF]) ")
_TIME = re.compile(
    r"(?:\S+ ){0,4}?\W?(?:\d{4}[-./]\d\d[-./]\d\d|\d\d[./-]\d\d(?:[./-]\d{2,4})?[ T]|\d{8}-\d\d"
    r"|\d\d/[A-Z][a-z]{2}/\d{4}:"
    r"|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} +\d{1,2} \d\d:|\d\d:\d\d:\d\d|\d{9,10} )"
)
_ACCESS = re.compile(r'(\S+) \S+ \S+ \[[^\]]+\] "(?:([A-Z]+) (\S+) ([^"]*)|[^"]*)" (\d{3}) (\d+|-)')
_NODE = re.compile(r"( *)- '?([A-Za-z][\w-]*)(?: \"((?:[^\"\\]|\\.)*)\")?(.*)")


@dataclass(slots=True, kw_only=True)
class Text:
    """A text: its lines, how many rows it has, the cells of columns that are known, tallies by the title of their line,
    and numbers by the words that follow or lead to them."""

    lines: list[str]
    count: int | None = None
    columns: dict[str, list[Any]] = field(default_factory=dict)
    tables: dict[str, int] = field(default_factory=dict)
    tallies: dict[str, Counter[Any]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def take(self, count: int, columns: dict[str, list[Any]]) -> Text:
        """Take the rows of the main table."""
        self.count, self.columns = count, columns
        self.tables["items"] = count
        return self


def read_text(form: str, text: str, words: str) -> Text:
    """The rows of a text of one form."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    found = Text(lines=[line.removesuffix("\r") for line in lines])
    found.numbers["lines"] = len(lines)
    reader = readers().get(form)
    return reader(found, text, words) if reader is not None else found


def readers() -> dict[str, Callable[[Text, str, str], Text]]:
    """The readers by the names of forms."""
    from bench.facts_parts import changes, listings, pairs

    return {
        "delimited": delimited,
        "logs": logs,
        "markdown": markdown,
        "snapshot": snapshot,
        "text_table": drawn_table,
        "kinds": lines_that_repeat,
        "joined_files": files_in_one,
        **changes.READERS,
        **listings.READERS,
        **pairs.READERS,
    }


def lines_that_repeat(found: Text, *_: str) -> Text:
    """Lines that are not blank."""
    kept = [(number, line) for number, line in enumerate(found.lines, 1) if line.strip()]
    found.numbers |= {"lines": len(kept), "blank ones": len(found.lines) - len(kept)}
    return found.take(len(kept), {"line": [number for number, _ in kept], "text": [line for _, line in kept]})


def files_in_one(found: Text, *_: str) -> Text:
    """Files below headings of ``head`` and ``tail``; others are left out."""
    starts = [(at, one[1]) for at, line in enumerate(found.lines) if (one := re.fullmatch(r"==> (.*) <==", line))]
    if not starts:
        return found
    ends = [*(at for at, _ in starts[1:]), len(found.lines)]
    texts = ["\n".join(found.lines[at + 1 : end]).strip("\n") for (at, _), end in zip(starts, ends, strict=True)]
    lines = [text.count("\n") + 1 if text else 0 for text in texts]
    found.numbers |= {"files": len(starts), "lines of all": sum(lines)}
    found.numbers.pop("lines")
    paths = [path for _, path in starts]
    return found.take(len(starts), {"line": [at + 1 for at, _ in starts], "path": paths, "lines": lines})


def delimited(found: Text, text: str, words: str) -> Text:
    """Values with a separator, with or without a header."""
    told = re.match(r"(\w+)-separated values (?:probably )?(with|without) a header", words)
    if told is None or told[1] not in DELIMITERS:
        return found
    kept = "\n".join(line for line in text.removeprefix("\ufeff").split("\n") if not line.startswith("#"))
    csv.field_size_limit(10**9)
    rows = [row for row in csv.reader(io.StringIO(kept, newline=""), delimiter=DELIMITERS[told[1]]) if row]
    width = Counter(map(len, rows)).most_common(1)[0][0] if told[2] == "with" else max(map(len, rows))
    while len(rows[0]) < width and told[2] == "with":  # a title, or notes, before the header
        rows.pop(0)
    while rows and len(rows[-1]) != width:  # a footer, or a remark that the text was cut
        rows.pop()
    if told[1] == "pipe" and all(cell.endswith(" ") for row in rows[1:] for cell in row[:-1]):
        rows = [[cell.strip() for cell in row] for row in rows]
    names = [name.strip() or f"c{at}" for at, name in enumerate(rows.pop(0), 1)] if told[2] == "with" else []
    names += [f"c{at}" for at in range(len(names) + 1, width + 1)]
    found.numbers["columns"] = width
    columns = {
        name: [row[at] if at < len(row) and row[at].strip() else None for row in rows] for at, name in enumerate(names)
    }
    return found.take(len(rows), columns)


def logs(found: Text, text: str, words: str) -> Text:
    """Lines with a time. Levels are looked for near the beginning of each; entries over several lines stay out."""
    del text
    if words.startswith("an access log"):
        matches = [one for line in found.lines if (one := _ACCESS.match(line)) is not None]
        columns: dict[str, list[Any]] = {
            "client": [one[1] for one in matches],
            "method": [one[2] for one in matches],
            "path": [one[3] for one in matches],
            "status": [int(one[5]) for one in matches],
            "bytes": [None if one[6] == "-" else int(one[6]) for one in matches],
        }
        found.tallies["status"] = Counter(f"{one[5][0]}xx" for one in matches)
        found.tallies["5xx by path"] = Counter(one[3] for one in matches if one[5][0] == "5")
        found.numbers["of status 5xx"] = found.tallies["status"]["5xx"]
        return found.take(len(matches), columns)
    prefixed = [re.sub(r"^[^\s|]+ *\| ?", "", line) for line in found.lines]
    if all(len(bare) < len(line) for bare, line in zip(prefixed, found.lines, strict=True)):
        found.lines = prefixed  # each line begins with the name of its service
    letters = [one[1] for line in found.lines if (one := _LOGCAT.match(line)) is not None]
    entries = [line for line in found.lines if _TIME.match(line) is not None]
    if len(letters) * 10 > len(found.lines) * 9:
        levels: list[str | None] = [LETTERS[one] for one in letters]
    else:
        seen = [_LEVEL.search(line[:160]) for line in entries]
        levels = [None if one is None else SPELLINGS.get(one[1].upper(), one[1].upper()) for one in seen]
    columns = {"level": levels} if any(levels) else {}
    if len(entries) == len(found.lines) or len(letters) == len(found.lines):
        columns["line"] = list(range(1, len(found.lines) + 1))
    for level, count in Counter(filter(None, levels)).items():
        found.numbers[level] = count
    return found.take(len(levels), columns)


def markdown(found: Text, text: str, words: str) -> Text:
    """Headings outside of fences; the sections that they begin."""
    del text, words
    headings: list[tuple[int, int, str]] = []
    fence = ""
    for number, line in enumerate(found.lines, 1):
        mark = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if fence:
            closes = mark is not None and mark[1][0] == fence[0] and len(mark[1]) >= len(fence)
            fence = "" if closes and not line.strip().strip(fence[0]) else fence
        elif mark is not None:
            fence = mark[1]
        elif (heading := re.fullmatch(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*", line)) is not None:
            headings.append((number, len(heading[1]), heading[2] or ""))
    for above, line in zip(found.lines, found.lines[1:], strict=False):
        if re.fullmatch(r" {0,3}(?:=+|-+)[ \t]*", line) and re.match(r" {0,3}[^\s#>|*+-]", above):
            return found  # a heading that is marked by the line below it: not read here
    found.tallies["headings"] = Counter(f"h{level}" for _, level, _ in headings)
    columns = {"line": [one for one, _, _ in headings], "level": [one for _, one, _ in headings]}
    return found.take(len(headings), columns)


_UID_NODE = re.compile(r' *uid=(\w+)(?: ([A-Za-z]\w*))?(?: "(.*?)")?(?: [a-z]+(?:="[^"]*")?)*')


def snapshot(found: Text, text: str, words: str) -> Text:
    """Nodes of a page: a role after a bullet, then perhaps a name in quotes."""
    del text, words
    nodes = []
    fences = [at for at, line in enumerate(found.lines, 1) if line.startswith("```")]
    yaml = next((at for at in fences if found.lines[at - 1] == "```yaml"), 0)
    end = next((at for at in fences if at > yaml), len(found.lines) + 1) if yaml else len(found.lines) + 1
    for number, line in enumerate(found.lines, 1):
        node, written = _NODE.fullmatch(line), _UID_NODE.fullmatch(line)
        if written is not None:
            nodes.append((number, written[2] or "StaticText", written[3], f"[ref={written[1]}]"))
        elif node is not None and not line.lstrip().startswith("- /") and yaml < number < end:
            nodes.append((number, node[2], node[3], node[4]))
    roles = Counter(role for _, role, _, _ in nodes)
    found.tallies["roles"] = roles
    found.numbers["nodes"] = len(nodes)
    for role in ("link", "button", "heading"):
        found.numbers[f"{role}s"] = roles[role]
    columns: dict[str, list[Any]] = {"line": [one[0] for one in nodes], "role": [one[1] for one in nodes]}
    columns["ref"] = [ref[1] if (ref := re.search(r"\[ref=(\w+)\]", one[3])) else None for one in nodes]
    return found.take(len(nodes), columns)


def drawn_table(found: Text, text: str, words: str) -> Text:
    """One table drawn with bars, in Markdown or in a box; a text with several is left out."""
    del text
    if "other table" in words or "parts with the same header" in words:
        return found
    rows = [line.strip() for line in found.lines if line.strip().startswith(("|", "│"))]
    bar = "│" if rows and rows[0].startswith("│") else "|"
    cells = [
        [one.strip().replace("\\|", "|") for one in re.split(rf"(?<!\\){re.escape(bar)}", row)[1:-1]] for row in rows
    ]
    cells = [row for row in cells if not all(re.fullmatch(r":?-+:?", one) for one in row)]
    if not cells:
        return found
    names, body = cells[0], cells[1:]
    columns = {name: [row[at] or None if at < len(row) else None for row in body] for at, name in enumerate(names)}
    found.numbers["columns"] = len(names)
    return found.take(len(body), columns)
