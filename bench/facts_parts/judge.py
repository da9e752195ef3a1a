"""Take one payload through a gate, and judge everything that a model then reads."""

from __future__ import annotations

import json
import re
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from bench.facts_parts.columns import Cells, check_column, check_constant
from bench.facts_parts.documents import Table, depth_of, load, rows_at, table_of
from bench.facts_parts.languages import LANGUAGES, PREFIX, load_python, load_yaml
from bench.facts_parts.offers import Offer, make_offers
from bench.facts_parts.own_lines import check_beside, check_own_line, check_words
from bench.facts_parts.paths import value_at
from bench.facts_parts.report import Report
from bench.facts_parts.shapes import check_shape
from bench.facts_parts.shown_rows import check_rows
from bench.facts_parts.texts import Text, read_text
from bench.facts_parts.wording import UnreadableError, name_of, split_name, whole

from penstock import Budget, Call, Config, Gate, Hold, fit, open_store

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMITS: Final = (20_000, 6_000, 2_000)  # tokens: the first at which a payload is held is taken
OWNER: Final = "reader"
_IN = re.compile(r", in (\.\S+)$")
_AROUND = re.compile(r", in a text with ([\d,]+) other lines?$")
_TITLE = re.compile(r"from a sample of [\d,]+ .+:")
_ROWS = re.compile(r"(?:sample rows?|all) [\d\-, ]+(?: rows?)?:")
_SHARED: Final = ("all distinct", "links", "empty")
_HEADED = re.compile(r"the first of the ([\d,]+) arrays names the columns")
MORE_VALUES = re.compile(r" · \+[\d,]+ values?")
_LEFT = re.compile(r"\+[\d,]+ columns?")


@dataclass(slots=True, kw_only=True)
class Judged:
    """What a model read of a payload, and what is true of it."""

    form: str
    limit: int
    notice: dict[str, Any]
    preview: str
    info: dict[str, Any]
    report: Report = field(default_factory=Report)
    offers: list[Offer] = field(default_factory=list)
    seconds: float = 0.0
    baseline: float = 0.0

    @property
    def faults(self) -> list[Offer]:
        return [one for one in self.offers if one.fault]


@dataclass(slots=True, kw_only=True)
class Subject:
    """The data behind a notice: JSON, a text, or a text in a string of JSON."""

    data: Any = None
    is_json: bool = False
    table: Table | None = None
    text: Text | None = None
    is_converted: bool = False  # XML or HTML


def envelope(text: str | Sequence[str]) -> bytes:
    """A result of a tool with one text, or with many."""
    texts = [text] if isinstance(text, str) else text
    return json.dumps({"content": [{"type": "text", "text": one} for one in texts]}).encode()


def judge(text: str | Sequence[str], tool: str = "read", limits: Sequence[int] = LIMITS) -> Judged | None:
    """Hold a payload, take the time, and judge it; None where it fits every limit."""
    raw = envelope(text)
    call = Call(tool=tool, owner=OWNER)
    for limit in limits:
        plan = fit(raw, Budget(max_tokens=limit, notice="full"), call)
        if isinstance(plan, Hold):
            break
    else:
        return None
    with open_store("memory:") as store, closing(Gate(store, Config(max_tokens=limit, notice="full"))) as gate:
        judged = admitted(gate, limit, text, tool)
    judged.seconds, judged.baseline = _cpu(raw, limit, call)
    return judged


def admitted(gate: Gate, limit: int, text: str | Sequence[str], tool: str = "read") -> Judged:
    """Judge what a gate with this limit says of a payload that it holds."""
    told = json.loads(gate.admit(Call(tool=tool, owner=OWNER), envelope(text)))
    line, _, preview = told["content"][0]["text"].partition("\n")
    notice = json.loads(line)
    asked = {"cache_id": notice["cache_id"], "action": "info"}
    info = json.loads(json.loads(gate.fetch(OWNER, asked))["content"][0]["text"])
    judged = Judged(form=info.get("form", "text"), limit=limit, notice=notice, preview=preview, info=info)
    judged.offers = make_offers(gate, OWNER, notice, limit)
    check(judged, text if isinstance(text, str) else "\n".join(text), many=not isinstance(text, str))
    return judged


def _cpu(raw: bytes, limit: int, call: Call) -> tuple[float, float]:
    """The CPU time of an admission, and that of parsing and writing the same bytes; the better of two."""
    ours, theirs = [], []
    for _ in range(2):
        start = time.process_time()
        fit(raw, Budget(max_tokens=limit, notice="full"), call)
        middle = time.process_time()
        json.dumps(json.loads(raw))
        ours.append(middle - start)
        theirs.append(time.process_time() - middle)
    return min(ours), min(theirs)


