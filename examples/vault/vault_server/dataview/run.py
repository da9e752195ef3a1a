"""A query over notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vault_server.dataview.values import as_json, sort_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vault_server.catalog import File
    from vault_server.dataview.query import Query


def run(query: Query, files: Sequence[File]) -> list[File]:
    """The notes that a query finds, in its order and within its own LIMIT."""
    found = [file for file in files if file.is_note and (query.source is None or query.source(file))]
    for condition in query.where:
        found = [file for file in found if condition(file)]
    for order in reversed(query.sort):  # the last one first: sorting keeps what was sorted before
        absent = [file for file in found if order.value(file) is None]
        present = [file for file in found if order.value(file) is not None]
        present.sort(key=lambda file, order=order: sort_key(order.value(file)), reverse=order.descending)  # type: ignore[misc]
        found = present + absent
    return found if query.limit is None else found[: query.limit]


def shown(query: Query, file: File) -> dict[str, Any]:
    """What an answer has of one note."""
    values = {column.name: as_json(column.value(file)) for column in query.columns}
    told: dict[str, Any] = {"filename": file.path} if query.with_id else {}
    if query.kind == "table":
        return {**told, "result": values}
    return {**told, "result": next(iter(values.values()))} if values else told
