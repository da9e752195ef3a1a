"""Which findings are shown, and what is said about the others; values in, values out."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from security_server.finding import SEVERITIES
from security_server.truncation import STRATEGIES, Strategy, TruncationConfig, truncate

TIMES = {"newest": "2026-05-03T00:00:00Z", "middle": "2026-05-02T00:00:00Z", "oldest": "2026-05-01T00:00:00Z"}


def finding(severity: str, number: int, time: str = TIMES["middle"]) -> dict[str, Any]:
    return {"fingerprint": f"{number:04}", "severity": severity, "first_seen": time}


def findings(**counts: int) -> list[dict[str, Any]]:
    """So many of each severity, shuffled but always the same."""
    made = [finding(name, 100 * place + n) for place, name in enumerate(SEVERITIES) for n in range(counts.get(name, 0))]
    random.Random(1).shuffle(made)
    return made


def limits(most: int | None = 50, size: int | None = None, strategy: Strategy = "priority") -> TruncationConfig:
    return TruncationConfig(max_findings=most, max_output_bytes=size, truncate_strategy=strategy)


def test_the_priority_strategy_shows_critical_before_high_before_medium_before_low() -> None:
    shown = truncate(findings(LOW=3, HIGH=3, CRITICAL=3, MEDIUM=3), limits())
    assert [one["severity"] for one in shown.findings] == [name for name in SEVERITIES for _ in range(3)]


def test_the_truncated_example_of_the_specification() -> None:
    shown = truncate(findings(CRITICAL=5, HIGH=45, MEDIUM=80, LOW=20), limits(50))
    assert shown.by_severity == {"CRITICAL": 5, "HIGH": 45, "MEDIUM": 80, "LOW": 20}
    assert shown.truncation_info() == {
        "total_findings": 150,
        "shown_findings": 50,
        "hidden_by_severity": {"CRITICAL": 0, "HIGH": 0, "MEDIUM": 80, "LOW": 20},
        "strategy": "priority",
        "message": "Showing 50 of 150 findings (sorted by priority)",
    }


def test_what_is_under_the_limit_is_not_truncated_and_has_no_info() -> None:
    shown = truncate(findings(CRITICAL=2, HIGH=8, MEDIUM=10, LOW=5), limits(50))
    assert (shown.total_count, shown.shown_count, shown.truncated) == (25, 25, False)
    assert shown.truncation_info() is None


@pytest.mark.parametrize(
    ("strategy", "first", "last"), [("newest", "newest", "oldest"), ("oldest", "oldest", "newest")]
)
def test_newest_and_oldest_go_by_the_time_whatever_the_severity(strategy: Strategy, first: str, last: str) -> None:
    every = [
        finding("LOW", 1, TIMES["middle"]),
        finding("CRITICAL", 2, TIMES["oldest"]),
        finding("LOW", 3, TIMES["newest"]),
    ]
    shown = truncate(every, limits(strategy=strategy))
    assert [one["first_seen"] for one in shown.findings] == [TIMES[first], TIMES["middle"], TIMES[last]]
    cut = truncate(every, limits(1, strategy=strategy))
    info = cut.truncation_info()
    assert info is not None
    assert info["message"] == f"Showing 1 of 3 findings (sorted by {strategy})"
    assert cut.by_severity["LOW"] == 2


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_of_findings_of_one_time_the_most_severe_come_first(strategy: Strategy) -> None:
    every = [finding(severity, number) for number, severity in enumerate(("LOW", "CRITICAL", "MEDIUM", "HIGH"))]
    shown = truncate(every, limits(strategy=strategy))
    assert [one["severity"] for one in shown.findings] == ["CRITICAL", "HIGH", "MEDIUM", "LOW"]


def test_equal_findings_keep_their_order() -> None:
    every = [finding("HIGH", number) for number in range(20)]
    for strategy in STRATEGIES:
        assert list(truncate(every, limits(strategy=strategy)).findings) == every


def test_findings_stop_at_the_limit_in_bytes() -> None:
    every = findings(HIGH=100)
    shown = truncate(every, limits(None, 1_000))
    size = len(json.dumps(shown.findings, separators=(",", ":")))
    assert 900 < size <= 1_000
    assert 0 < shown.shown_count < 100
    assert shown.hidden_by_severity["HIGH"] == 100 - shown.shown_count


def test_no_findings_at_all_are_counted_as_none_of_every_severity() -> None:
    shown = truncate([], limits())
    assert shown.by_severity == dict.fromkeys(SEVERITIES, 0)
    assert not shown.truncated


@given(
    severities=st.lists(st.sampled_from(SEVERITIES), max_size=60),
    times=st.randoms(use_true_random=False),
    strategy=st.sampled_from(STRATEGIES),
    most=st.integers(1, 20),
    size=st.none() | st.integers(200, 2_000),
)
def test_pages_put_together_are_all_findings_and_hidden_and_shown_add_up(
    severities: list[str], times: random.Random, strategy: Strategy, most: int, size: int | None
) -> None:
    every = [finding(name, n, f"2026-05-{times.randint(1, 28):02}T00:00:00Z") for n, name in enumerate(severities)]
    whole = truncate(every, limits(None, None, strategy)).findings
    pages: list[dict[str, Any]] = []
    while len(pages) < len(every):
        shown = truncate(every, limits(most, size, strategy), offset=len(pages))
        assert sum(shown.by_severity.values()) == shown.total_count == len(every)
        assert sum(shown.hidden_by_severity.values()) == len(every) - shown.shown_count
        assert (shown.truncation_info() is not None) == shown.truncated
        assert 1 <= shown.shown_count <= most
        pages += shown.findings
    assert pages == list(whole)


def test_past_the_end_nothing_is_truncated() -> None:
    shown = truncate(findings(HIGH=3), limits(2), offset=3)
    assert (shown.shown_count, shown.truncated, shown.truncation_info()) == (0, False, None)
