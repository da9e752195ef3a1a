"""Hold a result, read its notice and preview as a model does, make each call, and compare both with the truth."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock import Call, count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bench.answers_parts.question import Question, Result, Settled, Stands

    from penstock import Gate

OWNER: Final = "reader"
COUNTER: Final = "claude"
SHORT: Final = 400  # characters of an answer in which a value can only mean one thing
COUNTS: Final = (
    "row_count",
    "total",
    "columns",
    "complete",
    "note",
    "_pagination",
)  # what is said about an answer's rows
_GROUPED = re.compile(r"(?<![\w.,:])\d{1,3}(?:,\d{3})+(?![\w,])")  # a number with separators of thousands


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """What a model reads first: the notice, the preview, and the tokens of both."""

    notice: dict[str, Any]
    preview: str
    tokens: int

    @property
    def message(self) -> str:
        return str(self.notice.get("message", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question with what came of it. ``call`` are the tokens of the arguments and of the answer."""

    form: str
    question: Question
    settled: bool
    right: bool
    notice: int
    call: int
    answer: str


def tokens_of(text: str) -> int:
    return count(text, COUNTER).tokens


def admit(gate: Gate, result: Result, tool: str, arguments: Mapping[str, Any] | None = None) -> First | None:
    """Take a result through the gate; None where it passes whole."""
    texts = [result.content] if isinstance(result.content, str) else result.content
    raw = json.dumps({"content": [{"type": "text", "text": one} for one in texts]}).encode()
    told = json.loads(gate.admit(Call(tool=tool, owner=OWNER, arguments=arguments or {}), raw))
    return first_of([one["text"] for one in told["content"]])


def first_of(blocks: list[str]) -> First | None:
    """Return the notice and the preview, or None if the blocks are the result itself.

    The notice is the first line. The preview is the rest of its block, or the blocks that follow."""
    if not blocks[0].startswith('{"type":"buffered_response"'):
        return None
    line, _, rest = blocks[0].partition("\n")
    preview = "\n".join([rest, *blocks[1:]] if rest else blocks[1:])
    return First(notice=json.loads(line), preview=preview, tokens=sum(map(tokens_of, blocks)))


def answers(gate: Gate, form: str, result: Result) -> Iterator[Answered]:
    """Ask all questions about one result."""
    first = admit(gate, result, form.partition(": ")[2])
    if first is None:
        raise ValueError(f"{form} passes whole: make it larger")
    for question in result.questions:
        told = json.loads(gate.fetch(OWNER, {"cache_id": first.notice["cache_id"], **question.call}))
        blocks = [one["text"] for one in told["content"] if one["type"] == "text"]
        line, _, text = blocks[0].partition("\n")
        parts = [line, text, *blocks[1:]]
        holds = not told.get("isError") and all(has_group(parts, group) for group in question.truth)
        yield Answered(
            form=form,
            question=question,
            settled=any(has_statements(first, way) for way in question.first),
            right=holds,
            notice=first.tokens,
            call=tokens_of(json.dumps(question.call)) + sum(map(tokens_of, blocks)),
            answer="\n".join(blocks),
        )


def has_group(parts: list[str], group: tuple[str, ...]) -> bool:
    """Whether some row or line of an answer has all values of a group."""
    return any(all(has(unit, one) for one in group) for part in parts for unit in _units(part))


def _units(block: str) -> Iterator[str]:
    """The rows and lines of an answer; of what stands beside its rows, nothing."""
    try:
        told = json.loads(block)
    except ValueError:
        yield from block.split("\n")
        return
    if isinstance(told, dict):
        if "total" in told and len(told) < 8:
            yield f"total {told['total']}"
        told = {name: value for name, value in told.items() if name not in COUNTS}
    if len(json.dumps(told)) <= SHORT:
        yield json.dumps(told, ensure_ascii=False)
    waiting = [told]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield from value.split("\n")
        elif isinstance(value, dict | list):
            inner = list(value.values()) if isinstance(value, dict) else value
            waiting += inner
            if not any(isinstance(one, dict | list) for one in inner):
                yield json.dumps(value, ensure_ascii=False)


def has_statements(first: First, way: Settled) -> bool:
    """Whether all statements of a way stand in what a model reads first."""
    return all(_stands(first, one) for one in way)


def _stands(first: First, statement: Stands) -> bool:
    lines = [*re.split(r"(?<=[.;,]) ", first.message), *first.preview.split("\n")]
    lines += [f"{name} {rows}" for name, rows in first.notice.get("tables", {}).items()]
    header: list[str] = []
    for line in lines:
        if re.fullmatch(r"(?:sample rows?|all) [\d, -]+(?: rows?)?:", line):
            header = ["?"]
            continue
        if header == ["?"]:
            header = line.split("|")
            continue
        if header and len(cells := line.split("|")) == len(header):
            if _is_row(header, cells, statement):
                return True
            continue
        header = []
        if _has_label(line, statement.label) and any(
            all(has(part, one) for one in statement.tokens) for part in line.split(" · ")
        ):
            return True
    return False


def _is_row(header: list[str], cells: list[str], statement: Stands) -> bool:
    """Whether a row has the last token in the column of the statement, and the others anywhere."""
    column = next((at for at, name in enumerate(header) if _has_label(name, statement.label)), None)
    if column is None:
        return False
    bare = [_bare(cell) for cell in cells]
    *others, value = statement.tokens
    return bare[column] == _bare(value) and all(_bare(one) in bare for one in others)


def _ungrouped(text: str) -> str:
    return _GROUPED.sub(lambda found: found[0].replace(",", ""), text)


def _bare(text: str) -> str:
    return _ungrouped(text.strip().strip('"'))


def _has_label(line: str, label: str) -> bool:
    return all(re.search(rf"(?i)(?<![a-z]){re.escape(word)}(?![a-rt-z])", line) for word in label.split())


def has(text: str, token: str) -> bool:
    """Whether a value stands in a text by itself, as no part of a longer number, word or path."""
    before = r"(?<![\w/.])" if token[:1].isalnum() else ""
    after = r"(?![\w/]|[.:-]\d)" if token[-1:].isalnum() else ""
    pattern = before + re.escape(_ungrouped(token)) + after
    return re.search(pattern, _ungrouped(text).replace('\\"', '"')) is not None
