"""A broken plug-in costs its form, never a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms.api import DoesNotHoldError, Form, Sample, Words
from penstock.core.forms.guarded import GuardedForm
from penstock.core.forms.plugins import add_form, add_later, added_forms, remove_form
from penstock.core.forms.registry import form_named
from tests.kit.forms.facts import main_of, reading_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = "".join(f"job {number} ok\n" for number in range(40))
ROWS = [{"line": number + 1, "id": number} for number in range(40)]


class Jobs(Form):
    """Reads the text above. A test gives it other answers."""

    name = "test_jobs"
    title = "a list of jobs"
    noun = "jobs"

    def __init__(self, batches: Any = None, options: Any = None, words: Any = None) -> None:
        self.batches, self.options, self.own_words = batches, options, words

    def recognise(self, sample: Sample) -> dict[str, Any] | None:
        if isinstance(self.options, Exception):
            raise self.options
        return {} if self.options is None and sample.lines[0].startswith("job ") else self.options

    def read(self, lines: Any, options: Any) -> Any:
        if self.batches is not None:
            return self.batches
        rows = [(number, int(line.split()[1])) for number, line in enumerate(lines, 1)]
        return [{"items": dict(zip(("line", "id"), map(list, zip(*rows, strict=True)), strict=True))}]

    def words(self, tables: Any) -> Any:
        if isinstance(self.own_words, Exception):
            raise self.own_words
        return self.own_words or Form.words(self, tables)


def failing() -> Iterator[Any]:
    yield {"items": {"line": [1]}}
    raise RuntimeError("in the middle")


@pytest.fixture(autouse=True)
def no_forms_are_left() -> Iterator[None]:
    yield
    remove_form(Jobs.name)


def test_form_of_a_plugin_is_asked_first_and_says_what_it_is() -> None:
    without = reading_of(TEXT)
    add_form(Jobs())
    reading = reading_of(TEXT)
    assert (reading.form, reading.words) == ("test_jobs", "a list of jobs: 40 jobs")
    assert main_of(reading).noun == "jobs"
    assert rows_of(reading) == ROWS
    remove_form(Jobs.name)
    assert reading_of(TEXT).form == without.form


def test_words_of_a_plugin_are_said() -> None:
    add_form(Jobs(words=Words(what="jobs of ACME", facts=("all of them",))))
    reading = reading_of(TEXT)
    assert (reading.words, reading.facts) == ("jobs of ACME", ("all of them",))


@pytest.mark.parametrize("words", [RuntimeError("x"), "no words", Words(what=7)], ids=range(3))  # type: ignore[arg-type]
def test_broken_words_of_a_plugin_are_left_out(words: Any) -> None:
    add_form(Jobs(words=words))
    assert reading_of(TEXT).words == "a list of jobs: 40 jobs"


@pytest.mark.parametrize("options", [RuntimeError("x"), "no dict", {"sample": object()}, [1]], ids=range(4))
def test_plugin_that_fails_to_recognise_a_text_is_passed_over(options: Any) -> None:
    truth = reading_of(TEXT).form
    add_form(Jobs(options=options))
    assert reading_of(TEXT).form == truth


@pytest.mark.parametrize(
    "batches",
    [
        [],
        [{"items": {"line": [1, 2], "id": [1]}}],
        [{"items": {"line": [[1]]}}],
        [{"items": {"line": [2**63]}}],
        [{"items": {"line": [float("nan")]}}],
        [{"items": {"line": [float("inf")]}}],
        [{"items": {"a name": [1]}}],
        [{"items": {7: [1]}}],
        [{"others": {"line": [1]}}],
        [{"items": {f"c{at}": [1] for at in range(2_000)}}],
        ["no batch"],
        7,
        failing(),
    ],
    ids=range(13),
)
def test_plugin_that_makes_no_rows_is_passed_over(batches: Any) -> None:
    truth = reading_of(TEXT).form
    add_form(Jobs(batches=batches))
    assert reading_of(TEXT).form == truth


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("name", ""),
        ("name", "A b"),
        ("name", 7),
        ("title", "x" * 90),
        ("title", "a\nb"),
        ("noun", None),
        ("read", None),
    ],
)
def test_form_that_lacks_a_member_is_refused(member: str, value: Any) -> None:
    form = Jobs()
    setattr(form, member, value)
    with pytest.raises(ValueError, match="form"):
        GuardedForm(form)


@pytest.mark.parametrize("catches", [False, True])
def test_plugin_that_reads_too_slowly_is_passed_over(catches: bool) -> None:
    truth = reading_of(TEXT).form
    times = iter(range(10_000))

    class Slow(Jobs):
        def read(self, lines: Any, options: Any) -> Any:
            numbers = []
            try:
                for number, _ in enumerate(lines, 1):
                    numbers.append(number)
            except DoesNotHoldError:
                if not catches:
                    raise
            yield {"items": {"line": numbers}}

    add_form(Slow(), lambda: next(times) / 4)
    assert reading_of(TEXT).form == truth


def test_plugin_that_recognises_too_slowly_is_not_asked_again() -> None:
    times = iter(range(10_000))
    add_form(Jobs(options={}), lambda: next(times) * 2.0)
    guarded = form_named("test_jobs")
    assert guarded is not None
    sample = Sample(head=("job 1 ok",), count=1)
    assert [guarded.recognise(sample) for _ in range(3)] == [{}, None, None]


def test_forms_are_added_before_the_first_text_is_read_and_once() -> None:
    calls: list[int] = []

    def add() -> None:
        calls.append(1)
        add_form(Jobs())

    add_later(add)
    add_later(add)
    assert calls == []
    assert form_named("test_jobs") is not None
    assert calls == [1]
    add_form(Jobs())
    assert [form.name for form in added_forms()] == ["test_jobs"]
