"""Every target checks its past findings and a few new cases, always the same ones."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.fuzz import TARGETS
from tests.fuzz.target import CORPUS, kept_cases, read_case, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fuzz.target import Target

SEEDS = {"gate": 10, "exchange": 10, "http": 4, "config_files": 150}


@pytest.fixture(scope="module", params=TARGETS)
def named(request: pytest.FixtureRequest) -> Iterator[tuple[str, Target]]:
    target = TARGETS[request.param]()
    yield request.param, target
    target.close()


def test_past_findings_stay_mended(named: tuple[str, Target]) -> None:
    name, target = named
    for path in kept_cases(name):
        assert target.check(read_case(path)), path.name


def test_cases_of_some_seeds_hold(named: tuple[str, Target]) -> None:
    name, target = named
    for seed in range(SEEDS[name]):
        assert target.check(target.make(Random(seed))), f"make fuzz TARGET={name} SEED={seed} ONCE=1"


def test_a_seed_gives_the_same_case_always_and_a_case_is_kept_as_it_is(
    named: tuple[str, Target], tmp_path: Path
) -> None:
    name, target = named
    for seed in range(2):
        case = target.make(Random(seed))
        assert case == target.make(Random(seed)), name
        kept = tmp_path / "case.txt"
        kept.write_text(written(case), "ascii")
        assert read_case(kept) == case, name


def test_every_folder_of_the_corpus_is_of_a_target() -> None:
    assert {path.name for path in CORPUS.iterdir()} <= set(TARGETS)
