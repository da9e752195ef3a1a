"""What was loaded stays with its worker, for its owner alone, within one bound, until its result is gone."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from penstock.errors import CallerError
from penstock.query.jq.filter import run_filter
from penstock.query.sandbox.sandbox import JobLimits, Sandbox
from penstock.query.source import Keeping
from penstock.query.sql.query import run_sql
from tests.kit.held_results import held, held_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.query.source import Source

ROWS = [{"id": number, "user": {"name": f"n{number}"}, "ok": number % 2 == 0} for number in range(2_000)]
CSV = "id,name\n" + "".join(f"{number},n{number}\n" for number in range(200))


class Clock:
    time = 1_000.0

    def __call__(self) -> float:
        return self.time


def kept(value: Any, handle: str, owner: str = "ann", expires: float | None = None) -> Source:
    source = held(value) if isinstance(value, str) else held_value(value)
    return replace(source, keeping=Keeping(owner=owner, handle=handle, expires=expires))


def unread(source: Source) -> Source:
    """The same result, whose bytes must not be read again."""

    def read(start: int, end: int) -> bytes:
        raise AssertionError((start, end))

    return replace(source, read=read)


def ask(sql: str, source: Source, pool: Sandbox) -> Any:
    return json.loads(run_sql(sql, {"held": source}, pool).json)


def keeps(pool: Sandbox) -> dict[int, set[str]]:
    """The handles that each idle worker keeps."""
    return {place.worker.pid: set(place.worker.held) for place in pool._pool._idle}


@pytest.fixture
def pool() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as made:
        yield made


def test_the_second_question_reads_nothing(pool: Sandbox) -> None:
    source = kept(ROWS, "h1")
    assert ask("SELECT count(*) AS n FROM items", source, pool) == [{"n": 2_000}]
    again = unread(source)
    assert ask("SELECT count(*) AS n, sum(ok) AS s FROM held", again, pool) == [{"n": 2_000, "s": 1_000}]
    assert ask('SELECT max("user.name") AS m FROM items', again, pool) == [{"m": "n999"}]
    with pytest.raises(CallerError, match="nearest: id"):
        ask("SELECT idd FROM items", again, pool)
    assert ask("SELECT id FROM items LIMIT 1", again, pool) == [{"id": 0}]


def test_what_a_query_names_that_was_not_loaded_is_read_again_and_a_star_gives_the_same_as_ever(pool: Sandbox) -> None:
    source = kept(ROWS[:3], "h1")
    star = ask("SELECT * FROM items", source, pool)
    assert ask("SELECT user FROM items LIMIT 1", source, pool) == [{"user": {"name": "n0"}}]
    assert ask("SELECT user->>'name' AS n FROM items LIMIT 1", unread(source), pool) == [{"n": "n0"}]
    assert ask("SELECT * FROM items", source, pool) == star


def test_rows_of_a_text_are_made_once_for_jq(pool: Sandbox) -> None:
    source = kept(CSV, "h1")
    assert run_filter("length", source, pool).lines == b"200"
    assert run_filter("map(.id) | add", unread(source), pool).lines == b"19900"
    assert ask("SELECT count(*) AS n FROM lines", source, pool) == [{"n": 201}]
    assert ask("SELECT text FROM lines WHERE n = 2", unread(source), pool) == [{"text": "0,n0"}]


def test_a_worker_that_keeps_tables_of_one_owner_ends_before_another_is_served(pool: Sandbox) -> None:
    mine = kept(ROWS, "h1")
    ask("SELECT 1 FROM items", mine, pool)
    (pid,) = pool.idle
    assert ask("SELECT id FROM items", kept([{"id": 7}], "h2", owner="bob"), pool) == [{"id": 7}]
    assert not psutil.pid_exists(pid)
    assert list(keeps(pool).values()) == [{"h2"}]
    with pytest.raises(CallerError, match="no such table"):
        ask("SELECT * FROM sqlite_master, h1", kept([{"id": 7}], "h2", owner="bob"), pool)
    # The same handle of another owner is another result.
    assert ask("SELECT count(*) AS n FROM items", kept(ROWS[:5], "h2"), pool) == [{"n": 5}]
    # Nor is a question without an owner asked of a worker that has one.
    bound = pool.idle
    run_sql("SELECT 1 FROM items", {"a": held_value([1])}, pool)
    assert set(bound).isdisjoint(pool.idle)


def test_two_owners_have_a_worker_each_where_there_are_two() -> None:
    with Sandbox(workers=2) as pool:
        ann, bob = kept(ROWS, "h1"), kept(ROWS[:9], "h2", owner="bob")
        for _ in range(2):
            assert ask("SELECT count(*) AS n FROM items", ann, pool) == [{"n": 2_000}]
            assert ask("SELECT count(*) AS n FROM items", bob, pool) == [{"n": 9}]
            ann, bob = unread(ann), unread(bob)
        assert sorted(map(sorted, keeps(pool).values())) == [["h1"], ["h2"]]


def test_what_was_not_asked_for_longest_goes_first_over_all_workers() -> None:
    with Sandbox(workers=1) as pool:
        ask("SELECT 1 FROM items", kept(ROWS, "1"), pool)
        (one,) = pool._pool._idle[0].worker.held.values()
    size = one * 5 // 2  # two of the tables have room, three have not
    with Sandbox(workers=2, limits=JobLimits(held=size)) as pool:
        first, second, third = (kept(ROWS, handle, owner) for handle, owner in (("1", "a"), ("2", "b"), ("3", "a")))
        for source in (first, second, first, third):
            ask("SELECT 1 FROM items", source, pool)
        assert sorted(map(sorted, keeps(pool).values())) == [[], ["1", "3"]]
        assert sum(sum(place.worker.held.values()) for place in pool._pool._idle) <= size
        assert ask("SELECT count(*) AS n FROM items", unread(first), pool) == [{"n": 2_000}]
        assert ask("SELECT count(*) AS n FROM items", second, pool) == [{"n": 2_000}]


def test_a_table_that_is_larger_than_the_bound_does_not_drive_out_others() -> None:
    with Sandbox(workers=1, limits=JobLimits(held=100_000)) as pool:
        ask("SELECT 1 FROM items", kept(ROWS[:20], "small"), pool)
        ask("SELECT 1 FROM items", kept(ROWS * 3, "large"), pool)
        assert list(keeps(pool).values()) == [{"small"}]


def test_tables_go_when_their_result_expires_or_is_dropped() -> None:
    clock = Clock()
    with Sandbox(workers=1, now=clock) as pool:
        ask("SELECT 1 FROM items", kept(ROWS, "h1", expires=1_010), pool)
        ask("SELECT 1 FROM items", kept(ROWS, "h2"), pool)
        pool.forget("bob", "h2")
        assert list(keeps(pool).values()) == [{"h1", "h2"}]
        clock.time = 1_010
        pool.sweep()
        assert list(keeps(pool).values()) == [{"h2"}]
        pool.forget("ann", "h2")
        assert list(keeps(pool).values()) == [set()]
        # What is there now is loaded again, and is not what was there before.
        assert ask("SELECT count(*) AS n FROM items", kept(ROWS[:3], "h2"), pool) == [{"n": 3}]


def test_a_result_that_is_dropped_while_a_worker_reads_it_is_forgotten_afterwards(pool: Sandbox) -> None:
    source = kept(ROWS, "h1")

    def read(start: int, end: int) -> bytes:
        pool.forget("ann", "h1")
        return source.read(start, end)

    assert ask("SELECT count(*) AS n FROM items", replace(source, read=read), pool) == [{"n": 2_000}]
    assert list(keeps(pool).values()) == [set()]


def test_a_load_that_fails_leaves_no_half_of_a_table(pool: Sandbox) -> None:
    good, other = kept(CSV, "h1"), held(CSV + "1,2,3\n" * 200)
    broken = replace(good, read=other.read, index=other.index)  # as if only its beginning was looked at
    with pytest.raises(CallerError, match="does not go on as it begins"):
        ask("SELECT 1 FROM items", broken, pool)
    assert list(keeps(pool).values()) == [set()]
    assert ask("SELECT count(*) AS n FROM items", good, pool) == [{"n": 200}]


def test_a_worker_that_died_with_its_tables_costs_a_load(pool: Sandbox) -> None:
    source = kept(ROWS, "h1")
    ask("SELECT 1 FROM items", source, pool)
    (pid,) = pool.idle
    os.kill(pid, signal.SIGKILL)
    psutil.Process(pid).wait()
    pool.forget("ann", "h1")
    assert ask("SELECT count(*) AS n FROM items", source, pool) == [{"n": 2_000}]


def test_results_of_several_owners_are_asked_together_but_not_kept(pool: Sandbox) -> None:
    sources = {"a": kept(ROWS[:2], "h1"), "b": kept(ROWS[:3], "h2", owner="bob")}
    assert json.loads(run_sql("SELECT count(*) AS n FROM a, b", sources, pool).json) == [{"n": 6}]
    assert list(keeps(pool).values()) == [set()]


def test_results_that_are_kept_are_joined_without_reading_them_again(pool: Sandbox) -> None:
    one, two = kept(ROWS[:5], "h1"), kept(ROWS[:3], "h2")
    for source in (one, two):
        ask("SELECT 1 FROM items", source, pool)
    sql = "SELECT count(*) AS n, max(a.ok) AS ok FROM a JOIN b USING (id)"
    found = run_sql(sql, {"a": unread(one), "b": unread(two)}, pool)
    assert found.lines == b'{"n":3,"ok":1}'
    same = run_sql("SELECT count(*) AS n FROM x JOIN y USING (id)", {"x": unread(one), "y": unread(one)}, pool)
    assert same.lines == b'{"n":5}'
