"""An error that nobody foresaw loses nothing: each stage is made to fail, and the result is held, bounded, and told of
truthfully; each action is made to fail, and says whose fault it is."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock import unforeseen
from penstock.config import Config
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.core.fit import Call
from penstock.errors import CallerError, PenstockError, StoreError
from penstock.gate import Gate, actions, acts
from penstock.stores import open_store
from penstock.unforeseen import FRAMES, MOST_PLACES, Incidents, described
from tests import strict
from tests.gate.conftest import OWNER, notice
from tests.kit.answers import split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.gate.actions.request import FetchRequest
    from penstock.gate.acts.request import ActRequest
    from penstock.stores import NewRecord

SECRET = "the password of the moon"
ROWS = [{"id": n, "note": f"{SECRET} é {n}", "state": ["open", "closed"][n % 2]} for n in range(300)]
IMAGE = {"type": "image", "data": "QUJD" * 400, "mimeType": "image/png"}
RESULT = json.dumps({"content": [{"type": "text", "text": json.dumps(ROWS)}, IMAGE], "_meta": {"a": 1}}).encode()
LIMIT = 3_000

# Where a result may fail to be read, and what of it can then be held: the text of its first block, or its own JSON.
STAGES = {
    "penstock.core.fit.parse": "text",
    "penstock.core.fit.cost_of": "text",
    "penstock.core.fit.payload": "text",
    "penstock.core.fit.compacted": "text",
    "penstock.core.fit.converted": "text",
    "penstock.core.fit.read_form": "text",
    "penstock.core.fit.measure": "text",
    "penstock.core.fit.suggest": "text",
    "penstock.core.fit_room.preview": "text",
    "penstock.core.fit_room.extras_within": "json",
    "penstock.core.hold.next_calls": "json",
    "penstock.core.notice.cross.facts_of": "text",
    "penstock.core.answer.result.read": "json",
    "penstock.core.forms.json.records.row_words": "text",
    "penstock.core.forms.recognise.JsonView": "json",  # the record of the picture needs it, too
    "penstock.gate.records.index_of": "nothing",
}
Raised = tuple[type[Exception], tuple[Any, ...]]
ERRORS: tuple[Raised, ...] = (
    (KeyError, (SECRET,)),
    (MemoryError, ()),
    (RecursionError, ("too deep",)),
    (UnicodeDecodeError, ("utf-8", b"\xff", 0, 1, SECRET)),
)


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, place: str, error: Raised, times: int = 10**9) -> Iterator[None]:
    """Make one function raise an error, always or the first few times."""
    name, _, attribute = place.rpartition(".")
    module = __import__(name, fromlist=["_"])
    real = getattr(module, attribute)
    left = [times]

    def raises(*args: Any, **kwargs: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            return real(*args, **kwargs)
        kind, given = error
        raise kind(*given)

    with monkeypatch.context() as patched:
        strict.with_net(patched)
        patched.setattr(module, attribute, raises)
        yield


@pytest.fixture
def log() -> list[str]:
    return []


@pytest.fixture
def gate(log: list[str]) -> Iterator[Gate]:
    def failed(error: PenstockError) -> None:
        log.append(str(error))

    with open_store("memory:") as store:
        made = Gate(store, Config(max_tokens=LIMIT, preview_tokens=1_500, page_tokens=1_200), failed=failed)
        yield made
        made.close()


def whole_text(gate: Gate, handle: str) -> str:
    """Read a held result by its windows."""
    found: list[str] = []
    start: int | None = 0
    while start is not None:
        raw = gate.fetch(OWNER, {"action": "get", "cache_id": handle, "start_index": start})
        assert cost(parse(raw), "claude") <= LIMIT
        where, part = split(raw)
        found.append(part)
        start = where["next_index"]
    return "".join(found)


@pytest.mark.parametrize("place", [place for place, held in STAGES.items() if held != "nothing"])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error[0].__name__)
def test_a_result_that_cannot_be_read_is_held_whole_as_plain_text(
    gate: Gate, log: list[str], monkeypatch: pytest.MonkeyPatch, place: str, error: Raised
) -> None:
    call = Call(tool="search", owner=OWNER)
    with failing(monkeypatch, place, error):
        answer = gate.admit(call, RESULT)
        gate.admit(call, RESULT)
    assert cost(parse(answer), "claude") <= LIMIT
    told = notice(json.loads(answer))
    assert "held whole as plain text: Penstock failed to read" in told["message"]
    assert told["shape"] == "[str]"
    assert "suggestions" not in told
    text = whole_text(gate, told["cache_id"])
    if STAGES[place] == "text":
        assert text == json.dumps(ROWS)
        assert json.loads(answer)["_meta"]["a"] == 1
    else:
        assert text.encode() == RESULT
    assert told["metadata"]["total_bytes"] == len(text.encode())
    assert told["metadata"]["item_count"] == 1
    offered = gate.fetch(OWNER, told["next"][0]["arguments"])
    assert "isError" not in json.loads(offered)
    assert cost(parse(offered), "claude") <= LIMIT
    [line, *more] = log
    assert f"an unforeseen error in reading a result of 'search', {len(RESULT):,} bytes: {error[0].__name__} at" in line
    assert "please report this line" in line
    assert penstock.__version__ in line
    assert not any(SECRET in one for one in log)
    assert len(more) == (STAGES[place] == "json"), "each place is logged once, whatever number of results meets it"


def test_what_fails_once_is_read_as_ever_the_next_time(
    gate: Gate, log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = Call(tool="search", owner=OWNER)
    with failing(monkeypatch, "penstock.core.fit.read_form", (MemoryError, ()), times=1):
        assert "plain text" in notice(json.loads(gate.admit(call, RESULT)))["message"]
        assert "300 records" in notice(json.loads(gate.admit(call, RESULT)))["message"]
    assert len(log) == 1


def test_where_not_even_plain_text_can_be_held_the_error_is_the_first_one_that_nobody_could_answer(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    with failing(monkeypatch, "penstock.gate.records.index_of", (KeyError, (SECRET,))), pytest.raises(KeyError):
        gate.admit(Call(tool="search", owner=OWNER), RESULT)
    assert gate.store.stats().items == 0


@pytest.mark.parametrize("error", [KeyError(SECRET), MemoryError(), StoreError("the disk is full")])
def test_whatever_the_store_fails_with_no_handle_is_named(
    gate: Gate, log: list[str], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def put(_: NewRecord) -> None:
        raise error

    strict.with_net(monkeypatch)
    monkeypatch.setattr(gate.store, "put", put)
    admission = gate.decide(Call(tool="search", owner=OWNER), RESULT)
    assert "cache_id" not in notice(json.loads(admission.answer))
    assert "The rest was not kept: the store failed" in notice(json.loads(admission.answer))["message"]
    assert admission.outcome.kind == "not_kept"
    assert cost(parse(admission.answer), "claude") <= LIMIT
    [line] = log
    assert SECRET not in line


@pytest.mark.parametrize("courtesy", ["add_counts", "touch", "sweep"])
def test_no_answer_depends_on_a_courtesy(gate: Gate, monkeypatch: pytest.MonkeyPatch, courtesy: str) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise KeyError(SECRET)

    monkeypatch.setattr(gate.store, courtesy, fails)
    handle = notice(json.loads(gate.admit(Call(tool="search", owner=OWNER), RESULT)))["cache_id"]
    assert whole_text(gate, handle) == json.dumps(ROWS)
    assert gate.sweep() is (courtesy != "sweep")


@pytest.mark.parametrize("action", actions.TABLE)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error[0].__name__)
def test_an_action_that_fails_says_whose_fault_it_is_and_loses_nothing(
    gate: Gate, log: list[str], monkeypatch: pytest.MonkeyPatch, action: str, error: Raised
) -> None:
    handle = notice(json.loads(gate.admit(Call(tool="search", owner=OWNER), RESULT)))["cache_id"]

    def run(request: FetchRequest) -> bytes:
        request.opened()
        kind, given = error
        raise kind(*given)

    with monkeypatch.context() as patched:
        strict.with_net(patched)
        patched.setitem(actions.TABLE, action, type("Failing", (), {"run": staticmethod(run)})())
        gate.fetch(OWNER, {"action": action, "cache_id": handle})
        raw = gate.fetch(OWNER, {"action": action, "cache_id": handle})
    told = json.loads(raw)
    assert told["isError"] is True
    assert len(raw) < 1_024
    text = told["content"][0]["text"]
    assert text.startswith(f"Penstock failed in action '{action}' ({error[0].__name__}): its own fault")
    assert "what is held is unharmed" in text
    assert SECRET not in text
    [line] = log
    assert f"an unforeseen error in the action '{action}' of the fetch tool: {error[0].__name__} at" in line
    assert SECRET not in line
    assert whole_text(gate, handle) == json.dumps(ROWS)


def test_an_act_that_fails_does_not_say_that_nothing_was_done(log: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config(max_tokens=LIMIT, act=("drop",))
    with open_store("memory:") as store:
        gate = Gate(store, config, failed=lambda error: log.append(str(error)))
        handle = notice(json.loads(gate.admit(Call(tool="search", owner=OWNER), RESULT)))["cache_id"]

        def run(request: ActRequest) -> bytes:
            request.drop(handle)
            raise KeyError(SECRET)

        strict.with_net(monkeypatch)
        monkeypatch.setitem(acts.TABLE, "drop", type("Failing", (), {"run": staticmethod(run)})())
        told = json.loads(gate.act(OWNER, {"action": "drop", "cache_id": handle}))
    assert told["isError"] is True
    text = told["content"][0]["text"]
    assert text.startswith("Penstock failed in action 'drop' (KeyError): its own fault")
    assert "it may have been done, or a part of it" in text
    [line] = log
    assert "the action 'drop' of the act tool: KeyError at" in line
    assert SECRET not in line


def test_arguments_that_cannot_be_read_at_all_are_answered(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    with failing(monkeypatch, "penstock.gate.answering.OwnersRequest", (KeyError, (SECRET,))):
        told = json.loads(gate.fetch(OWNER, {"cache_id": "r_x"}))
    assert told["isError"] is True
    assert told["content"][0]["text"].startswith("Penstock failed in action 'without a name' (KeyError)")


def test_a_filter_that_fails_leaves_the_original(log: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config(max_tokens=LIMIT, rules={"search": {"filter": ".[0]"}})
    with open_store("memory:") as store:
        gate = Gate(store, config, failed=lambda error: log.append(str(error)))
        with failing(monkeypatch, "penstock.gate.filtering.filtered", (KeyError, (SECRET,))):
            told = json.loads(gate.admit(Call(tool="search", owner=OWNER), RESULT))
        assert "cache_id" in notice(told)
        assert "a fault of Penstock (KeyError)" in notice(told)["note"]
        assert whole_text(gate, notice(told)["cache_id"]) == json.dumps(ROWS)
    [line] = log
    assert "filtering a result of 'search'" in line
    assert SECRET not in line


def test_the_log_has_the_innermost_places_and_no_more_than_it_needs() -> None:
    def deep(level: int) -> None:
        if level:
            deep(level - 1)
        raise KeyError(SECRET)

    with pytest.raises(KeyError) as caught:
        deep(50)
    line = described(caught.value)
    assert line.startswith("KeyError at test_unforeseen.py:")
    assert line.count(" < ") == FRAMES - 1
    assert SECRET not in line
    assert described(StoreError("the disk is full")) == "StoreError: the disk is full"
    assert "at an unknown place" in described(KeyError())


def test_error_is_described_by_its_type_if_there_is_no_memory_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(_: BaseException) -> str:
        raise MemoryError

    monkeypatch.setattr(unforeseen, "place_of", no_memory)
    assert described(KeyError("secret")) == "KeyError"


def test_places_that_are_remembered_as_logged_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    strict.with_net(monkeypatch)
    lines: list[str] = []
    incidents = Incidents(lambda error: lines.append(str(error)))
    for number in range(3 * MOST_PLACES):
        incidents.note(KeyError(), f"work {number % (2 * MOST_PLACES)}", "nothing happened")
    assert len(lines) == 3 * MOST_PLACES
    incidents.note(KeyError(), f"work {MOST_PLACES - 1}", "nothing happened")
    assert len(lines) == 3 * MOST_PLACES


def test_the_place_of_an_own_error_is_logged_and_its_words_only_if_they_are_of_the_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    strict.with_net(monkeypatch)
    lines: list[str] = []
    incidents = Incidents(lambda error: lines.append(str(error)))
    for error in (CallerError(SECRET), StoreError("the disk is full")):
        try:
            raise error
        except PenstockError as raised:
            incidents.note(raised, "work", "nothing happened")
    assert "CallerError at test_unforeseen.py:" in lines[0]
    assert SECRET not in lines[0]
    assert "StoreError: the disk is full" in lines[1]


def test_an_error_in_reading_fails_a_test_even_if_something_around_the_gate_catches_it(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise KeyError(SECRET)

    monkeypatch.setattr("penstock.core.fit.read_form", fails)
    is_noticed = pytest.raises(AssertionError, match="KeyError in reading a result")
    with is_noticed, strict.no_incidents(), pytest.raises(KeyError):
        gate.admit(Call(tool="search", owner=OWNER), RESULT)


def test_no_incident_is_met_by_a_test_that_expects_the_fallback(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    with strict.no_incidents(), failing(monkeypatch, "penstock.core.fit.read_form", (KeyError, (SECRET,))):
        assert "plain text" in notice(json.loads(gate.admit(Call(tool="search", owner=OWNER), RESULT)))["message"]
