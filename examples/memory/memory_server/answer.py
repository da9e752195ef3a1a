"""Chunks written as one text within a budget: 60 % for primary ones, 30 % for related ones, 10 % for relationships.

``pages`` says what is on which page. Here are the header and the proof: each page is written out and counted, and
filled more or less until it is as full as its budget allows.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Final

from memory_server.pages import LEAST, Shelf, beginning
from penstock import allocate, count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_server.pages import Part, Position
    from memory_server.retrieve import Chunk, Retrieval

SECTIONS: Final = {"primary": 0.6, "related": 0.3, "relationships": 0.1}
GAP: Final = "\n\n"  # between items; each is charged for one, also where a line break is enough
TASK_TOKENS, SESSION_TOKENS = 60, 40  # of the task and the session's name that the header repeats
TITLE: Final = 60  # characters of a title or a path over a chunk
FULL: Final = 0.97  # of a budget: a page that has so much is not filled once more
TRIES: Final = 2  # to fill a page; each is a count of the whole page
CLIENT_TOKENS: Final = 25_000  # the most that Claude Code takes of a tool
LOW: Final = 0.95  # of a budget that is kept by the estimate, which is a few percent too low for some texts
LARGEST: Final = 0.9  # of a page that one item may take; more of it is cut
CUT: Final = "… [cut: {hidden} more characters]"
KEPT: Final = 4  # answers whose pages are remembered; a client reads on in one or two
MOST: Final = 10**7  # pages and items in the header of a page whose numbers are not known yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits that answers are made by. The names are those of the settings."""

    max_bytes: int = 48_000
    page_size: int = 0
    truncate_content: bool = True
    strict: bool = True


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
    """All pages of an answer. ``task`` and ``session`` are what the header repeats of them; ``cut`` are the items that
    are larger than a page, of which the rest is on none; ``hidden`` are those that are on none at all."""

    request: Request
    retrieval: Retrieval
    limits: Limits
    task: str
    session: str
    pages: tuple[tuple[Part, ...], ...] = ()
    cut: frozenset[tuple[int, int]] = frozenset()
    hidden: int = 0

    def page(self, number: int) -> str:
        """Write a page."""
        parts = self.pages[number - 1] if number <= len(self.pages) else ()
        estimate = count(self._written(parts, number, len(self.pages), self.request.tokens)).tokens
        text = self._written(parts, number, len(self.pages), estimate)
        return (
            text
            if _cost(text, self.request, self.limits) <= self.request.tokens
            else shortened(text, self.request.tokens)
        )

    def cost(self, parts: Sequence[Part]) -> int:
        """Return the most that a page of these parts costs, wherever it is."""
        return _cost(self._written(parts, MOST, MOST + 1, self.request.tokens), self.request, self.limits)

    def _written(self, parts: Sequence[Part], number: int, pages: int, estimate: int) -> str:
        written = ["\n".join(self._header(parts, number, pages, estimate))]
        totals = (len(self.retrieval.primary), len(self.retrieval.related), len(self.retrieval.relationships))
        for section, (name, total) in enumerate(zip(SECTIONS, totals, strict=True)):
            here = [part.text for part in parts if part.section == section]
            if here:
                written.append(f"## {name.capitalize()} ({len(here)} of {total})")
                written.append(("\n" if name == "relationships" else GAP).join(here))
        return GAP.join(written)

    def _header(self, parts: Sequence[Part], number: int, pages: int, estimate: int) -> list[str]:
        request, retrieval = self.request, self.retrieval
        total = len(retrieval.primary) + len(retrieval.related) + len(retrieval.relationships)
        cut = [
            part for part in parts if ((part.section, part.index) in self.cut if part.is_last else not request.paginate)
        ]
        lines = [
            f"🎯 **Context-Aware Retrieval**: {self.task}",
            f"**Session**: {self.session}, own chunks: {retrieval.own_chunks}, "
            f"task type: {request.task_type}, ranking: {retrieval.ranking}, memory revision: {retrieval.revision}",
            f"**Token Budget**: {request.tokens} (Estimated: {estimate})",
            f"**Page**: {number} of {pages} (Total items: {total})",
        ]
        if cut or self.hidden:
            lines.append("⚠️ **Content was truncated to fit token limits**")
        if cut:
            first = self.chunk(cut[0].section, cut[0].index).id
            lines.append(f"Cut on this page: {len(cut)}. Read one whole: get_chunk with chunk_id {first}")
        if self.hidden:
            lines.append(f"Left out: {self.hidden}. See them: enable_pagination true, or more tokens.")
        if number < pages and self._is_wide(parts):
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
            also = "" if retrieval.ranking == "BM25" else ", or is about the same"
            lines.append(f"Nothing in memory has any word of the task{also}.")
        return lines

    def chunk(self, section: int, index: int) -> Chunk:
        """Return the chunk that an item of the first two sections is."""
        return (self.retrieval.primary, self.retrieval.related)[section][index]

    def _is_wide(self, parts: Sequence[Part]) -> bool:
        """Return whether the bytes of the page, and not its tokens, are what leaves no room for more."""
        text = GAP.join(part.text for part in parts)
        return _bytes_cost(text, self.request, self.limits) > _tokens_cost(text, self.request, self.limits)


