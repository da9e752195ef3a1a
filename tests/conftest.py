"""Settings for all tests: time is never asserted, so no example has a deadline; CI draws the same examples always.

Tests that share a server are one group, and a group runs in one worker: an example's server starts once, not once in
each worker. All other tests go to whichever worker is free.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from tests import strict

if TYPE_CHECKING:
    from collections.abc import Generator

pytest.register_assert_rewrite("tests.kit")  # its assertions explain themselves as those of tests do

strict.let_unforeseen_errors_through()

# jsonschema compiles 38 grammars of it when it is imported, for formats that no test of ours has checked: in each
# worker a second. It is there for one of the engines of an example, which has a process of its own.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# A folder whose tests read from one server, or a module whose fixtures are costly.
GROUPED: Final = (
    r"tests/examples/\w+/",
    r"tests/examples/test_numbers_as_texts\.py",
    r"tests/cli/test_demo\.py",
    r"tests/gateway/stdio/test_bridge\.py",
    r"tests/middleware/test_(?:(?:act_|brief_)?contract|behind_gateway)\.py",
    r"tests/regressions/",
    r"tests/stores/test_redis_(?:cluster|sentinel)\.py",
    r"tests/interaction/test_\w+\.py",
)
GROUPS: Final = re.compile("|".join(GROUPED))

# How many more objects are made than freed before the collector looks, and how often it looks at older ones. Tests make
# millions that are freed at once: by Python's own numbers a fourteenth of their time went into looking.
RARELY: Final = (100_000, 50, 100)

_CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.differing_executors]

settings.register_profile("local", deadline=None, suppress_health_check=_CALM, max_examples=50)
settings.register_profile("thorough", parent=settings.get_profile("local"), max_examples=2_000)
settings.register_profile("ci", parent=settings.get_profile("local"), derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "local"))


@pytest.fixture(autouse=True)
def _no_incidents() -> Generator[None]:
    """Fail each test in which reading a result, or choosing its facts and rows, raised an unforeseen error."""
    with strict.no_incidents():
        yield


COMPAT: Final = re.compile(r"tests/(interaction|scale)/")  # folders all of whose tests have the mark


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if COMPAT.match(item.nodeid):
            item.add_marker("compat")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Look for no garbage among what is imported and collected: it all stays, and each look would take a third of the
    time of collection, and a tenth of a second in the tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*RARELY)
        gc.enable()


class GroupScheduling(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Gives the tests of a group to one worker, the largest group first, and any other test by itself."""

    def _split_scope(self, nodeid: str) -> str:
        group = GROUPS.match(nodeid)
        return nodeid if group is None else group[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> GroupScheduling:
    return GroupScheduling(config, log)
