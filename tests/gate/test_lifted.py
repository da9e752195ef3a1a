"""A result whose text was lifted out of its line before is held, read and passed like any other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.config import Config
from penstock.core.answer.result import Result, parse
from penstock.core.fit import Call
from penstock.core.json.long_text import lift
from penstock.gate import Gate
from tests.kit.answers import head_of, text_of

if TYPE_CHECKING:
    from tests.gate.conftest import Desk

TEXT = json.dumps([{"id": n, "name": f"näme {n}"} for n in range(50_000)], ensure_ascii=False)


def lifted(text: str) -> Result:
    taken = lift(iter([json.dumps({"content": [{"type": "text", "text": text}], "isError": False}).encode()]))
    assert taken.text is not None
    return parse(taken.line, taken.text)


def test_a_lifted_result_is_answered_and_read_as_the_same_result_whole(desk: Desk) -> None:
    call = Call(tool="search", owner="ann", arguments={"q": "y"})
    told, whole = json.loads(desk.gate.admit(call, lifted(TEXT))), desk.admit(TEXT)
    notices = [head_of(one) for one in (told, whole)]
    handles = [notice.pop("cache_id") for notice in notices]
    strings = [json.dumps(notice).replace(handle, "") for notice, handle in zip(notices, handles, strict=True)]
    assert strings[0] == strings[1]
    assert text_of(told) == text_of(whole)
    read = desk.store.get("ann", handles[0])
    assert read is not None
    assert read.read(0, read.size()).decode() == TEXT


def test_a_lifted_result_that_is_never_held_passes_with_its_text_in_place(desk: Desk) -> None:
    gate = Gate(desk.store, Config(never_hold=True))
    passed = json.loads(gate.admit(Call(tool="search"), lifted(TEXT)))
    assert passed == {"content": [{"type": "text", "text": TEXT}], "isError": False}