def check(judged: Judged, text: str, *, many: bool = False) -> None:
    """Judge all statements about a text."""
    report, notice, info = judged.report, judged.notice, judged.info
    words = info.get("what", "")
    report.say("the message begins with what it is", words, notice["message"][: len(words)])
    metadata = notice.get("metadata", {})
    if metadata and not many:
        report.say("total_bytes", metadata["total_bytes"], len(text.encode("utf-8", "replace")))
    subject = subject_of(judged, text, words)
    _metadata(judged, subject, text)
    check_words(report, PREFIX.sub("", words, count=1), judged.form, subject.text, subject.table, subject.data)
    if subject.is_json and not many:
        check_shape(report, notice.get("shape", ""), subject.data)
    _tables(judged, subject)
    told = dict.fromkeys(info.get("facts", []))
    facts, rows, excerpts = parts_of(judged.preview, told)
    for line in told:
        _line(report, line, judged, subject)
    for line in facts:
        # The preview may list fewer values than info. Long values that begin alike are cut elsewhere in a longer list.
        start = line.partition(": ")[0] if "…" in line else MORE_VALUES.split(line)[0]
        is_told = any(one.startswith(start) for one in told)
        report.say("a fact of the preview is one of info", True, is_told or "note" in info)
        if line not in told:
            _line(report, line, judged, subject)
    check_rows(report, notice, rows, columns_of(subject), loose=subject.text is not None)
    _excerpts(report, excerpts, subject, text)


def subject_of(judged: Judged, text: str, words: str) -> Subject:
    """The data that a notice is about."""
    if judged.info.get("kind") in LANGUAGES and judged.form in LANGUAGES:
        loaders = {"yaml": load_yaml, "python": load_python}
        data = loaders[judged.form](text) if judged.form in loaders and judged.info["max_depth"] else None
        if data is None:  # what XML and HTML become is not computed again
            return Subject(is_converted=True)
        bare = PREFIX.sub("", words, count=1)
        path = judged.notice["shown"].get("path", ".")
        return Subject(data=data, is_json=True, table=table_of(data, bare, path, "records"))
    loaded = load(text) if judged.info.get("kind") in ("json", "jsonl", "values", None) or text[:1] in "[{" else None
    loaded = loaded or (load(text) if _AROUND.search(words) else None)
    if loaded is None:
        return Subject(text=read_text(judged.form, text, words))
    if (around := _AROUND.search(words)) is not None:
        judged.report.say("other lines", whole(around[1]), loaded.others)
    subject = Subject(data=loaded.data, is_json=True)
    if (held := _text_within(loaded.data, words)) is not None:
        subject.text = read_text(judged.form, held, words)
    elif judged.notice.get("shown"):
        main = judged.notice["shown"].get("path", ".")
        headed = any(map(_HEADED.fullmatch, judged.info.get("facts", [])))
        subject.table = table_of(loaded.data, words, main, judged.form, headed=headed)
    return subject


def _text_within(data: Any, words: str) -> str | None:
    """The text that the words say is in a string of JSON, or in the strings of an array."""
    if (inner := _IN.search(words)) is None:
        return None
    held = value_at(data, inner[1].removesuffix("[]") or ".")
    return "\n".join(held) if inner[1].endswith("[]") else held if isinstance(held, str) else None


def columns_of(subject: Subject) -> dict[str, list[Any]]:
    """The cells that are known, by column."""
    if subject.text is not None:
        return subject.text.columns
    table = subject.table
    return {} if table is None else {name: one for name, one in table.columns.items() if name not in table.doubtful}


def _metadata(judged: Judged, subject: Subject, text: str) -> None:
    report, metadata = judged.report, judged.notice.get("metadata", {})
    if not metadata:
        return
    said = metadata["item_count"]
    if subject.table is not None and judged.form != "object":
        report.say("item_count", said, subject.table.count)
    elif subject.text is not None and subject.text.count is not None:
        report.say("item_count", said, subject.text.count)
    elif judged.form == "text":
        report.say("item_count", said, len(text.split("\n")) - text.endswith("\n"))
    else:
        report.skip("item_count", said)
    values = isinstance(subject.data, list) and judged.info.get("kind") not in ("json", None)
    values = values and judged.info.get("kind") not in LANGUAGES
    if subject.is_converted:
        report.skip("max_depth", metadata["max_depth"])
    else:
        report.say("max_depth", metadata["max_depth"], depth_of(subject.data) - values if subject.is_json else 0)
    for name in ("total_tokens", "total_bytes", "item_count", "max_depth"):
        if name in judged.info:
            report.say(f"info agrees on {name}", judged.info[name], metadata[name])


