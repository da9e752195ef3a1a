"""The most important, newest or oldest items of many, and a count of what is hidden, by group.

``select`` sorts all items and shows as many from the front as the limits allow. It skips nothing on the way, so that
no hidden item comes before a shown one. A first item that is larger than the limit is not shown, and the message says
so. ``core.ranking`` finds the field that decides, and ``core.severity`` grades its values.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from math import inf
from typing import Any, Final, get_args

import msgspec

from penstock.core.key_style import Style, render
from penstock.core.plain import Plain
from penstock.core.ranking import (
    FieldPath,
    Strategy,
    by_importance,
    by_time,
    dotted,
    named_field,
    priority_field,
    time_field,
    value_at,
)
from penstock.core.severity import Scale
from penstock.core.text import nearest, shorten
from penstock.errors import CallerError

MOST_GROUPS: Final = 20  # groups counted in an answer: one count per distinct value could be as long as the data


class Selection(Plain, frozen=True, kw_only=True):
    """The items that are shown, in the order of the strategy, and what is hidden.

    ``indexes``          where the shown items stood in the input.
    ``by_group``         how many items each group has in all, the most important group first; it sums to ``total``,
                         or is empty when there is no field to group by.
    ``hidden_by_group``  how many of them are not shown; every group is named, with 0 where nothing is hidden.
    ``field``            the field that decided the order, found or named, as a dotted path; None when there was none.
    """

    items: tuple[Any, ...]
    indexes: tuple[int, ...]
    total: int
    by_group: dict[str, int]
    hidden_by_group: dict[str, int]
    strategy: Strategy
    field: str | None
    message: str

    @property
    def shown(self) -> int:
        return len(self.items)

    @property
    def hidden(self) -> int:
        return self.total - self.shown

    @property
    def truncated(self) -> bool:
        return self.hidden > 0

    @property
    def truncation_info(self) -> dict[str, Any] | None:
        """Return what a reader must know when something is hidden; None when nothing is."""
        if not self.truncated:
            return None
        return {
            "total": self.total,
            "shown": self.shown,
            "hidden": self.hidden,
            "hidden_by_group": _few(self.hidden_by_group),
            "strategy": self.strategy,
            "message": self.message,
        }

    def render(self, style: Style = "snake") -> dict[str, Any]:
        """Return all of it for an answer; ``truncation_info`` is there only when something is hidden."""
        body: dict[str, Any] = {
            "items": list(self.items),
            "shown": self.shown,
            "total": self.total,
            "truncated": self.truncated,
            "by_group": _few(self.by_group),
            "strategy": self.strategy,
            "field": self.field,
            "message": self.message,
        }
        info = self.truncation_info
        if info is not None:
            body["truncation_info"] = render(info, style)
        return render(body, style)


def select(
    items: Iterable[Any],
    *,
    strategy: Strategy = "priority",
    max_items: int | None = 50,
    max_bytes: int | None = 50_000,
    field: str | None = None,
    order: Sequence[object] | None = None,
    group_by: str | None = None,
    noun: str = "items",
) -> Selection:
    """Sort the items by the strategy and show as many as ``max_items`` and ``max_bytes`` (of compact JSON) allow.

    ``order``     the names of the groups, the most important first.
    ``group_by``  the field that the counts go by; else the priority field.
    ``noun``      what the message calls the items. A limit of None is no limit.
    """
    _check(items, strategy, order, {"field": field, "group_by": group_by})
    _check_limits(max_items=max_items, max_bytes=max_bytes)
    every = list(items)
    if field is not None and strategy == "priority":
        graded: FieldPath | None = named_field(every, field)
    else:
        graded = priority_field(every, Scale(order))
    scale = Scale(order, field=graded[-1] if graded else "")
    if strategy == "priority":
        deciding, what = graded, "priority"
        ranking = by_importance(every, graded, scale)
    else:
        deciding, what = time_field(every) if field is None else named_field(every, field), "time"
        ranking = by_time(every, deciding, strategy)
    how = f"sorted by {strategy}" if deciding else f"in the order given, as no {what} field was found"

    indexes = ranking[: _fitting((every[index] for index in ranking[:max_items]), max_bytes)]
    grouped = graded if group_by is None else named_field(every, group_by)
    labels = [scale.grade(value_at(item, grouped))[1] for item in every] if grouped else []
    totals = Counter(labels[index] for index in ranking if labels)
    counts = Counter(labels[index] for index in indexes if labels)
    groups = sorted(totals, key=lambda label: scale.grade(label)[0])
    return Selection(
        items=tuple(every[index] for index in indexes),
        indexes=tuple(indexes),
        total=len(every),
        by_group={label: totals[label] for label in groups},
        hidden_by_group={label: totals[label] - counts[label] for label in groups},
        strategy=strategy,
        field=None if deciding is None else dotted(deciding),
        message=_message(len(indexes), len(every), noun, how, none_fits=not indexes and max_items != 0),
    )


def _fitting(items: Iterable[Any], max_bytes: int | None) -> int:
    """Count how many items from the front fit, written as one compact JSON array."""
    count, size = 0, 1.0  # the bracket that opens; each item brings a comma, or the bracket that closes
    for item in items:
        size += 0 if max_bytes is None else _size(item) + 1
        if max_bytes is not None and size > max_bytes:
            break
        count += 1
    return count


def _size(item: Any) -> float:
    """Count the bytes of compact JSON; infinite for what no writer takes, such as nesting beyond the stack."""
    failures = (TypeError, ValueError, OverflowError, RecursionError)
    try:
        return len(msgspec.json.encode(item))
    except failures:
        try:
            return len(json.dumps(item, separators=(",", ":"), default=str))  # writes lone surrogates as escapes
        except failures:
            return inf


def _few(counts: dict[str, int]) -> dict[str, int]:
    """Return the counts of the most important groups, and the sum of the others."""
    labels = list(counts)
    others = labels[MOST_GROUPS:]
    few = {label: counts[label] for label in labels[:MOST_GROUPS]}
    return {**few, f"{len(others)} other groups": sum(counts[label] for label in others)} if others else few


def _message(count: int, total: int, noun: str, how: str, *, none_fits: bool) -> str:
    if count == total:
        return f"Showing all {total} {noun} ({how})" if total else f"No {noun}"
    if none_fits:
        return f"Showing 0 of {total} {noun} ({how}): the first alone is larger than the limit in bytes"
    return f"Showing {count} of {total} {noun} ({how})"


def _check(items: object, strategy: object, order: object, names: dict[str, object]) -> None:
    if isinstance(items, str | bytes | dict) or not isinstance(items, Iterable):
        raise CallerError(f"the items are one {type(items).__name__}", do="give a list of them")
    if strategy not in get_args(Strategy):
        near = nearest(str(strategy), get_args(Strategy)) or get_args(Strategy)
        raise CallerError(f"no such strategy: {shorten(repr(strategy))}", do=f"use {' or '.join(near)}")
    if order is not None and (isinstance(order, str) or not isinstance(order, Sequence)):
        raise CallerError("the order is no list of names", do='write it like ["HIGH", "LOW"]')
    for name, value in names.items():
        if value is not None and not (isinstance(value, str) and value):
            raise CallerError(
                f"{name} is {shorten(repr(value))}", do='name a field, like "severity" or "meta.severity"'
            )


def _check_limits(**limits: object) -> None:
    for name, limit in limits.items():
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise CallerError(f"{name} is no whole number of 0 or more", do="give one, or None for no limit")