class Answers:
    """Makes answers, and keeps the pages of the latest ones: each page of an answer depends on those before it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._kept: OrderedDict[Request, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def page(self, retrieval: Retrieval, request: Request) -> str:
        """Return the page that is requested."""
        key = replace(request, page=1)
        with self._lock:
            kept = self._kept.pop(key, None)
        if kept is None or kept.retrieval is not retrieval:
            kept = made(retrieval, request, self._limits)
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

    def measure(text: str) -> int:
        return _cost(text + GAP, request, limits)

    whole = Answer(
        request=request,
        retrieval=retrieval,
        limits=limits,
        task=_in_header(request.task, TASK_TOKENS),
        session=_in_header(request.session, SESSION_TOKENS),
    )
    texts = [
        [as_text(chunk) for chunk in retrieval.primary],
        [as_text(chunk) for chunk in retrieval.related],
        [f"- {line}" for line in retrieval.relationships],
    ]
    costs = [[measure(text) for text in section] for section in texts]
    largest = int((request.tokens - whole.cost(())) * LARGEST)
    cut = set()
    for section, index in [(s, n) for s, items in enumerate(costs) for n, cost in enumerate(items) if cost > largest]:
        if limits.truncate_content or request.paginate:
            text = texts[section][index]
            start, _ = beginning("", text, largest, len(text) / costs[section][index], measure, CUT)
            texts[section][index], costs[section][index] = start, measure(start)
            cut.add((section, index))
    whole = replace(whole, cut=frozenset(cut))
    shelf = Shelf(
        texts=texts,
        shares=tuple(SECTIONS.values()),
        costs=costs,
        whole=frozenset((2,)),
        measure=measure,
        marker="… [goes on on the next page]" if request.paginate else CUT,
        heading=lambda section, index: f"### c{whole.chunk(section, index).id} (continued)\n",
    )
    draft = replace(whole, hidden=0 if request.paginate else MOST)  # how many are left out is known at the end
    pages: list[tuple[Part, ...]] = []
    position, gain = shelf.start(), 1.0
    while not pages or (request.paginate and shelf.waiting(position)):
        parts, position, gain = _fullest(shelf, position, draft, gain)
        pages.append(tuple(parts))
    begun = 0 if request.paginate else sum(not part.is_last for part in pages[0])
    return replace(whole, pages=tuple(pages), hidden=shelf.waiting(position) - begun)


def _fullest(shelf: Shelf, position: Position, draft: Answer, gain: float) -> tuple[list[Part], Position, float]:
    """Fill the next page as full as the page before it: a page costs less than its parts do one by one, and ``gain``
    says how much more of them it takes. Tried again where that was too much, or by far too little."""
    request, limits = draft.request, draft.limits
    most = limits.page_size or MOST
    parts_items = request.paginate or limits.truncate_content
    free = max(1, request.tokens - draft.cost(()))
    gain = max(gain, 0.9)  # that of a page before it which was unlike others
    best: tuple[list[Part], Position, float] | None = None
    for number in range(MOST):
        parts, after = shelf.fill(position, int(free * gain), most, parts_items=parts_items)
        cost = draft.cost(parts)
        if cost <= request.tokens or free * gain < LEAST:  # less than that is no beginning of an item: ``page`` cuts it
            best = (parts, after, gain)
            if cost >= request.tokens * FULL or not shelf.waiting(after) or number >= TRIES:
                break
            gain += (request.tokens - cost) * 0.8 / free
        elif best is not None:
            break
        else:
            gain -= max((cost - request.tokens) / free, gain / 50)
    assert best is not None
    return best


def _cost(text: str, request: Request, limits: Limits) -> int:
    """Count the tokens of a text, or its part of the bytes that an answer may have, in tokens: whichever is more."""
    return max(_tokens_cost(text, request, limits), _bytes_cost(text, request, limits))


def _tokens_cost(text: str, request: Request, limits: Limits) -> int:
    counted = count(text)
    if limits.strict:
        return counted.upper
    return max(ceil(counted.tokens / LOW), ceil(counted.upper * request.tokens / CLIENT_TOKENS))


def _bytes_cost(text: str, request: Request, limits: Limits) -> int:
    size = len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace"))
    return ceil(size * request.tokens / limits.max_bytes)


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
