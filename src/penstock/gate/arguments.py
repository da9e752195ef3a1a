"""The arguments of one call of our tools, read by name and kind, with a word on what was expected.

Models write ``"2"`` for 2, ``"true"`` for true, and other names of the handle: these are taken for what they mean.
Arguments that do not exist are ignored, and the answer names them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from penstock.core.budget import LEAST_BUDGET
from penstock.core.plain import Plain
from penstock.core.text import nearest, shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

LEAST_KB: Final = 2  # a page of one kilobyte has no room for items beside its own frame
MOST: Final = 2**53  # no position is larger, and nothing but a mistake is
MOST_HANDLES: Final = 8  # results joined in one query
LONG_CALL: Final = 1_000  # characters of a call that is noted; receipts keep fewer
MOST_IGNORED: Final = 3  # arguments that do not exist which are named,
LONG_NAME: Final = 24  # with so many characters
_WHOLE: Final = re.compile(r"\s*-?[0-9]{1,18}\s*")
_SQL: Final = re.compile(r"\s*(?:select|with)\s", re.IGNORECASE)
_NOT_PLAIN: Final = re.compile(r'[^ -~]|["\\]')  # characters that take several bytes in a note
_TRUTHS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

# The action that is meant where none is named: by the first of these arguments that is given.
IMPLIED: Final = {
    "jq_filter": "filter",
    "sql": "sql",
    "pattern": "search",
    "page": "get_page",
    "table": "get_page",
    "page_tokens": "get_page",
    "fields": "get_page",
    "start_index": "get",
    "max_length": "get",
    "start_line": "get",
    "lines": "get",
    "depth": "outline",
    "replace": "edit",
    "set": "edit",
    "remove": "edit",
    "append": "edit",
    "since": "changes",
    "cache_ids": "sql",
    "cache_id": "info",
}

# Other names of actions, as models write them.
MEANT: Final = {
    **dict.fromkeys(("jq", "jq_filter"), "filter"),
    **dict.fromkeys(("query", "select"), "sql"),
    **dict.fromkeys(("grep", "find"), "search"),
    **dict.fromkeys(("page", "read_page", "pages"), "get_page"),
    **dict.fromkeys(("read", "text", "fetch", "lines"), "get"),
    **dict.fromkeys(("schema", "describe", "tables"), "info"),
    **dict.fromkeys(("diff", "compare"), "changes"),
    **dict.fromkeys(("tree", "headings"), "outline"),
}

ALIASES: Final = {
    **dict.fromkeys(("bufferid", "buffer_id", "handle", "cacheid", "id", "result_id"), "cache_id"),
    **dict.fromkeys(("cacheids", "handles"), "cache_ids"),
    **dict.fromkeys(("query", "regexp", "text"), "pattern"),
    **dict.fromkeys(("jq", "filter"), "jq_filter"),
    **dict.fromkeys(("case_insensitive", "ignorecase"), "ignore_case"),
}

KNOWN: Final = (
    "cache_id",
    "cache_ids",
    "action",
    "start_index",
    "max_length",
    "start_line",
    "lines",
    "end_line",
    "table",
    "page",
    "page_size_kb",
    "page_tokens",
    "path",
    "fields",
    "depth",
    "jq_filter",
    "cache_filtered_result",
    "pattern",
    "regex",
    "ignore_case",
    "word",
    "context",
    "start",
    "sql",
    "replace",
    "set",
    "remove",
    "append",
    "since",
    "tool",  # Schemas have it if tools are listed briefly. The exchange answers its action before the gate is called.
)


def whole(value: Any) -> Any:
    """Return the number that a text writes in digits, or any other value as it is."""
    return int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else value


class FetchArguments(Plain, frozen=True, kw_only=True):
    """The arguments of one call, of those that are ``known``. ``ignored`` are the names of those that do not exist, and
    ``assumed`` is the handle that a call without one is about."""

    values: Mapping[str, Any]
    ignored: tuple[str, ...] = ()
    assumed: str = ""
    known: tuple[str, ...] = KNOWN

    @classmethod
    def read(cls, arguments: Mapping[str, Any], known: tuple[str, ...] = KNOWN) -> FetchArguments:
        """Read arguments by their names, or by other names that models use for them."""
        taken = {name: value for name, value in arguments.items() if name in known}
        ignored: list[str] = []
        for name, value in arguments.items():
            if name in known:
                continue
            meant = ALIASES.get(str(name).lower())
            if meant == "pattern" and arguments.get("action") != "search" and _SQL.match(str(value)):
                meant = "sql"
            if meant in known and taken.get(meant) is None:
                taken[meant] = value
            else:
                ignored.append(str(name))
        return cls(values=taken, ignored=tuple(ignored), known=known)

    @property
    def lacks_handle(self) -> bool:
        """Return True if the call is about a held result, and names none."""
        has_handle = any(self.values.get(name) is not None for name in ("cache_id", "cache_ids"))
        return not has_handle and (self.values.get("action") or self._implied) != "list"

    def with_handle(self, handle: str) -> FetchArguments:
        """Return the arguments of the call about this result."""
        return FetchArguments(values={**self.values, "cache_id": handle}, assumed=handle, known=self.known)

    @property
    def _implied(self) -> str:
        return next((action for name, action in IMPLIED.items() if self.values.get(name) is not None), "list")

    def action(self, known: Collection[str]) -> str:
        """Return the action: the one that is named, or the one that the other arguments imply."""
        if not self.values.get("action") and self.known is not KNOWN:  # what acts is never done unnamed
            raise CallerError("action is missing", do=f"give one of {', '.join(known)}")
        action = self.text("action") if self.values.get("action") else self._implied
        if action not in known and MEANT.get(action.lower()) in known:
            return MEANT[action.lower()]
        if action not in known:
            near = nearest(action, known)
            raise CallerError(
                f"there is no action {shorten(action)!r}",
                do=f"did you mean {near[0]}?" if near else f"use one of {', '.join(known)}",
            )
        return action

    @property
    def words(self) -> str:
        """Write the call for a list of calls: its action, then its other arguments as JSON, without the handle."""
        action = self.values.get("action") or self._implied
        rest = {
            name: value[:LONG_CALL] if isinstance(value, str) else value
            for name, value in self.values.items()
            if name not in ("action", "cache_id")
        }
        try:
            written = json.dumps(rest, ensure_ascii=False, default=str)[:LONG_CALL] if rest else ""
        except (ValueError, RecursionError):  # a number of thousands of digits, or lists without end
            written = "…"
        return f"{shorten(str(action))} {written}".rstrip()

    @property
    def handle(self) -> str:
        if self.values.get("cache_ids") is not None:
            raise CallerError("cache_ids is for action sql", do="give cache_id: one handle")
        return self.text("cache_id")

    @property
    def handles(self) -> dict[str, str]:
        """Return handles by the names that a query uses for them: those of an object, or t1, t2, ... for a list."""
        several = [name for name in ("cache_id", "cache_ids") if self.values.get(name) is not None]
        if len(several) > 1:
            raise CallerError("cache_id and cache_ids are both given", do="give one of them")
        name = several[0] if several else "cache_id"
        value = self.values.get(name)
        if isinstance(value, list):
            value = {f"t{number}": handle for number, handle in enumerate(value, 1)}
        if name == "cache_id" and not isinstance(value, dict):
            return {"held": self.handle}
        if (
            not isinstance(value, dict)
            or not 1 <= len(value) <= MOST_HANDLES
            or not all(isinstance(one, str) for one in value.values())
        ):
            raise self._wrong(name, f"1 to {MOST_HANDLES} handles in a list, or by the name of each in an object")
        names = {shorten(str(name)).encode("utf-8", "replace").decode(): handle for name, handle in value.items()}
        return {name: str(handle) for name, handle in names.items()}

    @property
    def remark(self) -> tuple[str, str]:
        """Return what an answer says of the arguments, under which name; nothing if they are as they should be."""
        if self.assumed:
            return "used", f"cache_id {self.assumed}, the only stored result"
        return "ignored", self.ignored_text

    @property
    def ignored_text(self) -> str:
        """Name the arguments that do not exist, with the nearest known ones, in one line; empty if all exist."""
        names = []
        for name in self.ignored[:MOST_IGNORED]:
            near = nearest(name, self.known, 1)
            short = shorten(_NOT_PLAIN.sub("?", name), LONG_NAME - 1)
            names.append(f"{short} (did you mean {near[0]}?)" if near else short)
        left = len(self.ignored) - len(names)
        more = f" and {left:,} more" if left > 0 else ""
        return f"ignored unknown arguments: {', '.join(names)}{more}" if names else ""

    def text(self, name: str) -> str:
        value = self.values.get(name)
        if not isinstance(value, str) or not value:
            raise self._wrong(name, "text")
        return value

    def optional_text(self, name: str) -> str | None:
        return None if self.values.get(name) is None else self.text(name)

    def number(self, name: str, default: int, *, least: int) -> int:
        value = self.values.get(name)
        if value is None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # some clients have only one kind of number
        value = whole(value)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MOST:
            raise self._wrong(name, f"a whole number from {least:,}")
        return value

    def truth(self, name: str, *, default: bool) -> bool:
        value = self.values.get(name)
        if value is None:
            return default
        if isinstance(value, str | int) and str(value).strip().lower() in _TRUTHS:
            return _TRUTHS[str(value).strip().lower()]
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.values.get(name)
        if value is None:
            return ()
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",")]
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self._wrong(name, "a list of names")
        if "" in value:
            raise CallerError(f"{name} has an empty name", do="leave it out")
        return tuple(value)

    def page_size(self) -> tuple[int | None, int | None]:
        """Return the tokens and the bytes that the caller wants on a page; None for what was not given."""
        tokens = self.number("page_tokens", 0, least=LEAST_BUDGET) or None
        kilobytes = self.number("page_size_kb", 0, least=LEAST_KB) or None
        return tokens, None if kilobytes is None else kilobytes * 1_024

    def _wrong(self, name: str, expected: str) -> CallerError:
        if name not in self.values:
            return CallerError(f"{name} is missing", do=f"give {name}: {expected}")
        value = self.values[name]
        text = repr(value) if isinstance(value, str | float | bool | None) else f"of type {type(value).__name__}"
        if isinstance(value, int) and abs(value) <= MOST:
            text = str(value)
        return CallerError(f"{name} is {shorten(text)}", do=f"expected {expected}")
