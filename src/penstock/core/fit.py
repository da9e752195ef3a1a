"""The one decision: does a result pass untouched, pass minified, or is it held and stood in for by a preview?

    match fit(result, budget, call):
        case Pass(): ...            # write the same bytes on
        case Compact(raw=raw): ...  # the same data in fewer bytes
        case Hold() as hold: ...    # store hold.document, then hold.answer(handle, expires_in_s)

``fit`` reads the document (forms), makes the preview and the suggestions (answer); it never stores anything and knows
no handle.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import field

from penstock.core.answer.copies import repeats_blocks
from penstock.core.answer.result import Payload, Result, parse, payload
from penstock.core.answer.stand_in import Cost, block_cost, compacted, cost_of, without_copy
from penstock.core.answer.suggest import AnsweredCall, suggest
from penstock.core.budget import ENVELOPE, Budget, Room
from penstock.core.fit_room import preview_within
from penstock.core.forms.converted import converted
from penstock.core.forms.document import Kind
from penstock.core.forms.recognise import read_form
from penstock.core.hold import EMPTY, Hold, hold_as
from penstock.core.json.strings import quote_exactly
from penstock.core.measure import Measure, measure
from penstock.core.plain import Plain
from penstock.core.text import counted
from penstock.core.tokens.count import Count, count
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from penstock.core.answer.suggest import Suggestion
    from penstock.core.changes.since import Since
    from penstock.core.forms.converted import Convert
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading

    Compare = Callable[[Document, Reading], Since | None]

__all__ = ["Budget", "Call", "Compact", "Hold", "Pass", "Plan", "fit", "fit_document"]

COMPACTABLE: Final = 8  # times the budget: white space and a copy of the data are never more than that much of it


class Call(Plain, frozen=True, kw_only=True):
    """The call that was answered: what the tool's name, arguments and input schema tell about narrowing it, and whose
    it is. A handle opens only for the owner whose call made it.

    ``client`` is the name that the client gave itself; ``structured`` tells that it was told of an output schema;
    ``read_only`` that the tool says so of itself. ``partial`` says that the result is not all, where that is known.
    ``known_notices`` are the handles whose notices the same conversation has read; there are none if it is not known.
    ``ahead`` is a call that no client has made yet: its answer is given later, with a note, and says nothing of now.
    """

    tool: str = "tool"
    owner: str = ""
    client: str = ""
    structured: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    read_only: bool = False
    partial: str = ""
    known_notices: Container[str] = ()
    ahead: bool = False


class Pass(Plain, frozen=True, kw_only=True):
    """The result fits: write the same bytes on. ``cost`` is None where its length alone decided."""

    cost: Cost | None = None


class Compact(Plain, frozen=True, kw_only=True):
    """The result fits without its white space, or without the copy of itself that it carried. ``cost`` is that of
    what is left, ``tokens`` those of the data as it came."""

    raw: bytes
    cost: Cost
    tokens: int


class ResultModel(Protocol):
    """A result as an object of the official SDK (``CallToolResult``), without an import of the SDK."""

    @property
    def content(self) -> Sequence[Any]: ...

    def model_dump_json(self, *, by_alias: bool, exclude_none: bool) -> str: ...


FitInput = Result | bytes | str | dict[str, Any] | list[Any] | ResultModel


Plan = Pass | Compact | Hold


def fit(
    result: FitInput,
    budget: Budget,
    call: Call | None = None,
    convert: Convert | None = None,
    compare: Compare | None = None,
) -> Plan:
    """Decide what becomes of a result: an MCP result, other data, or a text.

    An MCP result is read as it is: JSON bytes, a dict, or an object of the official SDK. A dict or a list of other data
    is a result with one text block, which has the data as JSON. A str is a result with one text block, which has that
    text.


    ``convert`` has the parsers of other languages; without them YAML, XML and HTML are plain text. ``compare`` tells
    what changed since an earlier result of the same call, if one is held."""
    result = _as_result(result)
    is_unread = not budget.always_hold and isinstance(result, bytes) and len(result) <= budget.unread
    if budget.never_hold or is_unread:
        return Pass()
    parsed = parse(result) if isinstance(result, bytes) else result
    if budget.always_hold and parsed.is_interim:  # a step of the protocol, which a client cannot do without
        budget = replace(budget, always_hold=False)
    compare = None if parsed.is_error else compare
    if not budget.always_hold and (whole := _cost_if_it_fits(parsed, budget)) is not None:
        return Pass(cost=whole)
    content = None if not budget.structured and repeats_blocks(parsed) else payload(parsed)
    if content is None or (content.twin and not budget.structured and _may_fit(content, budget)):
        before = cost_of(parsed, budget.profile).tokens
        bare = without_copy(parsed, b"" if content is None else content.left)
        alone = parsed if bare is None else parse(bare)
        if bare is not None and not budget.always_hold and (kept := _cost_if_it_fits(alone, budget)) is not None:
            return Compact(raw=bare, cost=kept, tokens=before)
        parsed = alone if content is None else parsed  # to a client that reads the copy, a picture would be text
    content = content or payload(parsed)
    tokens = content.counts(budget.profile)[0].tokens
    if not budget.always_hold and tokens <= COMPACTABLE * budget.max_tokens:
        smaller = compacted(
            parsed, content, structured=budget.structured, most=budget.max_tokens, profile=budget.profile
        )
        left = None if smaller is None else _cost_if_it_fits(parse(smaller), budget)
        if smaller is not None and left is not None:
            return Compact(raw=smaller, cost=left, tokens=tokens)
    return _hold(parsed, content, budget, call or Call(), convert, compare=compare)


def _may_fit(content: Payload, budget: Budget) -> bool:
    """Return True if the data of a result fits without a copy of it."""
    return content.counts(budget.profile)[0].tokens <= budget.max_tokens


def fit_document(document: Document, budget: Budget, call: Call | None = None, convert: Convert | None = None) -> Plan:
    """Decide the same for data that is no MCP result yet, as it would be for a result with one text block."""
    if budget.never_hold:
        return Pass()
    whole = Room(tokens=budget.max_tokens, size=budget.text_bytes, profile=budget.profile, lines=budget.lines)
    if not budget.always_hold:
        if whole.fits(document.raw[:]):
            return Pass()
        tokens = count(document.raw, budget.profile).tokens
        if document.kind is Kind.JSON and tokens <= COMPACTABLE * budget.max_tokens:
            small = document.minified()
            if whole.fits(small):
                left = count(small, budget.profile)
                return Compact(raw=small, cost=Cost(left.tokens, whole.cost(small)), tokens=tokens)
    return _hold(EMPTY, Payload(document=document, origin="text"), budget, call or Call(), convert)


def _cost_if_it_fits(result: Result, budget: Budget) -> Cost | None:
    if result.size > budget.max_bytes:
        return None
    if result.size - result.media_size > budget.max_text_bytes:
        return None
    if budget.max_lines is not None and result.line_count > budget.max_lines:
        return None
    cost = cost_of(result, budget.profile, budget.max_tokens)
    return cost if cost.charged <= budget.max_tokens else None


def _hold(
    result: Result,
    content: Payload,
    budget: Budget,
    call: Call,
    convert: Convert | None,
    *,
    compare: Compare | None = None,
) -> Hold:
    content = replace(content, document=converted(content.document, convert))
    document = content.document
    figures = measure(document, budget.profile, reading=read_form(document), tokens=content.counts(budget.profile)[0])
    if not document.raw:  # no text at all: what is held are the blocks
        words = f"{counted(len(content.rest), 'block')} that {'is' if len(content.rest) == 1 else 'are'} not text"
        reading = replace(figures.reading, words=words)
        size = sum(len(block.raw) for block in content.rest)
        figures = replace(figures, size=size, tokens=_of_blocks(content, budget), reading=reading)
    since = None if compare is None or not document.raw else compare(document, figures.reading)
    return hold_as(
        result,
        content,
        figures,
        budget,
        call,
        suggestions=_suggestions(content, figures, budget, call),
        since=since,
        draw=lambda room: preview_within(document, figures.reading, budget, room, call.arguments),
    )


def _suggestions(content: Payload, figures: Measure, budget: Budget, call: Call) -> tuple[Suggestion, ...]:
    # The client's limit in bytes, in tokens as dense as these: a narrower call must fit that as well.
    affordable = min(budget.max_tokens, budget.text_bytes * figures.tokens.tokens // max(1, figures.size))
    answered = AnsweredCall(
        tool=call.tool,
        arguments=call.arguments,
        schema=call.schema,
        fetch_tool=budget.fetch_tool,
        tokens=figures.tokens.tokens,
        most=_spendable(content, figures, budget, affordable),
        page=min(budget.page.tokens, affordable),
    )
    return suggest(content.document, figures.reading, answered, budget.max_suggestions)


def _of_blocks(content: Payload, budget: Budget) -> Count:
    """Return what blocks cost that are no text: a picture as a picture, anything else as it is written."""
    costs = [block_cost(block, budget.profile) for block in content.rest]
    return Count(tokens=sum(one.tokens for one in costs), upper=sum(one.charged for one in costs), method="blocks")


def _spendable(content: Payload, figures: Measure, budget: Budget, affordable: int) -> int:
    """Return the tokens that a narrower answer may have as a model reads them, to pass when it is charged as it is
    written: with its escapes, by the upper bound, and twice where the server says everything twice."""
    charged = content.counts(budget.profile)[1].upper
    copies = 2 if content.twin else 1
    return min(affordable, (budget.max_tokens - ENVELOPE) * figures.tokens.tokens // max(1, charged * copies))


def _as_result(value: FitInput) -> Result | bytes:
    """Return the MCP result for a value. Bytes that are not an MCP result are one text, which ``parse`` decides."""
    if isinstance(value, Result | bytes):
        return value
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, dict | list):
        data = _as_json(value)
        return data if _is_result(value) else _of_text(data.decode())
    if hasattr(value, "model_dump_json") and isinstance(getattr(value, "content", None), list):
        return value.model_dump_json(by_alias=True, exclude_none=True).encode()
    raise TypeError(
        "fit accepts an MCP result (as JSON bytes, a dict or an object of the SDK), "
        f"a dict or a list of other data, or a str, but got {type(value).__name__}"
    )


def _is_result(value: dict[str, Any] | list[Any]) -> bool:
    """Return True if a value has ``structuredContent``, or if each item of ``content`` has a type as MCP blocks do."""
    if not isinstance(value, dict):
        return False
    content = value.get("content")
    has_blocks = isinstance(content, list) and all(
        isinstance(block, dict) and isinstance(block.get("type"), str) for block in content
    )
    return has_blocks or "structuredContent" in value


def _of_text(text: str) -> bytes:
    return b'{"content":[{"type":"text","text":' + quote_exactly(text) + b"}]}"


def _as_json(value: dict[str, Any] | list[Any]) -> bytes:
    try:
        written = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise CallerError(f"the data cannot be written as JSON: {error}", do="convert that value first") from error
    return written.encode("utf-8", "backslashreplace")  # a lone surrogate becomes its escape in JSON