def _tables(judged: Judged, subject: Subject) -> None:
    """Judge the rows of each table that is named."""
    report = judged.report
    known = {one["name"]: one for one in judged.info.get("tables", [])}
    for name, said in judged.notice.get("tables", {}).items():
        if name != "…" and name in known:
            report.say(f"table {name}: info agrees", known[name]["rows"], said)
    for name, one in known.items():
        if subject.text is not None:
            truth = subject.text.tables.get(name)
        elif name == "items" or not subject.is_json:
            truth = subject.table.count if subject.table is not None else None
        else:
            truth = len(rows_at(subject.data, one["path"]))
        if truth is None:
            report.skip(f"table {name}: rows", one["rows"])
        else:
            report.say(f"table {name}: rows", one["rows"], truth)


def _line(report: Report, line: str, judged: Judged, subject: Subject) -> None:
    """Judge one line of facts: about columns, or one that only this form has."""
    if line.startswith("sampled "):
        report.say(line[:60], True, True, marked=True)
        return
    columns = columns_of(subject)
    loose = subject.text is not None
    if line.startswith("other fields: "):
        check_beside(report, line, subject.data)
        return
    if (arrays := _HEADED.fullmatch(line)) is not None and subject.table is not None:
        report.say("arrays with the one that names the columns", whole(arrays[1]), subject.table.count + 1)
        return
    if check_own_line(report, line, judged.form, subject.text, subject.table, subject.data):
        return
    if line.startswith("constant: "):
        _constant(report, line, columns, loose=loose)
        return
    heading, _, names = line.partition(": ")
    if heading in _SHARED:
        _shared(report, heading, names, columns)
        return
    found = split_name(line, columns)
    if found is not None:
        check_column(report, found[0], found[1], Cells(values=columns[found[0]], loose=loose))
    else:
        report.skip(line[:100])


def _shared(report: Report, heading: str, names: str, columns: dict[str, list[Any]]) -> None:
    """Judge a line about several columns: ``all distinct: a, b, +3 columns``."""
    for text in names.split(", "):
        name = name_of(text, columns)
        if name is None:
            if not _LEFT.fullmatch(text):
                report.skip(f"{heading}: {text}")
            continue
        filled = [one for one in columns[name] if one is not None]
        truth = {
            "all distinct": len(filled) == len(columns[name]) == len(set(map(str, filled))),
            "links": any(isinstance(one, str) for one in filled),
            "empty": not filled,
        }
        report.say(f"{name}: {heading}", True, truth[heading])


def _constant(report: Report, line: str, columns: dict[str, list[Any]], *, loose: bool) -> None:
    """Judge ``constant: type=ticket · locale=en · +3 columns``."""
    for part in line.removeprefix("constant: ").split(" · "):
        found = None
        for at in reversed([one.start() for one in re.finditer("=", part)]):
            name = name_of(part[:at], columns)
            if name is not None:
                found = name, part[at + 1 :]
                break
        if found is None:
            if not _LEFT.fullmatch(part):
                report.skip(f"constant {part}")
            continue
        try:
            check_constant(report, found[0], found[1], Cells(values=columns[found[0]], loose=loose))
        except UnreadableError as error:
            report.say(f"constant {part}", str(error), None)


def parts_of(preview: str, told: dict[str, None]) -> tuple[list[str], list[str], list[str]]:
    """The lines of a preview: facts, the rows with what stands above them, and excerpts."""
    lines = preview.split("\n")
    at = next((number for number, line in enumerate(lines) if _ROWS.fullmatch(line)), None)
    facts = lines[:at] if at is not None else [line for line in lines if line in told]
    facts = [line for line in facts if not _TITLE.fullmatch(line) and not _LEFT.fullmatch(line)]
    return facts, lines[at:] if at is not None else [], lines[at or 0 :]


def _excerpts(report: Report, lines: list[str], subject: Subject, text: str) -> None:
    """Judge that numbered lines are those lines of the text, and what is below the nodes of a tree."""
    below = [found for line in lines if (found := re.fullmatch(r" *.*: ([\d,]+) nodes? below", line)) is not None]
    if subject.table is not None and below:
        said = [whole(one[1]) for one in below]
        report.say("nodes below", said, subject.table.below[: len(said)])
    del text
    if subject.text is None:
        return
    for line in lines:
        found = re.match(r"(\d+): (.*)", line)
        if found is not None and 0 < int(found[1]) <= len(subject.text.lines):
            shown = re.sub(r"…\[\+[\d,]+\]$", "", found[2])
            if shown.isprintable() and "\\u" not in shown:
                report.say(f"line {found[1]}", shown, subject.text.lines[int(found[1]) - 1][: len(shown)])
