"""Documents are put together from sections that the test knows; every count and line number must come back."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from penstock.core.forms.api import BATCH
from penstock.core.forms.text.markdown import FORM, MAX_OUTLINE
from tests.kit.forms.reading import Read, read_as

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "Zürich", "naïve"]


@dataclass
class Document:
    """The lines of a document, and what is in them."""

    lines: list[str] = field(default_factory=list)
    sections: list[tuple[int, int, str]] = field(default_factory=list)  # line, level, title
    links: list[tuple[int, str, str]] = field(default_factory=list)
    fences: list[tuple[int, str | None, int]] = field(default_factory=list)
    tables: list[tuple[int, int, int]] = field(default_factory=list)
    images: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def add_heading(self, level: int, title: str, *, underlined: bool) -> None:
        self.lines.append("")
        self.sections.append((len(self.lines) + 1, level, title))
        if underlined and level < 3:
            self.lines += [title, "=-"[level - 1] * 5]
        else:
            self.lines.append(f"{'#' * level} {title}" + " #" * (level == 3))

    def add_prose(self, rng: random.Random) -> None:
        for _ in range(rng.randint(1, 4)):
            words = rng.choices(WORDS, k=rng.randint(8, 12))
            if rng.random() < 0.4:
                url = f"https://example.com/{rng.randint(1, 99)}_(x)"
                self.links.append((len(self.lines) + 1, words[3], url))
                words[3] = f"[{words[3]}]({url})"
            if rng.random() < 0.2:
                self.images += 1
                words[5] = '![picture](image.png "title")'
            if rng.random() < 0.2:
                words[6] = "`[no](link)`"
            self.lines.append(rng.choice(["", "- ", "  * ", "> "]) + " ".join(words))
        self.lines.append("")

    def add_fence(self, rng: random.Random) -> None:
        mark, language = rng.choice(["```", "~~~", "`````"]), rng.choice(["python", "sh", ""])
        inside = rng.choices(["# no heading", "x = 1", "", "``", "[no](link)", "a | b", "---|---"], k=rng.randint(0, 6))
        self.fences.append((len(self.lines) + 1, language or None, len(inside)))
        self.lines += [f"{mark}{language}", *inside, mark]

    def add_table(self, rng: random.Random) -> None:
        rows = rng.randint(1, 5)
        self.tables.append((len(self.lines) + 1, 2, rows))
        self.lines += ["| a | b |", "|---|:-:|", *["| 1 | 2 |"] * rows, ""]


def make_document(seed: int, parts: int = 40) -> Document:
    rng = random.Random(seed)
    document = Document()
    document.add_heading(1, "The title", underlined=rng.random() < 0.5)
    for number in range(parts):
        document.add_heading(rng.randint(2, 4), f"Part {number}", underlined=rng.random() < 0.3)
        for _ in range(rng.randint(0, 3)):
            rng.choice([document.add_prose, document.add_prose, document.add_fence, document.add_table])(rng)
    return document


def read(text: str | bytes) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def rows(found: Read, table: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in found.rows(table)] if table in found.cells else []


@pytest.mark.parametrize("seed", range(25))
def test_sections_links_fences_and_tables_come_back(seed: int) -> None:
    document = make_document(seed)
    found = read(document.text)
    starts = [line for line, _, _ in document.sections]
    ends = [*starts[1:], len(document.lines) + 1]
    expected = [
        (line, level, title, end - line, sum(len(one) + 1 for one in document.lines[line - 1 : end - 1]))
        for (line, level, title), end in zip(document.sections, ends, strict=True)
    ]
    assert rows(found, "items") == expected
    assert rows(found, "links") == document.links
    assert rows(found, "code") == document.fences
    assert rows(found, "tables") == document.tables
    assert found.words.what == (
        f"Markdown: {len(expected)} sections, {len(document.lines):,} lines; first heading: The title"
    )


def test_a_long_document_is_given_out_in_batches_and_sections_are_the_main_table() -> None:
    links = [f"- [one](u{number}) and [two](v{number})" for number in range(BATCH)]
    found = read("\n".join(["# A", *links, "## B", *["## C", ""] * (BATCH + 1)]))
    assert list(found.tables) == ["items", "links"]
    assert found.tables["items"].count == BATCH + 3
    assert found.column("url", "links") == [f"{kind}{number}" for number in range(BATCH) for kind in "uv"]
    assert found.column("lines")[0] == BATCH + 1


def test_the_outline_names_the_upper_levels_with_their_lines() -> None:
    text = "# Guide\n\n## Install\n\nText.\n\n### Linux\n\n## Use | it\n\n" + "### More\n\n" * 60
    found = read(text)
    outline = found.words.facts[0]
    assert outline.startswith(
        'outline (line, heading): 1 # Guide · 3 ## Install · 7 ### Linux · 9 ## "Use \\u007c it" · 11 ### More'
    )
    assert outline.count("### More") == MAX_OUTLINE - 4
    assert outline.endswith(f"· +{61 - (MAX_OUTLINE - 3)} headings")


def test_an_outline_of_enough_upper_headings_leaves_out_a_level_that_does_not_fit() -> None:
    parts = "".join(f"## Part {number}\n\n" + "### Below\n\n" * 5 for number in range(20))
    outline = read(f"# Guide\n\n{parts}").words.facts[0]
    assert "### Below" not in outline
    assert outline.endswith("## Part 19")


def test_the_first_paragraph_is_shown() -> None:
    text = (
        "# Title\n\n[![badge](b.png)](ci)\n\nShort label\n\nThis is the first paragraph of the whole document,\n"
        "which goes on.\n\nThis is the second paragraph of the whole document.\n\n## One\n\n## Two\n"
    )
    found = read(text)
    [excerpt] = found.words.excerpts
    assert excerpt.numbers == (7, 8)
    assert excerpt.lines == ("This is the first paragraph of the whole document,", "which goes on.")
    assert found.column("text", "links") == ["![badge](b.png)"]
    long = "# T\n\n" + "a line of the first paragraph, which is long enough\n" * 9 + "\n## U\n\n## V\n"
    assert read(long).words.excerpts[0].numbers == (3, 4, 5, 6, 7)


def test_front_matter_is_no_section() -> None:
    text = "---\ntitle: x\n# comment\n---\n\n# One\n\n## Two\n\n## Three\n"
    found = read(text)
    assert found.column("title") == ["One", "Two", "Three"]
    assert read("---\n\n# One\n\n## Two\n\n## Three\n").column("line") == [3, 5, 7]
    assert read_as(FORM, text.replace("\n---\n", "\n")) is None


def test_comments_of_html_and_fences_in_lists_hide_what_is_in_them() -> None:
    text = (
        "# One\n\n<!-- a\n# no\nkey: value\n--> \n<!-- b -->\n<p>\n\n## Two\n\n1. item\n   ```sh\n   # no\n   ```\n"
        "- ```\n  # no\n  ```\n\n## Three\n\n```\n# no, and the fence never ends\n"
    )
    found = read(text)
    assert found.column("title") == ["One", "Two", "Three"]
    assert rows(found, "code") == [(13, "sh", 1), (16, None, 1), (22, None, 1)]


def test_a_heading_needs_a_space_and_an_underline_a_single_line_of_text() -> None:
    text = (
        "# One\n\n#hashtag\n####### seven\n\n    # code\n\nTwo\n---\n\na paragraph of\ntwo lines\n---\n\n"
        "- item\n---\n\nThree\n===\n\n`code` in line\n~ tilde\n\n## C# and #1 ##\n## \n"
    )
    found = read(text)
    assert found.column("title") == ["One", "Two", "Three", "C# and #1"]
    assert found.column("level") == [1, 2, 1, 2]


def test_text_with_underlined_headings_only_is_called_so() -> None:
    text = "First\n=====\n\nWords.\n\nSecond\n======\n\nWords.\n\nThird\n=====\n\nWords.\n"
    assert read(text).words.what == "text with underlined headings: 3 sections, 14 lines; first heading: First"


def test_a_table_ends_with_a_line_that_has_no_bar() -> None:
    text = "# A\n\na | b\n--- | ---\n1 | 2\n3 | 4\nand text\n\n## B\n\n| x |\n|---|\n## C\n\n| y |\n|---|\n```\n```\n"
    found = read(text)
    assert rows(found, "tables") == [(3, 2, 2), (11, 1, 0), (15, 1, 0)]


def test_windows_line_ends_are_no_part_of_titles() -> None:
    assert read("# A\r\n\r\n## B\r\n\r\n## C\r\n").column("title") == ["A", "B", "C"]


def test_an_answer_of_a_tool_with_lists_of_keys_is_markdown() -> None:
    text = "# Results\n\n" + "".join(f"## Issue {number}\n- title: Fix it\n- state: open\n\n" for number in range(20))
    assert read(text).tables["items"].count == 21


def test_headings_of_which_the_sample_has_few_are_found_all_over_the_text() -> None:
    text = "# A\n\n" + "Plain words and nothing else.\n\n" * 500 + "## B\n\nWords.\n\n### C\n\nWords.\n\n" * 300
    assert read(text).tables["items"].count == 601


SHELL = (
    "#!/bin/sh\n# Set up\nset -e\n\n## Install\napt-get install x\n# Clean\nrm -rf /tmp/x\n\n# Done\necho done\n" * 10
)
PYTHON = (
    "# Load\nimport os\n\n## Steps\nvalue = os.getcwd()\n\n## More\ndef call(x):\n    return x\n\n### End\nx = 1\n" * 10
)
YAML = (
    "# The service\nservice:\n  name: x\n\n## The ports\nports:\n  - 80\n\n## Other\nreplicas: 2\n\n### End\nimage: y\n"
    * 10
)
COMMENTS = (
    "## Section\n## This file has settings\n## and more of them\n\nkey value\n\n## Other\n## block of text\n## here\n"
    * 10
)
LOG = "# started\n\n## run\n\n### log\n\n" + "2024-05-01 10:00:00 INFO words and words\n" * 40
DIFF = "diff --git a/x b/x\n@@ -1,3 +1,3 @@\n # Title\n-old\n+new\n ## Part\n-more\n+less\n ### End\n" * 10
CSV = "# a\n# b\n# c\nname,size\nx,1\ny,2\n" * 10


@pytest.mark.parametrize(
    "text",
    [
        SHELL,
        PYTHON,
        YAML,
        COMMENTS,
        LOG,
        DIFF,
        CSV,
        "# One comment\nand a line of text\n",
        "# A\n\n# B\n\n# C\n\nwords\n" * 5,
        "# A\n\n## B\n\nwords\n",
        '{"a": 1}\n' * 20,
        "Just prose.\n\nAnd more - with dashes.\n\n---\n" * 10,
        "- a\n- b\n- c\n" * 10,
        "Title\n=====\n\n.. note:: x\n\n.. code:: y\n\nOther\n-----\n\n.. image:: z\n\nThird\n-----\n",
        "FROM x\n# Install\nRUN apt-get install \\\n  y\n## Copy\nCOPY a b\n## Run\nRUN make;\n" * 5,
        "```\n# a\n## b\n### c\n```\n" * 5,
        "",
    ],
)
def test_other_texts_are_not_markdown(text: str) -> None:
    assert read_as(FORM, text) is None


def test_a_document_that_goes_on_as_a_log_does_not_hold() -> None:
    text = make_document(1, parts=80).text
    assert read_as(FORM, text + "\n" + "2024-05-01 10:00:00 INFO words\n" * 3_000) is None


def test_hostile_titles_are_quoted_in_what_we_say() -> None:
    odd = ["\x1b[2Jclear", "ignore | all", "\u202etitle", "x" * 5_000]
    text = "\n\n".join(f"## {title}\n\n[{title}]({title[:5].strip()})\n\n```{title.split()[0]}\n```" for title in odd)
    found = read(text)
    assert found.column("title") == odd
    assert all(fact.isprintable() for fact in [*found.words.facts, found.words.what])


@pytest.mark.parametrize(
    "line",
    [
        "# " + "#" * 1_000_000,
        "[" * 1_000_000,
        "[](" * 300_000,
        "[[x](y) " * 100_000,
        "`" * 1_000_000,
        "|-" * 500_000,
        "-" * 10**6,
    ],
)
def test_a_very_long_line_costs_little(line: str) -> None:
    found = read(f"# A\n\n## B\n\n## C\n\n{line}\n")
    assert found.tables["items"].count in (3, 4)
