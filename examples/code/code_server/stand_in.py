"""The stand-in for a buffered answer: its figures, a preview, and the calls that read on or ask for less.

Penstock's notice has the handle, the figures and the calls; the names are the buffer's. A preview has to fit whatever
is in it, so it is made in ever smaller forms until one does.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from code_server.shapes import cut, levels, top_files
from penstock import Indicator, Room, count, outline
from server_parts.answers import as_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock import Config

FIRST: Final = 3  # matches that a preview shows
TOP: Final = 5  # files that it names
# Folders of code that is not the project's own, and of its tests and output: the only ones to leave out of a search.
DEPENDENCIES: Final = frozenset({"node_modules", "bower_components", "site-packages", "vendor", "third_party"})
BESIDE: Final = frozenset({"test", "tests", "__tests__", "dist", "build"})
NEARLY_ALL: Final = 0.9  # of the matches
FEW: Final = 10  # matches of a call that is offered where no other narrower one fits
ROOM: Final = 0.6  # of the limit that a call may take by its average match: the next ones may be longer
MOST_COUNTED: Final = 25  # groups that are offered to be counted
COUNTED: Final = {"get_references": ("file",), "get_diagnostics": ("severity", "code", "file")}
WARNINGS: Final = ("incomplete", "notChecked", "skippedFiles")  # what is not in an answer, said also in its stand-in
FETCH: Final = "fetch_cached_response"
MOST_SYMBOLS: Final = 200  # of one level; no preview has room for more
SYMBOLS: Final = "get_document_symbols"
# What Penstock's message says of a result whose estimate is within the limit, and which is held for another figure.
DECIDED: Final = re.compile(
    r"about [\d,]+ tokens, (?:and up to [\d,]+ as it is sent|[\d,]+ bytes|[\d,]+ lines); the limit is [\d,]+(?: \w+)?"
)
AS_SENT: Final = re.compile(r"and up to ([\d,]+) as it is sent; the limit is")
ITEMS: Final = {
    "search_text": "matches",
    "get_references": "references",
    "get_diagnostics": "diagnostics",
    SYMBOLS: "symbols",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffered:
    """An answer that was held, and Penstock's notice of it. ``exceeds`` tells that it was for its size, ``for_depth``
    that it was for its depth alone."""

    tool: str
    arguments: Mapping[str, Any]
    data: Mapping[str, Any]
    notice: Mapping[str, Any]
    exceeds: bool
    for_depth: bool = False

    @property
    def size(self) -> str:
        """Return its tokens; where their estimate is within the limit, the figure that is above one, as Penstock has
        it."""
        tokens: int = self.notice["metadata"]["total_tokens"]
        decided = DECIDED.search(self.notice.get("message", "")) if self.exceeds else None
        if decided is not None:
            return decided[0]
        return f"{tokens / 1_000:,.0f}K tokens" if tokens >= 1_000 else f"{tokens} tokens"

    @property
    def tokens_as_sent(self) -> int:
        """Return the most that it costs as it is sent, where that and not the estimate is above the limit; else 0."""
        decided = AS_SENT.search(self.notice.get("message", "")) if self.exceeds else None
        return int(decided[1].replace(",", "")) if decided else 0

    @property
    def depth(self) -> int:
        """Return how deep it is nested: symbols in one another, other answers as JSON."""
        depth: int = self.notice["metadata"]["max_depth"]
        return levels(self.items) if self.tool == SYMBOLS else depth

    @property
    def items(self) -> list[dict[str, Any]]:
        """Return the matches, references, diagnostics or symbols."""
        items: list[dict[str, Any]] = self.data[ITEMS[self.tool]]
        return items


def is_deep(tool: str, data: Mapping[str, Any], config: Config) -> bool:
    """Return True if symbols are nested deeper than they are shown. Other answers are no trees: each item is of one
    depth."""
    rule = config.rule_for(tool)
    return tool == SYMBOLS and rule.auto_truncate and levels(data["symbols"]) > rule.max_depth


def stand_in(held: Buffered, config: Config) -> str | None:
    """Write the JSON that stands in, with the largest preview that fits; None when not even an empty one does. What is
    held for its depth alone may be as large as any answer: all symbols down to that depth."""
    rule = config.rule_for(held.tool)
    profile = "claude" if config.profile == "auto" else config.profile  # the count that is never too low
    limit: int = held.notice["metadata"]["token_limit"]  # which may be the client's own
    room = Room(tokens=min(rule.preview_tokens, limit), size=rule.preview_bytes, profile=profile)
    if held.for_depth:
        room = Room(tokens=limit, size=rule.preview_bytes + held.notice["metadata"]["total_bytes"], profile=profile)
    for form in _forms(held, config):
        text = as_json(form)
        if room.fits(text):
            return text
    return None


def _forms(held: Buffered, config: Config) -> Iterator[dict[str, Any]]:
    previews = _trees(held, config) if held.tool == SYMBOLS else _samples(held, config)
    for message, depth, preview in previews:
        yield _response(held, message, depth, preview)
    short = _response(held, message, depth, {})
    del short["suggestions"], short["metadata"]["suggestedRefinements"]
    yield short


def _samples(held: Buffered, config: Config) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield the first items, cut to the tool's depth, and the files with most of them; ever fewer."""
    depth = config.rule_for(held.tool).max_depth
    indicator = Indicator(text=config.depth_indicator, keep_lengths=config.preserve_array_length)
    files = top_files(held.items)
    for first, top in ((FIRST, TOP), (1, 3), (0, 1)):
        items = held.items[:first]
        cut_items = outline(as_json(items).encode(), depth, indicator)
        message = (
            f"{_summary(held)}. The preview shows the first {len(items)}. Refine the call, or read on from the buffer."
        )
        yield message, cut_items.depth, {"firstMatches": json.loads(cut_items.text), "topFiles": files[:top]}


