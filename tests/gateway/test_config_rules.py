"""What the exchange asks of the configuration."""

from __future__ import annotations

import pytest

from penstock.config import Config
from penstock.config.unread import EVERY_CLIENT, passes_unread
from penstock.gateway.config_rules import REMEMBERED, ConfigRules


def rules(**given: object) -> ConfigRules:
    return ConfigRules(Config(**given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "floor"),
    [
        ({}, EVERY_CLIENT),
        ({"max_tokens": 500, "preview_tokens": 500, "page_tokens": 500}, 500),
        ({"always_hold": True}, 0),
        ({"clients": {"mine": {"max_text_bytes": 1_024}}}, 1_024),
        ({"clients": {"mine": {"max_lines": 50}}}, 50),
        ({"rules": {"search": {"always_hold": True}}}, 0),
        ({"rules": {"other": {"always_hold": True}}}, EVERY_CLIENT),
    ],
)
def test_a_result_passes_unread_up_to_what_every_client_takes(given: dict[str, object], floor: int) -> None:
    asked = rules(**given)
    assert asked.floor("search") == floor
    assert asked.floor("search") == floor  # from what was kept at hand
    assert floor == passes_unread(asked.config, "search")  # what the gate holds to be true


def test_time_is_given_in_the_units_of_the_protocol() -> None:
    asked = rules(ttl="2m", call_timeout=7, rules={"slow": {"call_timeout": "forever", "ttl": "forever"}})
    assert (asked.ttl_ms("any"), asked.timeout("any")) == (120_000, 7)
    assert (asked.ttl_ms("slow"), asked.timeout("slow")) == (None, None)


def test_the_rest_is_as_it_was_configured() -> None:
    asked = rules(tool_name="read_on", output_schema="wrap")
    assert (asked.tool_name, asked.output_schema) == ("read_on", "wrap")


def test_names_that_somebody_makes_up_do_not_fill_the_memory() -> None:
    made = rules(rules={"slow_*": {"call_timeout": "20m"}})
    for number in range(3 * REMEMBERED):
        assert made.timeout(f"slow_{number}") == 1_200
        assert made.floor(f"made_up_{number}") == EVERY_CLIENT
    assert made.timeout("slow_1") == 1_200
    kept = [value for value in vars(made).values() if isinstance(value, dict)]
    assert max(map(len, kept)) <= REMEMBERED
