"""Invariant: what is shown is the front of the items sorted by the strategy, within both limits; nothing is skipped.

The counts by group are always those of all items, and shown and hidden sum to them. No item makes ``select`` fail.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.times import parse_time
from penstock.core.severity import Scale
from penstock.errors import CallerError
from penstock.toolkit.select import MOST_GROUPS, Selection, select

if TYPE_CHECKING:
    from penstock.core.ranking import Strategy

STRATEGIES = st.sampled_from(["priority", "newest", "oldest"])
WORDS = st.sampled_from(["CRITICAL", "high", "High", "MEDIUM", "low", "INFO", "odd", "P1", 7, 3.5, None])
TIMES = st.sampled_from(
    ["2024-01-15", "2024-01-15T10:00:00Z", "2024-01-15T10:00:00+01:00", 1_705_313_472, "1705313472000", "soon", None]
)
FINDINGS = st.lists(
    st.fixed_dictionaries({"id": st.integers(0, 99)}, optional={"severity": WORDS, "date": TIMES, "note": st.text()}),
    max_size=30,
)
ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.text(st.characters(categories=["Cs"]), max_size=2)
    | st.builds(lambda: 10**5_000)
    | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["severity", "date", "m", "level"]) | st.text(max_size=2) | st.integers(), inner, max_size=3
        )
    ),
    max_leaves=5,
)


@given(FINDINGS, STRATEGIES, st.integers(0, 40), st.integers(0, 2_000))
def test_what_is_shown_is_the_front_of_the_sorted_items(
    findings: list[dict[str, Any]], strategy: Strategy, max_items: int, max_bytes: int
) -> None:
    chosen = select(findings, strategy=strategy, max_items=max_items, max_bytes=max_bytes)
    everything = select(findings, strategy=strategy, max_items=None, max_bytes=None)
    assert chosen.items == everything.items[: chosen.shown]
    assert chosen.items == tuple(findings[index] for index in chosen.indexes)
    assert sorted(everything.indexes) == list(range(len(findings)))
    assert chosen.shown <= max_items
    assert chosen.shown == 0 or len(msgspec.json.encode(chosen.items)) <= max_bytes
    if chosen.shown < min(max_items, len(findings)):
        assert len(msgspec.json.encode(everything.items[: chosen.shown + 1])) > max_bytes


@given(FINDINGS, st.integers(0, 40))
def test_no_hidden_item_is_more_important_than_a_shown_one(findings: list[dict[str, Any]], max_items: int) -> None:
    chosen = select(findings, max_items=max_items, field="severity" if _has(findings, "severity") else None)
    scale = Scale(field="severity")
    places = [(scale.grade(findings[index].get("severity"))[0], index) for index in chosen.indexes]
    hidden = [
        (scale.grade(finding.get("severity"))[0], index)
        for index, finding in enumerate(findings)
        if index not in chosen.indexes
    ]
    if chosen.field:
        assert places == sorted(places)
        assert not places or not hidden or max(places) < min(hidden)


@given(FINDINGS)
def test_newest_and_oldest_are_each_others_reverse_and_end_with_what_has_no_time(
    findings: list[dict[str, Any]],
) -> None:
    if not _has(findings, "date"):
        return
    newest = select(findings, strategy="newest", field="date", max_items=None, max_bytes=None)
    oldest = select(findings, strategy="oldest", field="date", max_items=None, max_bytes=None)
    up = [parse_time(item.get("date")) for item in oldest.items]
    down = [parse_time(item.get("date")) for item in newest.items]
    timed = [time for time in up if time is not None]
    assert up == sorted(timed) + [None] * (len(up) - len(timed))
    assert down == sorted(timed, reverse=True) + [None] * (len(up) - len(timed))


@given(FINDINGS, STRATEGIES, st.integers(0, 40))
def test_groups_count_everything_and_hidden_groups_what_is_not_shown(
    findings: list[dict[str, Any]], strategy: Strategy, max_items: int
) -> None:
    chosen = select(findings, strategy=strategy, max_items=max_items)
    assert not chosen.by_group or sum(chosen.by_group.values()) == chosen.total == len(findings)
    assert list(chosen.hidden_by_group) == list(chosen.by_group)
    assert not chosen.by_group or sum(chosen.hidden_by_group.values()) == chosen.hidden
    assert all(0 <= chosen.hidden_by_group[group] <= total for group, total in chosen.by_group.items())
    assert (chosen.truncation_info is not None) == chosen.truncated == (chosen.shown < chosen.total)


@given(FINDINGS, STRATEGIES, st.integers(0, 20), st.integers(0, 500))
def test_higher_limits_never_show_less(
    findings: list[dict[str, Any]], strategy: Strategy, max_items: int, max_bytes: int
) -> None:
    less = select(findings, strategy=strategy, max_items=max_items, max_bytes=max_bytes)
    more = select(findings, strategy=strategy, max_items=max_items + 1, max_bytes=max_bytes + 10)
    assert more.items[: less.shown] == less.items


@given(st.lists(ODD, max_size=12), STRATEGIES, st.none() | st.sampled_from(["severity", "m.date"]))
def test_no_item_makes_it_fail(items: list[Any], strategy: Strategy, field: str | None) -> None:
    try:
        chosen = select(items, strategy=strategy, field=field)
    except CallerError:
        assert field is not None
    else:
        told = chosen.render("camel")
        json.dumps({**told, "items": []}, ensure_ascii=False).encode("utf-8")


def _has(findings: list[dict[str, Any]], field: str) -> bool:
    return any(field in finding for finding in findings)


def _findings(**counts: int) -> list[dict[str, Any]]:
    """As a scanner gives them: mixed, not sorted."""
    order = sorted((n / count, severity) for severity, count in counts.items() for n in range(count))
    return [{"id": f"F{n}", "severity": severity, "rule": "r"} for n, (_, severity) in enumerate(order)]


def test_a_truncated_scan_tells_what_is_hidden_by_severity() -> None:
    chosen = select(_findings(LOW=20, CRITICAL=5, MEDIUM=80, HIGH=45), noun="findings")
    assert chosen.render() == {
        "items": list(chosen.items),
        "shown": 50,
        "total": 150,
        "truncated": True,
        "by_group": {"CRITICAL": 5, "HIGH": 45, "MEDIUM": 80, "LOW": 20},
        "strategy": "priority",
        "field": "severity",
        "message": "Showing 50 of 150 findings (sorted by priority)",
        "truncation_info": {
            "total": 150,
            "shown": 50,
            "hidden": 100,
            "hidden_by_group": {"CRITICAL": 0, "HIGH": 0, "MEDIUM": 80, "LOW": 20},
            "strategy": "priority",
            "message": "Showing 50 of 150 findings (sorted by priority)",
        },
    }
    assert [item["severity"] for item in chosen.items] == ["CRITICAL"] * 5 + ["HIGH"] * 45


def test_a_scan_that_fits_has_no_truncation_info() -> None:
    chosen = select(_findings(CRITICAL=2, HIGH=8, MEDIUM=10, LOW=5), noun="findings")
    assert "truncation_info" not in chosen.render()
    assert chosen.truncation_info is None
    assert chosen.message == "Showing all 25 findings (sorted by priority)"
    assert chosen.by_group == {"CRITICAL": 2, "HIGH": 8, "MEDIUM": 10, "LOW": 5}


def test_camel_case_renames_our_keys_and_no_group() -> None:
    told = select([{"level": "very_odd"}, {"level": "LOW"}], max_items=0).render("camel")
    assert told["byGroup"] == {"LOW": 1, "very_odd": 1}
    assert told["truncationInfo"]["hiddenByGroup"] == {"LOW": 1, "very_odd": 1}


def test_items_of_one_group_keep_their_order() -> None:
    items = [
        {"severity": "high", "n": 1},
        {"severity": "LOW"},
        {"severity": "HIGH", "n": 2},
        {"severity": "High", "n": 3},
    ]
    chosen = select(items)
    assert [item.get("n") for item in chosen.items] == [1, 2, 3, None]
    assert chosen.by_group == {"high": 3, "LOW": 1}


def test_what_has_no_severity_is_unknown_and_last() -> None:
    items: list[Any] = [{"id": 1}, "text", {"severity": None}, {"severity": "info"}, {"severity": "odd"}]
    chosen = select(items)
    assert chosen.indexes == (3, 4, 0, 1, 2)
    assert chosen.by_group == {"info": 1, "odd": 1, "unknown": 3}


def test_times_decide_and_severities_are_still_counted() -> None:
    items = [
        {"severity": "LOW", "created_at": "2024-01-15T10:00:00Z"},
        {"severity": "HIGH", "created_at": "2024-01-15T12:00:00+02:30"},
        {"severity": "LOW", "created_at": "never"},
        {"severity": "HIGH", "created_at": 1_800_000_000},
    ]
    newest = select(items, strategy="newest", max_items=2, noun="findings")
    assert newest.indexes == (3, 0)
    assert newest.field == "created_at"
    assert newest.by_group == {"HIGH": 2, "LOW": 2}
    assert newest.hidden_by_group == {"HIGH": 1, "LOW": 1}
    assert newest.message == "Showing 2 of 4 findings (sorted by newest)"
    assert select(items, strategy="oldest").indexes == (1, 0, 3, 2)


def test_without_a_field_to_go_by_the_order_stays_and_the_message_says_so() -> None:
    chosen = select(["c", "a", "b"], max_items=2)
    assert chosen.items == ("c", "a")
    assert (chosen.field, chosen.by_group, chosen.hidden_by_group) == (None, {}, {})
    assert chosen.message == "Showing 2 of 3 items (in the order given, as no priority field was found)"
    by_time = select([{"a": 1}], strategy="oldest")
    assert by_time.message == "Showing all 1 items (in the order given, as no time field was found)"


def test_nothing_to_show() -> None:
    chosen = select([], field="severity", noun="findings")
    assert (chosen.items, chosen.total, chosen.truncated, chosen.message) == ((), 0, False, "No findings")


def test_a_first_item_larger_than_the_limit_is_not_shown_and_that_is_said() -> None:
    items = [{"severity": "LOW"}, {"severity": "HIGH", "text": "x" * 1_000}]
    chosen = select(items, max_bytes=500)
    assert chosen.items == ()
    assert chosen.message == (
        "Showing 0 of 2 items (sorted by priority): the first alone is larger than the limit in bytes"
    )
    assert chosen.hidden_by_group == {"HIGH": 1, "LOW": 1}


def test_a_limit_of_no_items_is_not_blamed_on_their_size() -> None:
    assert select([{"severity": "LOW"}], max_items=0).message == "Showing 0 of 1 items (sorted by priority)"


def test_an_item_that_does_not_fit_ends_the_list_even_if_a_later_one_would() -> None:
    items = [{"severity": "HIGH"}, {"severity": "MEDIUM", "text": "x" * 1_000}, {"severity": "LOW"}]
    assert select(items, max_bytes=500).indexes == (0,)


@pytest.mark.parametrize(
    "item",
    [
        {"severity": "LOW", "text": "\ud800"},
        {"severity": "LOW", "of": object()},
        {"severity": "LOW", "n": float("nan")},
    ],
)
def test_items_that_need_another_writer_are_measured_too(item: dict[str, Any]) -> None:
    assert select([item]).shown == 1
    assert select([item], max_bytes=20).shown == 0


def test_what_no_writer_takes_does_not_fit() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for item in (deep, {("a", "b"): 1}, 10**5_000):
        assert select([item]).shown == 0
        assert select([item], max_bytes=None).shown == 1


def test_an_order_of_names() -> None:
    items = [{"state": state} for state in ("done", "todo", "Doing", "other")]
    chosen = select(items, field="state", order=["Todo", "doing", "done"])
    assert chosen.indexes == (1, 2, 0, 3)
    assert chosen.by_group == {"Todo": 1, "doing": 1, "done": 1, "other": 1}


def test_an_order_of_names_tells_which_field_is_meant() -> None:
    items = [{"level": "b", "severity": "HIGH"}, {"level": "a", "severity": "LOW"}]
    assert select(items, order=["a", "b"]).field == "level"


def test_groups_by_another_field() -> None:
    items = [
        {"severity": "LOW", "file": "b.py"},
        {"severity": "HIGH", "file": "a.py"},
        {"severity": "LOW", "file": "B.py"},
    ]
    assert select(items, group_by="file").by_group == {"a.py": 1, "b.py": 1, "B.py": 1}


def test_many_groups_are_counted_together_in_the_answer() -> None:
    chosen = select([{"id": f"g{n}"} for n in range(1_000)], group_by="id", max_items=10)
    assert len(chosen.by_group) == 1_000
    told = chosen.render()
    assert len(told["by_group"]) == MOST_GROUPS + 1
    assert told["by_group"]["980 other groups"] == 980
    assert sum(told["truncation_info"]["hidden_by_group"].values()) == 990


def test_a_nested_field_is_found_and_named_with_a_dot() -> None:
    items = [{"metadata": {"severity": "LOW"}}, {"metadata": {"severity": "HIGH"}}]
    assert select(items).field == "metadata.severity"
    assert select(items, field="metadata.severity").indexes == (1, 0)


def test_items_may_come_from_any_iterable() -> None:
    assert select({"severity": word} for word in ("LOW", "HIGH")).indexes == (1, 0)


def test_a_hundred_thousand_items_are_counted_to_the_last() -> None:
    items = [{"id": n, "severity": ("LOW", "HIGH")[n % 2], "date": 1_700_000_000 + n} for n in range(100_000)]
    chosen: Selection = select(items, strategy="newest")
    assert chosen.by_group == {"HIGH": 50_000, "LOW": 50_000}
    assert chosen.indexes == tuple(range(99_999, 99_949, -1))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"strategy": "newes"}, "use newest"),
        ({"strategy": None}, "use priority or newest or oldest"),
        ({"field": ""}, "field is ''"),
        ({"field": 7}, "field is 7"),
        ({"group_by": 7}, "group_by is 7"),
        ({"field": "severty"}, "name a field like severity"),
        ({"field": "severty", "strategy": "newest"}, "name a field like severity"),
        ({"group_by": "severty"}, "name a field like severity"),
        ({"order": "HIGH"}, "no list of names"),
        ({"order": 5}, "no list of names"),
        ({"max_items": -1}, "max_items is no whole number"),
        ({"max_items": 1.5}, "max_items is no whole number"),
        ({"max_bytes": True}, "max_bytes is no whole number"),
        ({"items": None}, "the items are one NoneType"),
        ({"items": "text"}, "the items are one str"),
        ({"items": {"a": 1}}, "the items are one dict"),
    ],
)
def test_the_callers_mistakes_are_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(CallerError) as caught:
        select(**{"items": [{"severity": "LOW"}, {"severity": None}], **arguments})
    assert words in str(caught.value)
