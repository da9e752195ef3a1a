"""A changed call is one that the tool takes, with all that the caller asked for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from penstock.core.answer.suggestions.parameters import (
    LONGEST_ARGUMENTS,
    MOST_PARAMETERS,
    AdjustableCall,
    Effect,
    letters,
)
from tests.kit.strategies import values

TEXT: dict[str, Any] = {"type": "string"}


def changed(schema: dict[str, Any], name: str, form: Any, **given: Any) -> dict[str, Any] | None:
    call = AdjustableCall(given, schema)
    [parameter] = call.named({letters(name)})
    return call.changed(parameter, [form])


@given(values, values)
def test_any_arguments_and_any_schema_make_a_call(arguments: Any, schema: Any) -> None:
    call = AdjustableCall(arguments, schema)
    assert len(call.parameters) <= MOST_PARAMETERS
    assert all(one.current is None or one.description is not None for one in call.parameters)


def test_the_same_name_in_every_spelling() -> None:
    assert {letters(name) for name in ("maxResults", "max_results", "max-results", "MAX RESULTS")} == {"maxresults"}


def test_parameters_in_use_come_first_then_those_with_the_clearest_name() -> None:
    schema = {"properties": {"ignore": TEXT, "exclude": TEXT, "excludes": TEXT, "other": TEXT}}
    assert [one.name for one in AdjustableCall({}, schema).of(Effect.EXCLUDE)] == ["excludes", "exclude", "ignore"]
    assert [one.name for one in AdjustableCall({"ignore": "a"}, schema).of(Effect.EXCLUDE)] == [
        "ignore",
        "excludes",
        "exclude",
    ]


def test_what_changes_nothing_or_is_not_taken_is_no_change() -> None:
    schema = {"properties": {"a": TEXT, "b": {"type": "integer"}}}
    assert changed(schema, "a", "x", q=1) == {"q": 1, "a": "x"}
    assert changed(schema, "a", "x", a="x") is None
    assert changed(schema, "a", 5) is None


def test_a_default_is_in_force_where_nothing_was_given() -> None:
    schema = {"properties": {"a": {"type": "string", "default": "d", "description": "Some WORDS"}, "b": 7}}
    first, second = AdjustableCall({"a": None}, schema).parameters
    assert (first.current, first.description, second.current, second.description) == ("d", "some words", None, "")
    assert AdjustableCall({"a": "x"}, schema).parameters[0].current == "x"


@pytest.mark.parametrize("extra", ["x" * LONGEST_ARGUMENTS, {1, object()}, 2**70, "\ud800"])
def test_arguments_too_long_or_not_to_be_written_are_not_repeated(extra: Any) -> None:
    made = changed({"properties": {"a": TEXT}}, "a", "x", other=extra)
    assert made is None or made == {"other": extra, "a": "x"}
    assert (made is not None) == (extra == 2**70)
