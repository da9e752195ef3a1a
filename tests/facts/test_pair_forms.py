"""Nothing false is said of stanzas, settings, lock files, mails, metrics and dumps, nor of other texts."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.kit.facts.made_json import WORDS, phrase
from tests.kit.facts.made_pairs import many_tables
from tests.kit.facts.truth import GATES, told_of

if TYPE_CHECKING:
    from collections.abc import Callable


def test_each_table_of_a_dump_answers_under_its_own_name() -> None:
    made = many_tables(3)
    judged = told_of(made.text)
    for name, count in judged.notice["tables"].items():
        if name == "…":
            continue
        asked = {"cache_id": judged.notice["cache_id"], "action": "sql", "sql": f"SELECT count(*) AS n FROM {name}"}
        answer = json.loads(GATES[-1].fetch("reader", asked))
        assert str(count) in json.dumps(answer["content"])


def _certificates(random: Random) -> str:
    body = "\n".join("".join(random.choices("ABCDEFabcdef0123+/", k=64)) for _ in range(20))
    return f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n" * 20


def _schema(random: Random) -> str:
    types = [f"type {word.title()} {{\n  id: ID!\n  {random.choice(WORDS)}: [String!]\n}}\n" for word in WORDS]
    return "\n".join(types * 20)


def _minified(random: Random) -> str:
    return ";".join(f"function {random.choice(WORDS)}(a,b){{return a?b:{at}}}" for at in range(900))


def _snapshot(random: Random) -> str:
    parts = [f"# name: test_{at}\n  dict({{\n    'a': '{phrase(random, 2)}',\n  }})\n# ---" for at in range(200)]
    return "# serializer version: 1\n" + "\n".join(parts)


@pytest.mark.parametrize("make", [_certificates, _schema, _minified, _snapshot])
def test_texts_without_a_form_are_only_text(make: Callable[[Random], str]) -> None:
    judged = told_of(make(Random(5)))
    assert judged.form == "text", judged.info["what"]
    assert not judged.report.wrong
