"""A query, read: functions of a file where the query had expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from vault_server.catalog import File

    Expression = Callable[[File], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What a TABLE shows of a note, and under which name."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One expression to sort by."""

    value: Expression
    descending: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """All of a query. ``limit`` is its own LIMIT."""

    kind: Literal["table", "list"]
    with_id: bool = True
    columns: tuple[Column, ...] = ()
    source: Callable[[File], bool] | None = None
    where: tuple[Expression, ...] = ()
    sort: tuple[Order, ...] = ()
    limit: int | None = None
