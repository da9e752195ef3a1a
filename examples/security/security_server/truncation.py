"""The findings that are shown when not all can be, and a count of the hidden ones. No I/O: values in, values out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock import select
from security_server.finding import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable

Strategy = Literal["priority", "newest", "oldest"]
STRATEGIES: Final[tuple[Strategy, ...]] = ("priority", "newest", "oldest")


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncationConfig:
    """The limits; None is no limit."""

    max_findings: int | None = 50
    max_output_bytes: int | None = 50_000
    truncate_strategy: Strategy = "priority"


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncationResult:
    """The findings that are shown, in the order of the strategy; both counts name every severity."""

    findings: tuple[dict[str, Any], ...]
    total_count: int
    by_severity: dict[str, int]
    hidden_by_severity: dict[str, int]
    strategy: Strategy
    offset: int = 0

    @property
    def shown_count(self) -> int:
        return len(self.findings)

    @property
    def truncated(self) -> bool:
        """Return True if findings are hidden. Behind the last one nothing is: there is just nothing to show."""
        return self.shown_count < self.total_count and (self.offset < self.total_count or not self.total_count)

    @property
    def message(self) -> str:
        return f"Showing {self.shown_count} of {self.total_count} findings (sorted by {self.strategy})"

    def truncation_info(self) -> dict[str, Any] | None:
        """Describe what is hidden; None when nothing is."""
        if not self.truncated:
            return None
        return {
            "total_findings": self.total_count,
            "shown_findings": self.shown_count,
            "hidden_by_severity": self.hidden_by_severity,
            "strategy": self.strategy,
            "message": self.message,
        }


def truncate(findings: Iterable[dict[str, Any]], config: TruncationConfig, *, offset: int = 0) -> TruncationResult:
    """Sort all findings by the strategy, and show those behind an offset as far as the limits reach.

    Of findings that were first seen at the same time, as those of a first scan, the most severe come first; else equal
    ones keep the order in which they are given.
    """
    strategy = config.truncate_strategy
    field = "severity" if strategy == "priority" else "first_seen"
    every = select(
        sorted(findings, key=lambda one: SEVERITIES.index(one["severity"])),
        strategy=strategy,
        max_items=None,
        max_bytes=None,
        field=field,
        order=SEVERITIES,
        group_by="severity",
    )
    selection = select(
        every.items[offset:],
        strategy=strategy,
        max_items=config.max_findings,
        max_bytes=config.max_output_bytes,
        field=field,
        order=SEVERITIES,
        group_by="severity",
    )
    visible: dict[str, int] = {
        name: selection.by_group.get(name, 0) - selection.hidden_by_group.get(name, 0) for name in SEVERITIES
    }
    totals: dict[str, int] = {name: every.by_group.get(name, 0) for name in SEVERITIES}
    return TruncationResult(
        findings=selection.items,
        total_count=every.total,
        by_severity=totals,
        hidden_by_severity={name: totals[name] - visible[name] for name in SEVERITIES},
        strategy=strategy,
        offset=offset,
    )
