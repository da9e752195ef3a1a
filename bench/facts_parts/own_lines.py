"""Compare what only some forms say: the words of a message, tallies by folder and file, depths, extremes, fields."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from bench.facts_parts.columns import check_counts
from bench.facts_parts.crossed import check_crossed, check_last, holds_inside
from bench.facts_parts.documents import depth_of
from bench.facts_parts.wording import NUMBER, UnreadableError, name_of, read_tally, read_value, whole

if TYPE_CHECKING:
    from bench.facts_parts.documents import Table
    from bench.facts_parts.report import Report
    from bench.facts_parts.texts import Text

_RECORDS = re.compile(rf"({NUMBER}) .*")
_FILES = re.compile(rf"{NUMBER} .*? in ({NUMBER}) files?, .*", re.DOTALL)
_TREE = re.compile(rf"a tree (?:through|of objects) .*: ({NUMBER}) nodes?, ({NUMBER}) roots?, ({NUMBER}) levels? deep")
_OBJECT = re.compile(rf"an object with ({NUMBER}) fields?(?: or more)?, ({NUMBER}) levels? deep")
_ARRAY = re.compile(rf"an (?:array|object) of ({NUMBER}) (?:items?|members?), ({NUMBER}) levels? deep")
_CHANGED = re.compile(rf"\(\+({NUMBER}) -({NUMBER})\)")
_BY_PLACE = re.compile(r"(changed lines )?by (folder|file|extension)(?: below (\S.*?))?: (.*)", re.DOTALL)
_ROW = rf"in row ({NUMBER})(?: \(.*\))?"
_EXTREMES = re.compile(rf"(.+?): least (\S+) {_ROW}, greatest (\S+) {_ROW}", re.DOTALL)
_ACTIONS = re.compile(rf"({NUMBER}) rows are actions, the others documents: (.*)")
_FILE_NAME = re.compile(r"(?i)(?:^|[._\]])(?:\w*file_?(?:name|path)?|\w*path|uri)$")
_EXTENSION = re.compile(r".+\.(?!\d+$)([A-Za-z0-9]{1,12})", re.DOTALL)
_MOST_CHANGED = re.compile(rf"(.*) \+({NUMBER}) -({NUMBER})", re.DOTALL)


def check_words(report: Report, words: str, form: str, text: Text | None, table: Table | None, data: Any) -> None:
    """Judge the numbers in what a message says first."""
    if text is not None:
        _numbers(report, words, text)
        return
    if (tree := _TREE.match(words)) is not None and table is not None:
        report.say("nodes", whole(tree[1]), table.count)
        report.say("roots", whole(tree[2]), table.depths[0])
        report.say("levels of the tree", whole(tree[3]), len(table.depths))
    elif (told := _OBJECT.match(words) or _ARRAY.match(words)) is not None:
        report.say("parts", whole(told[1]), len(data), marked="or more" in words)
        report.say("levels", whole(told[2]), depth_of(data))
    elif (told := _RECORDS.match(words)) is not None and table is not None:
        report.say("rows", whole(told[1]), table.count)
        if (files := _FILES.match(words)) is not None and form == "records":
            amounts = {len({*cells} - {None}) for cells in _file_columns(table).values()}
            report.say("files", whole(files[1]) in amounts, True)
    else:
        report.skip(words)


def _numbers(report: Report, words: str, text: Text) -> None:
    judged = False
    for noun, truth in text.numbers.items():
        singular = re.sub(r"(?<=[a-z])s\b", "s?", noun) if noun not in ("matches", "entries") else noun
        singular = {"matches": "match(?:es)?", "entries": "entr(?:y|ies)"}.get(noun, singular)
        told = re.search(rf"(?<![\w,])({NUMBER}) {singular}(?![\w-])", words) if noun[0] not in "+-" else None
        if told is not None and "more than" not in words and f"{told[1]} to" not in words:
            report.say(f"words: {noun}", whole(told[1]), truth)
            judged = True
    if (told := _CHANGED.search(words)) is not None and "+" in text.numbers:
        report.say("words: added", whole(told[1]), text.numbers["+"])
        report.say("words: removed", whole(told[2]), text.numbers["-"])
        judged = True
    if (
        text.count is not None
        and (told := re.search(rf"({NUMBER}) (rows?|entr(?:y|ies)|sections?)\b", words)) is not None
        and f"{told[2].rstrip('s')}s" not in text.numbers  # rows of other tables, which were judged above
    ):
        report.say("words: rows", whole(told[1]), text.count)
        judged = True
    if not judged:
        report.skip(words)


def check_beside(report: Report, line: str, data: Any) -> None:
    """Judge the scalars that stand beside a table, by their paths."""
    known: dict[str, Any] = {}
    waiting: list[tuple[str, Any]] = [("", data)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{name}.{key}".removeprefix("."), one) for key, one in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{name}[{at}]", one) for at, one in enumerate(value[:1])]
        else:
            known[name] = value
    for part in line.removeprefix("other fields: ").split(" · "):
        if re.fullmatch(rf"\+{NUMBER} fields?", part):
            continue
        for at in reversed([one.start() for one in re.finditer("=", part)]):
            name_told = name_of(part[:at], known)
            if name_told is not None:
                try:
                    holds = read_value(part[at + 1 :]).means(known[name_told])
                except UnreadableError:
                    holds = False
                report.say(f"beside {part}", True, holds)
                break
        else:
            report.skip(f"beside {part}")


def check_own_line(report: Report, line: str, form: str, text: Text | None, table: Table | None, data: Any) -> bool:
    """Judge a line of a form's own; False where it is about columns, or not known."""
    if (place := _BY_PLACE.fullmatch(line)) is not None:
        return _by_place(report, line, place, text, table)
    if check_crossed(report, line, text.columns if text is not None else table.columns if table is not None else {}):
        return True
    if text is not None:
        return check_last(report, line, text) or _own_text(report, line, text)
    if line.startswith("nodes by depth: ") and table is not None:
        counts = {str(depth): count for depth, count in table.depths.items()}
        return _told(report, line, Counter(counts), ordered=False)
    if line.startswith("each row has one field: ") and table is not None:
        top = {name: cells for name, cells in table.columns.items() if not re.search(r"[.\[]", name)}
        counts = Counter({re.sub(r"\W+", "_", name): len(cells) - cells.count(None) for name, cells in top.items()})
        return _told(report, line, counts)
    if (actions := _ACTIONS.fullmatch(line)) is not None and isinstance(data, list):
        named = Counter(next(iter(one)) for one in data[::2] if isinstance(one, dict) and one)
        report.say("actions", whole(actions[1]), len(data) // 2)
        return _told(report, f"actions: {actions[2]}", named)
    if (ends := _EXTREMES.fullmatch(line)) is not None and table is not None:
        return _extremes(report, ends, table)
    return form == "object" and isinstance(data, dict) and _field(report, line, data)


def _told(report: Report, line: str, counts: Counter[Any], *, ordered: bool = True) -> bool:
    title, _, body = line.partition(": ")
    tally = read_tally(body)
    if tally is None:
        report.say(f"{title}: is understood", body, None)
    elif ordered:
        check_counts(report, title, tally, counts)
    else:
        for written, count in tally.counts:
            report.say(f"{title}: {written.text}", count, counts[written.text])
        report.say(f"{title}: more", tally.more, len(counts) - len(tally.counts))
    return True


def _own_text(report: Report, line: str, text: Text) -> bool:
    title, _, body = line.partition(": ")
    if title in text.tallies and read_tally(body) is not None:
        # What has the name of a column as well is told apart by its values.
        counts = text.tallies[title]
        first = read_tally(body)
        if title in text.columns and first is not None and not any(first.counts[0][0].means(one) for one in counts):
            return False
        return _told(report, line, counts, ordered=title not in ("status", "headings", "by depth"))
    if title in text.numbers and (number := re.fullmatch(rf"({NUMBER})(?: bytes)?", body)) is not None:
        report.say(title, whole(number[1]), text.numbers[title])
        return True
    if title == "most changed" and {"file", "added", "removed"} <= text.columns.keys():
        rows = list(zip(*(text.columns[name] for name in ("file", "added", "removed")), strict=True))
        for part in body.split(" · "):
            found = _MOST_CHANGED.fullmatch(part)
            said = (read_value(found[1]), whole(found[2]), whole(found[3])) if found is not None else None
            holds = said is not None and any(said[0].means(one[0]) and said[1:] == one[1:] for one in rows)
            report.say(f"most changed {part}", True, holds)
        return True
    led = re.match(rf"({NUMBER}) (.+?)(?:, ({NUMBER}) (.+))?$", line)
    if led is not None:
        for amount, noun in ((led[1], led[2]), (led[3], led[4])):
            for phrase, truth in text.numbers.items():
                if noun and noun.replace("folder ", "folders ") == phrase:
                    report.say(phrase, whole(amount), truth)
        return any(led[2].replace("folder ", "folders ") == one for one in text.numbers)
    return False


def _by_place(report: Report, line: str, place: re.Match[str], text: Text | None, table: Table | None) -> bool:
    """Judge counts by folder, file or extension."""
    tally = read_tally(place[4])
    if tally is None:
        report.say(f"{line[:60]}: is understood", place[4], None)
        return True
    base = read_value(place[3]).text if place[3] else ""
    choices: list[Counter[str]] = []
    if text is not None:
        choices = [text.tallies[name] for name in (f"{place[1] or ''}by file",) if name in text.tallies]
    elif table is not None:
        choices = [Counter(one for one in cells if isinstance(one, str)) for cells in _file_columns(table).values()]
    if not choices:
        report.skip(line[:100])
        return True
    told = [(written.text, count) for written, count in tally.counts if not written.cut]
    truths = [{name: _placed(place[2], base, name, counts) for name, _ in told} for counts in choices]
    best = max(truths, key=lambda truth: sum(truth[name] == count for name, count in told))
    for name, count in told:
        report.say(f"by {place[2]} {base}{name}", count, best[name])
    if not tally.more:
        every = choices[truths.index(best)].total()
        report.say(f"by {place[2]}: in all", sum(count for _, count in tally.counts), every)
    return True


def _placed(kind: str, base: str, name: str, counts: Counter[str]) -> int:
    if kind == "file":
        return counts[base + name]
    mark = "\\" if any("\\" in path for path in counts) and not any("/" in path for path in counts) else "/"
    total = 0
    for path, count in counts.items():
        folder, cut, last = path.rpartition(mark)
        if kind == "extension":
            found = _EXTENSION.fullmatch(last)
            total += count * ((found[1] if found is not None else "no extension") == name)
        elif name.endswith("*"):
            total += count * (folder + cut == base + name[:-1])
        else:
            total += count * (folder + cut).startswith(base + name)
    return total


def _file_columns(table: Table) -> dict[str, list[Any]]:
    return {name: cells for name, cells in table.columns.items() if _FILE_NAME.search(name) and _hashable(cells)}


def _hashable(cells: list[Any]) -> bool:
    return not any(isinstance(one, list | dict) for one in cells)


def _extremes(report: Report, ends: re.Match[str], table: Table) -> bool:
    name = name_of(ends[1], table.columns)
    if name is None:
        return False
    cells = [(value, row) for row, value in enumerate(table.columns[name], 1) if value is not None]
    numbers = [(float(value), row, value) for value, row in cells]  # some write numbers as texts
    for text, row, choose, what in ((ends[2], ends[3], min, "least"), (ends[4], ends[5], max, "greatest")):
        number = choose(one for one, _, _ in numbers)
        at, value = next((at, value) for one, at, value in numbers if one == number)
        report.say(f"{name}: {what}", read_value(text).means(value), True)
        report.say(f"{name}: row of the {what}", whole(row), at)
    return True


def _field(report: Report, line: str, data: dict[str, Any]) -> bool:
    """Judge what an object's field is said to have."""
    for at in [one.start() for one in re.finditer(": ", line)]:
        name = name_of(line[:at], data)
        if name is None:
            continue
        value, body = data[name], line[at + 2 :]
        sizes = {list: "array of {} item", dict: "object with {} field"}
        if isinstance(value, list | dict):
            forms = {sizes[type(value)], "map of {} member"} if isinstance(value, dict) else {sizes[list]}
            holds = any(re.match(re.escape(one).replace(r"\{\}", f"{len(value):,}") + "s?", body) for one in forms)
            holds = holds or holds_inside(value, body)
        elif body.startswith("JSON in a text of "):
            holds = isinstance(value, str) and body.startswith(f"JSON in a text of {len(value):,} characters")
            holds = holds and isinstance(json.loads(value), list | dict)
        elif body.startswith("text of "):
            holds = isinstance(value, str) and body == f"text of {len(value):,} characters"
        else:
            holds = read_value(body).means(value)
        report.say(f"field {name}", True, holds)
        return True
    if (more := re.fullmatch(rf"\+({NUMBER}) fields?", line)) is not None:
        report.say("more fields", whole(more[1]) < len(data), True)
        return True
    return False
