"""A setting that has no effect in a middleware is refused there."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.config import Config
from penstock.errors import ConfigError
from penstock.gate import Gate
from penstock.middleware.configured import OF_A_GATEWAY, OF_A_STORE, configured
from penstock.middleware.decorator import budgeted
from penstock.middleware.sdk import PenstockServerMiddleware
from penstock.stores import open_store

GIVEN: dict[str, Any] = {
    "call_timeout": "5s",
    "log_level": "info",
    "store": "memory:",
    "max_store_bytes": 5_000_000,
    "max_store_items": 50,
}


@pytest.mark.parametrize("name", OF_A_GATEWAY)
@pytest.mark.parametrize("make", [budgeted, PenstockServerMiddleware])
def test_what_only_a_gateway_does_is_refused_by_name(make: Any, name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} has no effect in a middleware"):
        make(**{name: GIVEN[name]})


@pytest.mark.parametrize("name", OF_A_STORE)
def test_a_store_beside_a_gate_is_refused(name: str) -> None:
    config = Config(store="memory:")
    with open_store("memory:") as store:
        gate = Gate(store, config)
        with pytest.raises(ConfigError, match=f"{name} has no effect beside a gate"):
            configured(config, gate, **{name: GIVEN[name]})


def test_the_configuration_of_a_gateway_is_taken_as_it_is_with_what_is_given_beside_it() -> None:
    config = configured(Config(call_timeout="5s", log_level="info"), None, max_tokens=700)
    assert (config.call_timeout, config.max_tokens) == (5.0, 700)
    assert configured(None, None, max_tokens=700).max_tokens == 700
