"""--stat and --numstat of a change are the files of git; numbers with other texts are none."""

from __future__ import annotations

import pytest

from penstock.core.forms.text.change_lists import FORM
from tests.kit.forms.facts import reading_of
from tests.kit.forms.reading import Read, read_as
from tests.kit.forms.repository import Repository, numstat, random_repository


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return random_repository(tmp_path_factory.mktemp("changes"), seed=7, commits=60)


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def whole_change(repository: Repository, *options: str) -> str:
    first = repository.git("rev-list", "--max-parents=0", "main").split()[0]
    return repository.git("diff", "--no-renames", *options, first, "main")


@pytest.mark.parametrize("batch", [3, 4_096])
def test_files_and_lines_are_those_of_git(repository: Repository, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.line_parser.BATCH", batch)
    truth = numstat(whole_change(repository, "--numstat", "-z"))
    found = read(whole_change(repository, "--numstat"))
    assert {row["file"]: (row["added"], row["removed"]) for row in found.rows()} == truth
    added, removed = (sum(count[side] or 0 for count in truth.values()) for side in (0, 1))
    assert found.words.what == f"a list of changes in {len(truth)} files, +{added:,} -{removed:,}"
    drawn = read(whole_change(repository, "--stat=300,200"))
    changed = {name: None if plus is None or minus is None else plus + minus for name, (plus, minus) in truth.items()}
    assert {row["file"]: row["changed"] for row in drawn.rows()} == changed
    assert drawn.words.what == f"a list of changes in {len(truth)} files, by its own summary +{added:,} -{removed:,}"
    most = max(changed.items(), key=lambda one: one[1] or 0)
    assert drawn.words.facts[0].startswith("most changed: ")
    assert f" {most[1]:,}" in drawn.words.facts[0]


def test_names_that_git_cut_are_told_as_such() -> None:
    lines = [f" src/module_{number}.py | {number} +" for number in range(1, 9)]
    text = "\n".join([*lines, " .../deep/a.py | 3 ++-", " .../deep/a.py | 1 +", " 10 files changed, 40 insertions(+)"])
    found = read(text)
    assert found.words.facts[-1] == "names without their beginning, as git cut them: 2"
    assert found.words.what == "a list of changes in 10 files, by its own summary +40 -0"


def test_blank_lines_and_binary_files_are_no_trouble() -> None:
    rows = [f"{number}\t{number + 1}\tsrc/f{number}.py" for number in range(6)]
    found = read("\n".join(["-\t-\timg/logo.png", *rows, ""]) + "\n\n")
    assert found.column("added") == [None, *range(6)]
    assert "by extension: py ×6 · png ×1" in found.words.facts


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{number}\t{number}\tsrc/a{number % 5}.py" for number in range(20)),  # a file twice
        "\n".join(f"{number}\t{number}\tword" for number in range(20)),
        "\n".join(f"{number}\t{number}\tsrc/a{number}.py" for number in range(3)),
        "\n".join(f"{number}\t{number}\tsrc/a{number}.py" for number in range(900)) + "\nword",
        "\n".join(f" src/a{number}.py | 2 +-" for number in range(9)) + "\n 8 files changed, 9 insertions(+)",
        "\n".join(f" a{number} | b" for number in range(9)),
        "\n".join(f" src/a{number}.py | 2 +-" for number in range(900)) + "\nword",
    ],
)
def test_other_lists_are_none(text: str) -> None:
    assert read_as(FORM, text) is None


def test_a_bare_list_is_no_table_of_pipes() -> None:
    text = "\n".join(f" src/module_{number}.py | {number + 1:4} ++-" for number in range(200))
    assert reading_of(text).form == FORM.name
