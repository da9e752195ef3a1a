"""What a caller of the fetch tool asked for: checked, with a word on what was expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.core.budget import LEAST_BUDGET
from penstock.core.text import nearest, shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

LEAST_KB: Final = 2  # a page of one kilobyte has no room for items beside its own frame
MOST: Final = 2**53  # no position is larger, and nothing but a mistake is
MOST_HANDLES: Final = 8  # results joined in one query

# The action that is meant where none is named: by the first of these arguments that is given.
IMPLIED: Final = {
    "jq_filter": "filter",
    "sql": "sql",
    "pattern": "search",
    "page": "get_page",
    "start_index": "get",
    "max_length": "get",
    "depth": "outline",
    "cache_ids": "sql",
    "cache_id": "info",
}

KNOWN: Final = (
    "cache_id",
    "cache_ids",
    "action",
    "start_index",
    "max_length",
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
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The arguments of one call, read by name and kind."""

    given: Mapping[str, Any]

    @property
    def lists(self) -> bool:
        """Whether all that is held is asked for, and no handle has to be known."""
        return (self.given.get("action") or self._implied) == "list"

    @property
    def _implied(self) -> str:
        return next((action for name, action in IMPLIED.items() if self.given.get(name) is not None), "list")

    def action(self, known: Collection[str]) -> str:
        """The name of one of the known actions; where none is named, the one that the other arguments imply."""
        action = self._implied if self.given.get("action") is None else self.text("action")
        if action not in known:
            near = nearest(action, known)
            raise CallerError(
                f"there is no action {shorten(action)!r}",
                do=f"did you mean {near[0]}?" if near else f"use one of {', '.join(known)}",
            )
        return action

    @property
    def handle(self) -> str:
        if self.given.get("cache_ids") is not None:
            raise CallerError("cache_ids is for action sql", do="give cache_id: one handle")
        return self.text("cache_id")

    @property
    def handles(self) -> dict[str, str]:
        """Several results by the names that a query calls them by: an object, or a list (t1, t2, ...)."""
        several = [name for name in ("cache_id", "cache_ids") if self.given.get(name) is not None]
        if len(several) > 1:
            raise CallerError("cache_id and cache_ids are both given", do="give one of them")
        name = several[0] if several else "cache_id"
        value = self.given.get(name)
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

    def check_names(self) -> None:
        for name in self.given:
            if name not in KNOWN:
                near = nearest(str(name), KNOWN)
                known = f"did you mean {near[0]}?" if near else f"known: {', '.join(KNOWN)}"
                raise CallerError(f"there is no argument {shorten(str(name))!r}", do=known)

    def text(self, name: str) -> str:
        value = self.given.get(name)
        if not isinstance(value, str) or not value:
            raise self._wrong(name, "text")
        return value

    def optional_text(self, name: str) -> str | None:
        return None if self.given.get(name) is None else self.text(name)

    def number(self, name: str, default: int, *, least: int) -> int:
        value = self.given.get(name)
        if value is None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # some clients have only one kind of number
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MOST:
            raise self._wrong(name, f"a whole number from {least:,}")
        return value

    def truth(self, name: str, *, default: bool) -> bool:
        value = self.given.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.given.get(name)
        if value is None:
            return ()
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",")]
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise self._wrong(name, "a list of names")
        return tuple(value)

    def page_size(self) -> tuple[int | None, int | None]:
        """The tokens and the bytes that the caller wants on a page, as far as they were given."""
        tokens = self.number("page_tokens", 0, least=LEAST_BUDGET) or None
        kilobytes = self.number("page_size_kb", 0, least=LEAST_KB) or None
        return tokens, None if kilobytes is None else kilobytes * 1_024

    def _wrong(self, name: str, expected: str) -> CallerError:
        if name not in self.given:
            return CallerError(f"{name} is missing", do=f"give {name}: {expected}")
        value = self.given[name]
        told = repr(value) if isinstance(value, str | float | bool | None) else f"of type {type(value).__name__}"
        if isinstance(value, int) and abs(value) <= MOST:
            told = str(value)
        return CallerError(f"{name} is {shorten(told)}", do=f"expected {expected}")
