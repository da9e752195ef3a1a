"""A gateway that is killed with signal 9 between the commit to the store and its answer: no handle that a client has
seen is lost, and what nobody was told of harms nobody."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.kit import processes as hygiene
from tests.kit.answers import head_of
from tests.kit.gateway import FETCH, Running

left_nothing = hygiene.nothing_is_left_behind

ENTRY = (str(Path(__file__).parents[1] / "kit/killed_penstock.py"),)
ROWS = 1_500  # some 45,000 tokens
NEVER = -1


def handle_in(answer: dict[str, object]) -> str:
    return str(head_of(answer)["cache_id"])


def killed(store: str, step: int, steps: Path) -> Running:
    """A gateway that dies at this step of the second result."""
    env = {**os.environ, "KILLED_AT": str(step), "KILLED_STEPS": str(steps)}
    return Running(store=store, entry=ENTRY, env=env)


def steps_to_the_answer(store: str, file: Path) -> list[str]:
    """Return the names of all steps from a commit to its answer."""
    with killed(store, NEVER, file) as gateway:
        gateway.call("records", rows=ROWS)
        gateway.call("records", rows=ROWS + 1)
        return file.read_text().splitlines()


def shown_before_death(store: str, step: int, file: Path) -> list[str]:
    """Hold a result, and another one until the gateway dies at this step; return the handles that were shown."""
    with killed(store, step, file) as gateway:
        shown = [handle_in(gateway.call("records", rows=ROWS))]
        key = gateway.ask_tool("records", rows=ROWS + 1)
        gateway.cancelled.add(key)  # it may die before that
        assert gateway.wait() == -signal.SIGKILL
        return shown + [handle_in(one["result"]) for one in gateway.messages() if one.get("id") == key]


@pytest.mark.parametrize("number", [2, pytest.param(30, marks=pytest.mark.compat)])
def test_no_handle_that_was_shown_is_lost_wherever_the_gateway_dies(tmp_path: Path, number: int) -> None:
    store = f"sqlite://{tmp_path / 'held.db'}"
    names = steps_to_the_answer(store, tmp_path / "steps")
    assert names, "no step was seen: what puts results into the store has another name"
    chosen = [len(names) * (2 * at + 1) // (2 * number) for at in range(number)]
    shown = [handle for step in chosen for handle in shown_before_death(store, step, tmp_path / "more")]
    with Running(store=store) as gateway:
        for handle in shown:
            told = head_of(gateway.text(FETCH, action="filter", cache_id=handle, jq_filter="length"))
            assert told["result"] in (ROWS, ROWS + 1)
    places = {names[step] for step in chosen}
    print(f"killed in {len(places)} of {len(set(names))} places; {len(shown)} handles were shown, 0 lost")
