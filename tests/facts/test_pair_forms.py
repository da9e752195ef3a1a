"""Nothing false is said of texts whose lines repeat, or that have no form."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.kit.facts.made_json import WORDS, phrase
from tests.kit.facts.truth import assert_columns, assert_true, told_of

if TYPE_CHECKING:
    from collections.abc import Callable


def _certificates(random: Random) -> str:
    bodies = ["\n".join("".join(random.choices("ABCxyz+/", k=64)) for _ in range(20)) for _ in range(20)]
    return "".join(f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n" for body in bodies)


def _schema(random: Random) -> str:
    types = [
        f"type {word}{other} {{\n  {random.choice(WORDS)}{other}: {other}!\n  {word}{other}: [{word}!]\n}}\n"
        for word in WORDS
        for other in WORDS
    ]
    return "\n".join(types)


def _minified(random: Random) -> str:
    return ";".join(f"function {random.choice(WORDS)}(a,b){{return a?b:{at}}}" for at in range(900))


def _snapshot(random: Random) -> str:
    parts = [f"# name: test_{at}\n  dict({{\n    'a': '{phrase(random, 2)}',\n  }})\n# ---" for at in range(200)]
    return "# serializer version: 1\n" + "\n".join(parts)


@pytest.mark.parametrize("make", [_certificates, _schema, _minified])
def test_texts_without_a_form_are_only_text(make: Callable[[Random], str]) -> None:
    judged = told_of(make(Random(5)))
    assert judged.form == "text", judged.info["what"]
    assert not judged.report.wrong


def test_lines_that_repeat_are_told_by_their_kinds() -> None:
    text = _snapshot(Random(5))
    judged = told_of(text)
    assert_true(judged)
    assert judged.notice["message"].startswith("1,001 lines of text of 6 kinds")
    kinds = [re.sub(r"'[^']*'", "*", re.sub("[0-9]+", "#", line)) for line in text.split("\n")]
    assert_columns(judged, {"kind": kinds, "text": text.split("\n")}, loose=True)
