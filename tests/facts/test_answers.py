"""Questions that people ask are answered by one call, many by the first answer alone; and the check of it is strict."""

from __future__ import annotations

import pytest
from bench.answers import asked
from bench.answers_parts.judge import First, has, has_group, has_statements
from bench.answers_parts.question import MAKERS, stands

# The figures of ``python bench/answers.py``. A change may raise them; none may lower them.
QUESTIONS = 143
SETTLED = 107

FIRST = First(
    notice={"message": "1,204 orders in .data (9 columns), about 90,000 tokens."},
    preview=(
        "state: open ×233 · paid ×98\namount: 3 to 901, sum 2,330\n"
        "sample rows 1, 7:\nnumber|state|amount\n70|open|901\n71|paid|98"
    ),
    tokens=90,
)


def test_one_call_answers_every_question_and_the_first_answer_settles_most() -> None:
    every = list(asked())
    assert [f"{one.form}: {one.question.words}" for one in every if not one.right] == []
    assert len(every) >= QUESTIONS
    assert sum(one.settled for one in every) >= SETTLED


def test_there_are_questions_about_every_form() -> None:
    assert len({name.partition(":")[0] for name in MAKERS}) >= 30


@pytest.mark.parametrize(
    ("label", "tokens", "holds"),
    [
        ("state", ("open", 233), True),
        ("state", ("paid", 233), False),  # the count of another value
        ("amount", ("open", 233), False),  # the line of another column
        ("state", ("open", 23), False),  # a part of a number
        ("orders", (1204,), True),
        ("orders", (204,), False),
        ("amount", ("to 901",), True),
        ("amount", ("sum 2330",), True),
        ("amount", (70, 901), True),  # a row
        ("amount", (71, 901), False),  # cells of two rows
        ("state", (71, 98), False),  # a cell of another column
    ],
)
def test_a_value_settles_a_question_only_beside_its_label(label: str, tokens: tuple[object, ...], holds: bool) -> None:
    assert has_statements(FIRST, stands(label, *tokens)) is holds


def test_a_value_is_found_only_by_itself() -> None:
    assert has('{"n":1204}', "1,204")
    assert has("at 11:11:44,911 it failed", "11:11:44")
    assert not has("1,204.5", "1204")
    assert not has("lib/src/a.py", "src/a.py")


def test_what_is_said_about_the_rows_is_no_answer() -> None:
    answer = '{"row_count":7,"columns":["a"],"result":[{"a":5},{"a":6}]}'
    assert has_group([answer], ("5",))
    assert not has_group([answer], ("7",))
