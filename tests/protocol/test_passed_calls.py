"""Calls that pass unread are counted once, whichever thread counts and whichever takes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from penstock.protocol.passed_calls import PassedCalls


def test_calls_are_counted_by_server_tool_and_size_and_taken_once() -> None:
    passed = PassedCalls()
    assert not passed
    for server, tool, size in (("a", "t", 30), ("a", "t", 60), ("b", "t", 30), ("a", "u", 3_000)):
        passed.add(server, tool, size)
    assert passed
    assert passed.take() == {("a", "t", 250): (2, 90), ("b", "t", 250): (1, 30), ("a", "u", 1_000): (1, 3_000)}
    assert not passed
    assert passed.take() == {}


def test_no_call_is_lost_or_counted_twice_between_threads() -> None:
    passed = PassedCalls()

    def work(number: int) -> int:
        for _ in range(500):
            passed.add("s", f"t{number % 3}", 10)
        return sum(calls for calls, _ in passed.take().values())

    with ThreadPoolExecutor(8) as threads:
        taken = sum(threads.map(work, range(16)))
    assert taken + sum(calls for calls, _ in passed.take().values()) == 16 * 500
