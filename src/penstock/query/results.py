"""The results of a filter or a query: JSON texts, one a line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterResult:
    """``count`` outputs of a filter, minified, on ``lines``."""

    lines: bytes
    count: int

    @property
    def outputs(self) -> list[bytes]:
        return self.lines.split(b"\n") if self.count else []

    @property
    def json(self) -> bytes:
        """Return one JSON text: the output itself if there is one, else an array of them."""
        return self.lines if self.count == 1 else as_array(self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlResult:
    """``count`` rows of a query, each an object with the ``columns`` as its keys. The first ``sent`` of them are on
    ``lines``, as many as an answer has room for. ``notes`` say what was read in another way, and what cannot match."""

    lines: bytes
    count: int
    sent: int
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> list[bytes]:
        return self.lines.split(b"\n") if self.sent else []

    @property
    def json(self) -> bytes:
        """Return an array of the rows that were sent."""
        return as_array(self.lines)


def as_array(lines: bytes) -> bytes:
    """Join lines of JSON to one array. A line break cannot be inside minified JSON."""
    return b"[" + lines.replace(b"\n", b",") + b"]"
