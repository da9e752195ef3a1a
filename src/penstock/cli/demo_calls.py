"""Choose the calls of ``penstock demo``: large ones, by the tools that the server has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import UpstreamError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

ORDERS_SQL: Final = (
    "SELECT city, count(*) AS orders, round(sum(price * quantity), 2) AS revenue "
    "FROM items GROUP BY city ORDER BY revenue DESC LIMIT 3"
)
ORDERS_JQ: Final = '[{path}[] | select(.status == "returned" and .price > 118) | {{order, city, product}}]'


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query about a held result: in plain words, and as jq or SQL."""

    words: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeCall:
    """A call whose result is too large, and queries about it."""

    tool: str
    arguments: dict[str, Any]
    spelled: str  # for the eye, with {folder} in the place of a long path
    words: str
    jq: Question
    sql: Question


def large_calls(tools: Collection[str], folder: Path) -> list[LargeCall]:
    """Return the calls that this server has tools for; the demo reads on in the first one."""
    known = _known(folder)
    able = [[call for call in group if call.tool in tools] for group in known]
    if not any(able):
        names = ", ".join(call.tool for group in known for call in group)
        raise UpstreamError("the demo knows none of the server's tools", do=f"give a server that has one of: {names}")
    return [group[0] for group in able if group]


def _known(folder: Path) -> list[list[LargeCall]]:
    """Return calls for the tools of our own server and of common file servers. The calls of one group do the same."""
    every = "data/all-orders.json"
    orders = [
        _orders(folder, "read_records", "data/orders", ".records"),
        _orders(folder, "read_text_file", every, "."),
        _orders(folder, "read_file", every, "."),
    ]
    tree = LargeCall(
        tool="directory_tree",
        arguments={"path": str(folder)},
        spelled="directory_tree(path={folder})",
        words="the folder as a tree",
        jq=Question(
            words="How many log files are there?",
            text='[.. | .name? // empty | select(endswith(".log"))] | length',
        ),
        sql=Question(
            words="What is on each level?",
            text="SELECT _depth, type, count(*) AS entries FROM items GROUP BY _depth, type",
        ),
    )
    paths = LargeCall(
        tool="search_files",
        arguments={"path": str(folder), "pattern": "**/*.py"},
        spelled="search_files(path={folder}, pattern=**/*.py)",
        words="every Python file",
        jq=Question(words="How many of them are tests?", text='[.[] | select(.path | contains("/tests/"))] | length'),
        sql=Question(words="How many are there?", text="SELECT count(*) AS files FROM items"),
    )
    return [orders, [tree], [paths]]


def _orders(folder: Path, tool: str, path: str, array: str) -> LargeCall:
    return LargeCall(
        tool=tool,
        arguments={"path": str(folder / path)},
        spelled=f"{tool}(path={{folder}}/{path})",
        words="every order",
        jq=Question(words="Which dear orders came back?", text=ORDERS_JQ.format(path=array)),
        sql=Question(words="Which cities earn most?", text=ORDERS_SQL),
    )
