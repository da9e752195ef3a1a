"""Chunks written as one text within a budget: 60 % for primary ones, 30 % for related ones, 10 % for relationships.

``penstock.allocate`` sets the overhead and the safety margin aside, and says what is on which page. What is left to do
here is the header, and the proof: the finished text is counted, and should it cost more than its parts did, its
largest chunk is cut once more. No item ever moves to another page by that, so that pages put together are all items.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Final

from penstock import allocate, count

if TYPE_CHECKING:
    from memory_server.retrieve import Chunk, Found
    from penstock import Allocation

SHARES: Final = {"primary": 0.6, "related": 0.3, "relationships": 0.1}
GAP: Final = "\n\n"  # between items; each is charged for one, also where a line break is enough
TASK_TOKENS, SESSION_TOKENS = 60, 40  # of the task and the session's name that the header repeats
TITLE: Final = 60  # characters of a title or a path over a chunk
LEAST: Final = 30  # tokens of a chunk that is cut once more: its number, and some words


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How answers are made. The names are those of the settings."""

    max_bytes: int = 48_000
    page_size: int = 0
    truncate_content: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the answer is for, and what it may cost."""

    session: str
    task: str
    task_type: str
    tokens: int
    page: int
    paginate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item on a page."""

    text: str
    chunk: int | None
    cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A page, to be written."""

    asked: Asked
    found: Found
    plan: Allocation
    items: tuple[tuple[Item, ...], ...]
    max_bytes: int = 48_000

    def written(self, estimate: int) -> str:
        """The whole text."""
        parts = ["\n".join(self._header(estimate))]
        for section, items in zip(self.plan.sections, self.items, strict=True):
            if items:
                gap = "\n" if section.name == "relationships" else GAP
                parts.append(f"## {section.name.capitalize()} ({len(items)} of {section.total})")
                parts.append(gap.join(item.text for item in items))
        return GAP.join(parts)

    def _header(self, estimate: int) -> list[str]:
        asked, found, plan = self.asked, self.found, self.plan
        cut = [item.chunk for items in self.items for item in items if item.cut]
        lines = [
            f"🎯 **Context-Aware Retrieval**: {_in_header(asked.task, TASK_TOKENS)}",
            f"**Session**: {_in_header(asked.session, SESSION_TOKENS)}, own chunks: {found.own_chunks}, "
            f"task type: {asked.task_type}, memory revision: {found.revision}",
            f"**Token Budget**: {asked.tokens} (Estimated: {estimate})",
            f"**Page**: {plan.page} of {plan.total_pages} (Total items: {plan.total_items})",
        ]
        if cut or plan.hidden_items:
            lines.append("⚠️ **Content was truncated to fit token limits**")
        if cut:
            lines.append(f"Cut on this page: {len(cut)}. Read one whole: get_chunk with chunk_id {cut[0]}")
        if plan.hidden_items:
            lines.append(f"Left out: {plan.hidden_items}. See them: enable_pagination true, or more tokens.")
        if plan.has_more and self._is_wide():
            lines.append(f"**Byte limit**: {self.max_bytes}, which cut this page before the tokens did")
        if len(found.primary) < found.matching:
            lines.append(f"Taken: the best {len(found.primary)} of {found.matching} matches. More: raise max_chunks.")
        if plan.has_more:
            lines.append(f"**Next page**: the same call with page {plan.page + 1}")
        if plan.page > plan.total_pages:
            lines.append(f"This page is past the last one, {plan.total_pages}.")
        if not plan.total_items:
            lines.append("Nothing in memory has any word of the task.")
        return lines

    def _is_wide(self) -> bool:
        """Return whether the bytes of the page, and not its tokens, are what leaves no room for more."""
        text = GAP.join(item.text for items in self.items for item in items)
        used = len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) / self.max_bytes
        return used > count(text).upper / self.asked.tokens


def answer(found: Found, asked: Asked, limits: Limits) -> str:
    """The page that is asked for, within its budget."""
    sections = {
        "primary": [as_text(chunk) for chunk in found.primary],
        "related": [as_text(chunk) for chunk in found.related],
        "relationships": [f"- {line}" for line in found.relationships],
    }
    wholes = {text for texts in sections.values() for text in texts}
    least = _least(asked, limits)
    plan = allocate(
        sections,
        shares=SHARES,
        budget=asked.tokens,
        page=asked.page,
        paginate=asked.paginate,
        truncate=limits.truncate_content,
        measure=lambda text: max(_cost(text + GAP, asked, limits), least if text in wholes else 0),
    )
    chunks = (found.primary, found.related, None)
    items = tuple(
        tuple(Item(text=one.text, chunk=known[one.index].id if known else None, cut=one.cut) for one in section.items)
        for section, known in zip(plan.sections, chunks, strict=True)
    )
    made = Answer(asked=asked, found=found, plan=plan, items=items, max_bytes=limits.max_bytes)
    return fitted(made, limits)


def fitted(page: Answer, limits: Limits) -> str:
    """The text of a page, its chunks cut once more if that is what it takes."""
    while True:
        estimate = count(page.written(page.asked.tokens)).tokens
        text = page.written(estimate)
        excess = _cost(text, page.asked, limits) - page.asked.tokens
        size, at, place = max(
            (
                (count(item.text).upper, at, place)
                for at, items in enumerate(page.items)
                for place, item in enumerate(items)
            ),
            default=(0, 0, 0),
        )
        if excess <= 0 or size <= LEAST:
            return shortened(text, page.asked.tokens)  # as it is, but for a page of nothing but hundreds of scraps
        item = page.items[at][place]
        cut = replace(item, text=shortened(item.text, max(LEAST, size - excess), "… [cut]"), cut=True)
        section = (*page.items[at][:place], cut, *page.items[at][place + 1 :])
        page = replace(page, items=(*page.items[:at], section, *page.items[at + 1 :]))


def _cost(text: str, asked: Asked, limits: Limits) -> int:
    """The tokens of a text, or its part of the bytes that an answer may have, in tokens: whichever is more."""
    size = len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace"))
    return max(count(text).upper, ceil(size * asked.tokens / limits.max_bytes))


def _least(asked: Asked, limits: Limits) -> int:
    """What every item is charged at least, so that no more of them than the page size are on a page."""
    if not limits.page_size:
        return 0
    plan = allocate({}, budget=asked.tokens)
    return ceil((plan.budget - plan.overhead - plan.safety) / limits.page_size)


def as_text(chunk: Chunk) -> str:
    """A chunk under its heading: its number first, which is then there however short it is cut."""
    where = one_line(chunk.source) + (f", part {chunk.position + 1}" if chunk.source else "")
    known = (f"c{chunk.id}", where, one_line(chunk.title), one_line(chunk.why))
    return f"### {' · '.join(part for part in known if part)}\n{chunk.text.strip()}"


def shortened(text: str, tokens: int, marker: str = "…") -> str:
    """A text cut at a word to so many tokens."""
    plan = allocate({"text": [text]}, shares={"text": 1}, budget=tokens, overhead=0, safety=0, marker=marker)
    return plan.sections[0].items[0].text


def _in_header(text: str, tokens: int) -> str:
    """What a caller wrote, on one line: it cannot pass for a line of the header."""
    return shortened(" ".join(text.split()), tokens)


def one_line(text: str) -> str:
    """A title as it stands in a line, cut when it is long."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE else f"{line[:TITLE]}…"
