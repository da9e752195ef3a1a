"""What cannot be read is held as plain text: bounded, whole, and never called anything else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.core.budget import Budget
from penstock.core.fit import Call
from penstock.core.forms.document import Kind
from penstock.core.unread import fit_as_text, fit_unread
from tests.kit.answers import head_of, text_of
from tests.kit.strategies import any_text, json_bytes

HANDLE = "r_X7qZ0kW9vJ3bN5mT1yR8cL"
CALL = Call(tool="search")
BUDGETS = (
    Budget(max_tokens=600, preview_tokens=400),
    Budget(max_tokens=250, preview_tokens=250, page_tokens=250, mark="123456789012"),
    Budget(max_tokens=900, preview_tokens=600, structured=True),
)


def result_of(text: str, **members: object) -> bytes:
    return json.dumps({"content": [{"type": "text", "text": text}], **members}).encode()


@given(data=json_bytes() | any_text.map(lambda text: text.encode("utf-8", "surrogatepass")))
@pytest.mark.parametrize("budget", BUDGETS, ids=["small", "least", "structured"])
@pytest.mark.parametrize("fit", [fit_as_text, fit_unread])
def test_p1_and_p2_any_result_is_held_whole_within_the_budget(fit: object, budget: Budget, data: bytes) -> None:
    text = data.decode("utf-8", "surrogatepass")
    raw = result_of(text)
    hold = (fit_as_text if fit is fit_as_text else fit_unread)(raw, budget, CALL)
    whole = raw if fit is fit_unread or not data else data
    assert hold.document.raw == whole
    assert hold.document.kind is Kind.TEXT
    assert hold.document.text.encode("utf-8", hold.document.errors) == whole
    for handle in (HANDLE, None):
        answer = hold.answer(handle, 1_800)
        assert cost(parse(answer), budget.profile) <= budget.max_tokens


def test_what_is_beside_the_text_is_held_or_goes_along() -> None:
    picture = {"type": "image", "data": "QUJD" * 9_000, "mimeType": "image/png"}
    raw = json.dumps({"content": [{"type": "text", "text": "a\n" * 3_000}, picture], "isError": True}).encode()
    for result in (raw, parse(raw)):
        hold = fit_as_text(result, Budget(max_tokens=1_000), CALL)
        assert [one.raw for one in hold.extras.hidden] == [json.dumps(picture).encode()]
        answer = json.loads(hold.answer(HANDLE, 60, ["r_" + "a" * 22]))
        assert answer["isError"] is True
        assert "3,000 lines, 6 KB, held whole as plain text" in head_of(answer)["message"]
        assert text_of(answer).startswith("a\na\n")
        assert fit_unread(result, Budget(max_tokens=1_000), CALL).document.raw == raw


def test_blocks_without_any_text_are_held_as_the_json_that_they_are() -> None:
    raw = json.dumps({"content": [{"type": "image", "data": "QUJD", "mimeType": "image/png"}]}).encode()
    assert fit_as_text(raw, Budget(), CALL).document.raw == raw


def test_a_result_that_may_fit_is_not_said_to_be_above_the_limit() -> None:
    notice = head_of(fit_unread(result_of("small"), Budget(notice="full"), CALL).answer(HANDLE))
    assert notice["metadata"]["would_exceed_limit"] is False
    assert notice["message"].endswith("tokens; held, as it was not read. Nothing of it is shown.")
