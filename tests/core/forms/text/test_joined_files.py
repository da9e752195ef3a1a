"""Files are put into one text with headings; what is read back must be these files."""

from __future__ import annotations

import pytest

from penstock.core.forms.api import BATCH, DoesNotHoldError
from penstock.core.forms.text.joined_files import FORM, JoinedFilesParser
from tests.kit.forms.facts import reading_of
from tests.kit.forms.reading import Read, read_as

RULE = "=" * 16
STYLES = {
    "head": ("==> {} <==\n", "\n"),
    "server": ("{}:\n", "\n---\n"),
    "packer": (f"{RULE}\nFile: {{}}\n{RULE}\n", "\n"),
    "comment": ("// File: {}\n", "\n"),
    "rules": ("--- {} ---\n", ""),
}


def joined(files: dict[str, str], style: str) -> str:
    heading, between = STYLES[style]
    return between.join(f"{heading.format(path)}{text}\n" for path, text in files.items())


def files(count: int, lines: int) -> dict[str, str]:
    return {
        f"src/part{at % 3}/file{at}.{'py' if at % 2 else 'md'}": "\n".join(
            [f"# {at}", *(f"    value: {line}" for line in range(lines + at % 4)), "", f"end {at}"]
        )
        for at in range(count)
    }


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("count", "lines"), [(3, 2), (60, 30), (4, BATCH)])
def test_every_file_is_a_row_with_its_text(style: str, count: int, lines: int) -> None:
    made = files(count, lines)
    text = joined(made, style)
    found = read(text)
    assert found.column("path") == list(made)
    assert found.column("text") == list(made.values())
    assert found.column("lines") == [one.count("\n") + 1 for one in made.values()]
    every = text.split("\n")
    assert all(path in every[line - 1] for path, line in zip(made, found.column("line"), strict=True))
    assert found.words.what == f"{count} files in one text, each below its path"


def test_blank_lines_at_both_ends_are_not_counted_and_a_file_may_be_empty() -> None:
    made = {"a.py": "\n\nx = 1\n----\n", "b.py": "", "c.py": "y = 2"}
    found = read(joined(made, "head"))
    assert found.column("text") == ["x = 1\n----", "", "y = 2"]
    assert found.column("lines") == [2, 0, 1]
    assert read(joined(made, "server")).column("text") == ["x = 1", "", "y = 2"]


def test_the_form_is_found_among_all() -> None:
    assert reading_of(joined(files(40, 20), "server")).form == "joined_files"


@pytest.mark.parametrize(
    "text",
    [
        "a.py:\nx = 1\n",
        "./src:\na.py\nb.py\n\n./src/core:\nc.py\n\n./src/more:\nd.py\n",  # ls -R
        "Some words\n" + joined(files(9, 3), "head"),
        "==> not a path, but words; <==\n" * 9,
        "==> a.py <==\nx = 1\n" + "words\n" * 900,
    ],
)
def test_other_texts_are_no_files(text: str) -> None:
    assert read_as(FORM, text) is None


@pytest.mark.parametrize("lines", [["words"], ["", "==> a.py <==", "x"], [""]])
def test_a_text_that_does_not_hold_is_given_up(lines: list[str]) -> None:
    with pytest.raises(DoesNotHoldError):
        list(JoinedFilesParser(options={"style": "arrows"}).parse(lines))
