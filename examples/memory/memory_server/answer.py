"""Chunks written as one text within a budget: 60 % for primary ones, 30 % for related ones, 10 % for relationships.

Penstock's ``allocate_pages`` says what is on which page. Here are the header, and the proof: every page is written out
and counted, and the room for chunks is made smaller until all pages keep the budget.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Final

from memory_server.retrieve import retrieve, revisions
from penstock import count
from penstock.toolkit import Item, allocate, allocate_pages

if TYPE_CHECKING:
    from memory_server.database import Database
    from memory_server.retrieve import Chunk, Retrieval, Wanted
    from penstock.toolkit import Allocation

GAP: Final = "\n\n"  # between items; each is charged for one, also where a line break is enough
TASK_TOKENS, SESSION_TOKENS = 60, 40  # of the task and the session's name that the header repeats
TITLE: Final = 60  # characters of a title or a path over a chunk
SMALLER: Final = 0.97  # of the room, for pages that cost more as a whole than their chunks do one by one
KEPT: Final = 4  # answers whose pages are remembered; a client reads on in one or two
MOST: Final = 10**7  # pages and items in the header of a page whose numbers are not known yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits that answers are made by. The names are those of the settings. ``max_bytes`` 0 is no limit."""

    max_bytes: int = 48_000
    page_size: int = 0
    truncate_content: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The task that an answer is for, and its budget."""

    session: str
    task: str
    task_type: str
    tokens: int
    page: int
    paginate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """All pages of an answer. ``task`` and ``session`` are what the header repeats of them."""

    request: Request
    retrieval: Retrieval
    limits: Limits
    task: str
    session: str
    pages: tuple[Allocation, ...] = ()

    def page(self, number: int) -> str:
        """Write a page."""
        page = self.pages[number - 1] if number <= len(self.pages) else None
        estimate = count(self.written(page, number, self.request.tokens)).tokens
        text = self.written(page, number, estimate)
        return text if self.cost(text) <= self.request.tokens else shortened(text, self.request.tokens)

    def cost(self, text: str) -> int:
        """Count the tokens of a text, or its part of the bytes that an answer may have, in tokens: whichever is
        more."""
        return max(count(text).upper, self._bytes_cost(text))

    @property
    def overhead(self) -> int:
        """Return the most that the text around the chunks of a page costs: a header with all lines that it may have,
        and three headings."""
        header = self._header(MOST, MOST + 1, self.request.tokens, [MOST], MOST, is_wide=True)
        return self.cost("\n".join(header) + 3 * f"{GAP}## Relationships ({MOST} of {MOST})")

    def written(self, page: Allocation | None, number: int, estimate: int) -> str:
        """Write a page with its header; None is one behind the last."""
        sections = page.sections if page is not None else ()
        items = [item for section in sections for item in section.items]
        text = GAP.join(item.text for item in items)
        cut = [item.item.key for item in items if item.cut]
        hidden = page.hidden_items if page is not None else 0
        is_wide = self._bytes_cost(text) > count(text).upper and (number < len(self.pages) or bool(hidden or cut))
        written = ["\n".join(self._header(number, len(self.pages), estimate, cut, hidden, is_wide=is_wide))]
        for section in sections:
            texts = [item.text for item in section.items if item.text]
            if texts:
                written.append(f"## {section.name.capitalize()} ({len(texts)} of {section.total})")
                written.append(("\n" if section.name == "relationships" else GAP).join(texts))
        return GAP.join(written)

    def _header(
        self, number: int, pages: int, estimate: int, cut: list[int], hidden: int, *, is_wide: bool
    ) -> list[str]:
        """Write the header of a page. ``cut`` are the chunks that are cut on it, ``hidden`` is how many items are on no
        page; ``is_wide``: the bytes of the page, and not its tokens, leave no room for more."""
        request, retrieval = self.request, self.retrieval
        total = len(retrieval.primary) + len(retrieval.related) + len(retrieval.relationships)
        lines = [
            f"🎯 **Context-Aware Retrieval**: {self.task}",
            f"**Session**: {self.session}, own chunks: {retrieval.own_chunks}, "
            f"task type: {request.task_type}, ranking: BM25, memory revision: {retrieval.revision}",
            f"**Token Budget**: {request.tokens} (Estimated: {estimate})",
            f"**Page**: {number} of {pages} (Total items: {total})",
        ]
        if cut or hidden:
            lines.append("⚠️ **Content was truncated to fit token limits**")
        if cut:
            lines.append(f"Cut on this page: {len(cut)}. Read one whole: get_chunk with chunk_id {cut[0]}")
        if hidden:
            lines.append(f"Left out: {hidden}. See them: enable_pagination true, or more tokens.")
        if is_wide:
            lines.append(f"**Byte limit**: {self.limits.max_bytes}, which cut this page before the tokens did")
        if len(retrieval.primary) < retrieval.matching:
            lines.append(
                f"Taken: the best {len(retrieval.primary)} of {retrieval.matching} matches. More: raise max_chunks."
            )
        if number < pages:
            lines.append(f"**Next page**: the same call with page {number + 1}")
        if number > pages:
            lines.append(f"This page is past the last one, {pages}.")
        if not total:
            lines.append("Nothing in memory has any word of the task.")
        return lines

    def _bytes_cost(self, text: str) -> int:
        size = len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace"))
        return ceil(size * self.request.tokens / self.limits.max_bytes) if self.limits.max_bytes else 0


class Answers:
    """Makes answers, and keeps the latest ones: the pages of one answer are of one search, while memory is as it
    was."""

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database, self._limits = database, limits
        self._kept: OrderedDict[object, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def page(self, wanted: Wanted, request: Request, max_bytes: int | None = None) -> str:
        """Return the page that is requested; ``max_bytes`` is the limit of the client, if it has another one."""
        limits = self._limits if max_bytes is None else replace(self._limits, max_bytes=max_bytes)
        key = (wanted, replace(request, page=1), limits, revisions(self._database, wanted))
        with self._lock:
            kept = self._kept.pop(key, None)
        if kept is None:
            kept = made(retrieve(self._database, wanted), request, limits)
        with self._lock:
            self._kept[key] = kept
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return kept.page(request.page)


def answer(retrieval: Retrieval, request: Request, limits: Limits) -> str:
    """Return the page that is requested, within its budget."""
    return made(retrieval, request, limits).page(request.page)


def made(retrieval: Retrieval, request: Request, limits: Limits) -> Answer:
    """Make all pages of a retrieval."""
    empty = Answer(
        request=request,
        retrieval=retrieval,
        limits=limits,
        task=_in_header(request.task, TASK_TOKENS),
        session=_in_header(request.session, SESSION_TOKENS),
    )
    sections = {
        "primary": [Item(text=as_text(chunk), key=chunk.id) for chunk in retrieval.primary],
        "related": [Item(text=as_text(chunk), key=chunk.id) for chunk in retrieval.related],
        "relationships": [Item(text=f"- {line}") for line in retrieval.relationships],
    }
    measure = cache(lambda text: empty.cost(text + GAP))
    overhead, share = empty.overhead, 1.0
    while True:
        room = overhead + max(1, int((request.tokens - overhead) * share))
        pages = allocate_pages(
            sections,
            budget=room,
            overhead=overhead,
            safety=0,
            page_size=limits.page_size or None,
            paginate=request.paginate,
            truncate=limits.truncate_content,
            measure=measure,
        )
        whole = replace(empty, pages=tuple(pages))
        texts = (whole.written(page, page.page, request.tokens) for page in pages)
        if share < 1 / 2 or all(whole.cost(text) <= request.tokens for text in texts):
            return whole
        share *= SMALLER


def as_text(chunk: Chunk) -> str:
    """Write a chunk under its heading: its number first, which is then there however short it is cut."""
    where = one_line(chunk.source) + (f", part {chunk.position + 1}" if chunk.source else "")
    known = (f"c{chunk.id}", where, one_line(chunk.title), one_line(chunk.why))
    return f"### {' · '.join(part for part in known if part)}\n{chunk.text.strip()}"


def shortened(text: str, tokens: int, marker: str = "…") -> str:
    """Cut a text at a word to so many tokens."""
    plan = allocate({"text": [text]}, shares={"text": 1}, budget=tokens, overhead=0, safety=0, marker=marker)
    return plan.sections[0].items[0].text


def _in_header(text: str, tokens: int) -> str:
    """Return a caller's text on one line: it cannot pass for a line of the header."""
    return shortened(" ".join(text.split()), tokens)


def one_line(text: str) -> str:
    """Return a title as it stands in a line, cut when it is long."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE else f"{line[:TITLE]}…"
