from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from penstock import Config, Gate, open_store
from tests.kit.facts.truth import GATES, LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session", autouse=True)
def a_gate() -> Iterator[None]:
    """The gate that holds the payloads of all tests."""
    with open_store("memory:") as store, closing(Gate(store, Config(max_tokens=LIMIT, notice="full"))) as gate:
        GATES.append(gate)
        yield
        GATES.remove(gate)