def _summary(held: Buffered) -> str:
    """Say how many there are, and where only some of them are in the buffer, which, and how to get the others."""
    data, noun, size = held.data, ITEMS[held.tool], held.size
    head = f"Found {data['totalMatches']:,} {noun} across {data['fileCount']:,} files"
    if "shownMatches" in data:
        first, last = data["offset"] + 1, data["offset"] + data["shownMatches"]
        rest = f"; the next by offset {data['nextOffset']}" if "nextOffset" in data else ""
        return f"{head}. Numbers {first:,} to {last:,} are in the buffer ({size}){rest}"
    if "notChecked" in data or "nextOffset" in data:
        failed = f"; {sum(data['notChecked'].values()):,} could not be checked" if "notChecked" in data else ""
        rest = f"; the next by offset {data['nextOffset']}" if "nextOffset" in data else ""
        return (
            f"{head}, in the {data['checkedFiles']:,} of {data['totalFiles']:,} files that were checked "
            f"({size}){failed}{rest}"
        )
    return f"{head} ({size}){', and there may be more: it is incomplete' if 'incomplete' in data else ''}"


def _trees(held: Buffered, config: Config) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield all symbols down to a depth; where there are too many of them, the first of the uppermost ones."""
    deepest, tree = held.depth, held.items
    size = f" ({held.size})" if held.exceeds else ""
    head = f"{held.data['symbolCount']:,} symbols{size}, nested {deepest} levels deep. The preview shows"
    lengths = config.preserve_array_length
    for depth in range(config.rule_for(SYMBOLS).max_depth, 0, -1):
        note = f" [+{deepest - depth} levels truncated]" if deepest > depth else ""
        symbols = cut(tree, depth, keep_lengths=lengths)
        yield f"{head} {min(depth, deepest)} levels{note}", depth, {"symbols": symbols}
    first = min(len(tree), MOST_SYMBOLS)
    while first:
        first = first * 3 // 4
        yield f"{head} {first} of {len(tree):,} at the top", 1, {"symbols": cut(tree[:first], 1, keep_lengths=lengths)}


def _response(held: Buffered, message: str, depth: int, preview: dict[str, Any]) -> dict[str, Any]:
    notice, data = held.notice, held.data
    known = notice["metadata"]
    trees = held.tool == SYMBOLS
    suggestions = [*_without_a_folder(held), *_of_one_suffix(held), *(_counts(held) or notice.get("suggestions", []))]
    if not any(one["tool"] == held.tool for one in suggestions):
        suggestions += _first_few(held)
    metadata = {
        "totalTokens": known["total_tokens"],
        "totalBytes": known["total_bytes"],
        "itemCount": len(held.items),
        "totalMatches": data["symbolCount"] if trees else data["totalMatches"],
        "fileCount": 1 if trees else data["fileCount"],
        "maxDepth": held.depth,
        **({"truncatedAtDepth": depth} if depth < held.depth else {}),
        "wouldExceedLimit": held.exceeds,
        "tokenLimit": known["token_limit"],
        **({"tokensAsSent": held.tokens_as_sent} if held.tokens_as_sent else {}),
        **({"expiresInMs": known["expires_in_s"] * 1_000} if "expires_in_s" in known else {}),
        "suggestedRefinements": [_refinement(one, held.arguments) for one in suggestions],
    }
    return {
        "type": "buffered_response",
        "bufferId": notice["cache_id"],
        "cache_id": notice["cache_id"],
        "tool": held.tool,
        "message": message,
        "metadata": metadata,
        **{name: data[name] for name in WARNINGS if name in data},
        "preview": preview,
        "next": notice.get("next", []),
        "suggestions": suggestions,
    }


def _without_a_folder(held: Buffered) -> list[dict[str, Any]]:
    """Suggest the call without the folders of one name that have most of the matches: dependencies, mostly, or tests.
    Where they have nearly all, and are none of dependencies, they are what the search is about. With a limit where the
    others would still be too many."""
    items, limit = held.items, held.notice["metadata"]["token_limit"]
    if held.tool != "search_text" or not held.exceeds or len(items) < held.data["totalMatches"]:
        return []
    places = Counter(_folder(one["file"]) for one in items)
    glob, most = places.most_common(1)[0]
    rest = len(items) - most
    if not glob or most <= len(items) / 2 or not rest:
        return []
    if glob.rstrip("/") not in DEPENDENCIES and most > len(items) * NEARLY_ALL:
        return []
    each = held.notice["metadata"]["total_tokens"] / len(items)
    room = int(limit * ROOM / each)
    arguments = {**held.arguments, "excludes": [*(held.arguments.get("excludes") or []), glob]}
    if rest > room:
        arguments["limit"] = room
    why = f"{most:,} of the {len(items):,} matches are there"
    tokens = _cost(held, [one for one in items if _folder(one["file"]) != glob][:room])
    return [{"why": why, "tool": held.tool, "arguments": arguments, "about_tokens": tokens}]


def _of_one_suffix(held: Buffered) -> list[dict[str, Any]]:
    """Suggest the call for one type of file: the one with most of the matches that fit into an answer. One with as few
    matches as are offered anyway says less than those."""
    items, limit = held.items, held.notice["metadata"]["token_limit"]
    is_whole = held.tool == "search_text" and held.exceeds and len(items) == held.data["totalMatches"]
    if not is_whole or held.arguments.get("includes"):
        return []
    counts = Counter(PurePath(one["file"]).suffix for one in items)
    for suffix, number in counts.most_common() if len(counts) > 1 else ():
        of_suffix = [one for one in items if one["file"].endswith(suffix)]
        if suffix and number > FEW and (tokens := _cost(held, of_suffix)) < limit * ROOM:
            why = f"{number:,} of the {len(items):,} matches are there"
            arguments = {**held.arguments, "includes": [f"*{suffix}"]}
            return [{"why": why, "tool": held.tool, "arguments": arguments, "about_tokens": tokens}]
    return []


def _counts(held: Buffered) -> list[dict[str, Any]]:
    """Suggest to count references by file, and diagnostics by what is wrong. Penstock would add up their columns and
    lines, as it would prices."""
    if held.tool not in COUNTED:
        return []
    names = COUNTED[held.tool]
    groups = Counter(tuple(one.get(name) for name in names) for one in held.items).most_common(MOST_COUNTED)
    columns = ", ".join(names)
    sql = f"SELECT {columns}, count(*) AS n FROM items GROUP BY {columns} ORDER BY n DESC LIMIT {MOST_COUNTED}"  # noqa: S608  (names of our own)
    tokens = count(as_json([{**dict(zip(names, group, strict=True)), "n": n} for group, n in groups])).tokens
    arguments = {"cache_id": held.notice["cache_id"], "action": "sql", "sql": sql}
    why = f"how many there are of each {' and '.join(names)}, those with most first"
    return [{"why": why, "tool": FETCH, "arguments": arguments, "about_tokens": tokens}]


def _first_few(held: Buffered) -> list[dict[str, Any]]:
    """Suggest the call with a limit, for a search whose matches are too many in every folder."""
    if held.tool != "search_text" or not held.exceeds or len(held.items) <= FEW:
        return []
    why = f"the first {FEW} of {held.data['totalMatches']:,} matches"
    tokens = _cost(held, held.items[:FEW])
    return [{"why": why, "tool": held.tool, "arguments": {**held.arguments, "limit": FEW}, "about_tokens": tokens}]


def _cost(held: Buffered, items: list[dict[str, Any]]) -> int:
    """Count the tokens of the same answer with these items."""
    return count(as_json({**held.data, ITEMS[held.tool]: items})).tokens


def _folder(file: str) -> str:
    """Return a glob for the folder that a file is in where that is no code of the project itself; else nothing."""
    folders = file.split("/")[:-1]
    return next((f"{one}/" for names in (DEPENDENCIES, BESIDE) for one in folders if one in names), "")


def _refinement(suggestion: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """Describe a narrower call: what it changes, why, and what it would cost. The call itself is in ``suggestions``."""
    tokens = next(suggestion[name] for name in ("tokens", "about_tokens", "at_most_tokens") if name in suggestion)
    if "cache_id" in suggestion["arguments"]:
        return f"Read from the buffer: {suggestion['why']}, about {tokens:,} tokens"
    changed = {name: value for name, value in suggestion["arguments"].items() if arguments.get(name) != value}
    return f"Add {as_json(changed)[1:-1]}: {suggestion['why']}, about {tokens:,} tokens"
