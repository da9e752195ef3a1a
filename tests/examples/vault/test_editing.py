"""Changes to a note's text: what is named changes, all else stays as it is."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from penstock import CallerError
from vault_server.editing import appended, patch_block, patch_front, patch_heading

NOTE = """---
# about the note
tags: [a, b]
status: open   # not done
people:
  - Ada
  - Chen

due: 2026-01-01
---
# Plans
first

## Next
- one
- two ^item

## Later
nothing

# Log
## Next
old

```
# not a heading
```
a paragraph
of two lines ^para

| a |
|---|

^table
"""


@pytest.mark.parametrize(
    ("path", "operation", "before", "after"),
    [
        (["Plans", "Next"], "append", "- two ^item\n\n## Later", "- two ^item\nNEW\n\n## Later"),
        (["Plans", "Next"], "prepend", "## Next\n- one", "## Next\nNEW\n- one"),
        (["Plans", "Next"], "replace", "## Next\n- one\n- two ^item\n\n## Later", "## Next\nNEW\n\n## Later"),
        (["Later"], "append", "nothing\n\n# Log", "nothing\nNEW\n\n# Log"),
        (["later"], "append", "nothing\n\n# Log", "nothing\nNEW\n\n# Log"),
        (["Plans"], "append", "nothing\n\n# Log", "nothing\nNEW\n\n# Log"),
        (["Log", "Next"], "append", "^table\n", "^table\nNEW\n"),
    ],
)
def test_a_change_under_a_heading_leaves_the_rest(path: list[str], operation: str, before: str, after: str) -> None:
    edit = patch_heading(NOTE, path, operation, "NEW", create=False)  # type: ignore[arg-type]
    assert edit.text == NOTE.replace(before, after)
    assert edit.text[edit.start : edit.end] == "NEW\n"


def test_a_heading_that_is_not_one_alone_is_told_with_those_there_are() -> None:
    with pytest.raises(CallerError, match="2 headings are named so: 'Plans::Next', 'Log::Next'"):
        patch_heading(NOTE, ["Next"], "append", "x", create=False)
    with pytest.raises(CallerError, match="no heading 'Never'; there are: 'Plans', 'Plans::Next'"):
        patch_heading(NOTE, ["Never"], "append", "x", create=False)
    with pytest.raises(CallerError, match="no heading 'not a heading'"):
        patch_heading(NOTE, ["not a heading"], "append", "x", create=False)
    made = patch_heading(NOTE, ["New", "Part"], "append", "x", create=True)
    assert made.text == NOTE + "\n# New\n\n## Part\n\nx\n"
    assert patch_heading("# A", ["A"], "append", "x", create=False).text == "# A\nx\n"
    assert patch_heading("# A\nb", ["A"], "append", "x", create=False).text == "# A\nb\nx\n"
    assert patch_heading("# A\n# B\n", ["A"], "append", "x", create=False).text == "# A\nx\n# B\n"
    assert patch_heading("# A\n# B\n", ["A"], "replace", "x", create=False).text == "# A\nx\n# B\n"
    assert patch_heading("# A\n# A\n## B\n", ["A", "B"], "append", "x", create=False).text == "# A\n# A\n## B\nx\n"


@pytest.mark.parametrize(
    ("name", "operation", "before", "after"),
    [
        ("item", "append", "- two ^item\n", "- two ^item\nNEW\n"),
        ("^item", "prepend", "- two ^item\n", "NEW\n- two ^item\n"),
        ("item", "replace", "- two ^item\n", "NEW ^item\n"),
        ("para", "prepend", "a paragraph\nof two", "NEW\na paragraph\nof two"),
        ("para", "replace", "a paragraph\nof two lines ^para\n", "NEW ^para\n"),
        ("table", "append", "^table\n", "^table\nNEW\n"),
    ],
)
def test_a_block_keeps_its_mark(name: str, operation: str, before: str, after: str) -> None:
    assert patch_block(NOTE, name, operation, "NEW").text == NOTE.replace(before, after)  # type: ignore[arg-type]


def test_a_block_that_is_not_there_is_told_with_those_there_are() -> None:
    with pytest.raises(CallerError, match=r"no block \^never; there are: \^item, \^para, \^table"):
        patch_block(NOTE, "never", "append", "x")


@pytest.mark.parametrize(
    ("field", "operation", "value", "before", "after"),
    [
        ("status", "replace", "done", "status: open   # not done\n", "status: done\n"),
        ("tags", "append", "c", "tags: [a, b]", "tags: [a, b, c]"),
        ("tags", "prepend", ["c", "d"], "tags: [a, b]", "tags: [c, d, a, b]"),
        ("people", "append", "Dara", "  - Ada\n  - Chen\n", "- Ada\n- Chen\n- Dara\n"),
        ("due", "replace", "2027-02-03", "due: 2026-01-01", "due: 2027-02-03"),
        ("status", "append", "!", "status: open   # not done\n", "status: open!\n"),
        ("rating", "replace", 5, "due: 2026-01-01\n", "due: 2026-01-01\nrating: 5\n"),
        ("note", "replace", "a: b", "due: 2026-01-01\n", "due: 2026-01-01\nnote: 'a: b'\n"),
    ],
)
def test_a_field_changes_and_the_other_lines_of_front_matter_stay(
    field: str, operation: str, value: object, before: str, after: str
) -> None:
    edit = patch_front(NOTE, field, operation, value, create=True)  # type: ignore[arg-type]
    assert edit.text == NOTE.replace(before, after)


def test_front_matter_that_is_not_there_is_made_only_when_asked_for() -> None:
    with pytest.raises(CallerError, match="no front matter; createTargetIfMissing"):
        patch_front("text\n", "a", "replace", 1, create=False)
    with pytest.raises(CallerError, match=r"no field 'x'; there are: 'tags', 'status'"):
        patch_front(NOTE, "x", "replace", 1, create=False)
    assert patch_front("text\n", "a", "replace", [1], create=True).text == "---\na: [1]\n---\ntext\n"
    assert patch_front("---\n---\ntext\n", "a", "replace", 1, create=True).text == "---\na: 1\n---\ntext\n"
    for broken in ("---\na: b: c\n---\n", "---\n{a: b}\n---\n", "---\n- a\n---\n"):
        with pytest.raises(CallerError, match="front matter"):
            patch_front(broken, "a", "replace", 1, create=True)
    with pytest.raises(CallerError, match="neither a list nor a text"):
        patch_front("---\na: 1\n---\n", "a", "append", "x", create=False)


def test_line_ends_of_the_note_are_kept() -> None:
    note = "---\r\na: 1\r\n---\r\n# H\r\ntext"
    assert appended(note, "x\ny").text == note + "\r\nx\r\ny\r\n"
    assert patch_heading(note, ["H"], "append", "x", create=False).text == note + "\r\nx\r\n"
    assert patch_front(note, "a", "replace", 2, create=False).text == note.replace("1", "2")


@given(st.text(alphabet="ab \n#-^`", max_size=60), st.text(alphabet="xy\n", max_size=10))
def test_appending_changes_nothing_that_is_there(note: str, content: str) -> None:
    edit = appended(note, content)
    assert edit.text.startswith(note)
    assert edit.text[edit.start : edit.end].rstrip("\n") == content.rstrip("\n")


@given(
    st.dictionaries(st.sampled_from("abc"), st.text(max_size=8), min_size=1),
    st.one_of(st.text(max_size=12), st.integers(), st.booleans(), st.lists(st.text(max_size=5), max_size=3)),
)
@example({"a": ""}, "\x85")
@example({"a": ""}, ["a\u2028b", "\u2029"])
def test_a_field_that_was_set_is_read_back_and_the_others_are_as_before(fields: dict[str, str], value: object) -> None:
    head = yaml.safe_dump(fields, allow_unicode=True, width=1_000)
    edit = patch_front(f"---\n{head}---\nbody\n", "a", "replace", value, create=True)
    front, _, body = edit.text[4:].rpartition("---\n")
    read = yaml.load(front, yaml.BaseLoader)
    wanted = {**yaml.load(head, yaml.BaseLoader), **yaml.load(yaml.safe_dump({"a": value}), yaml.BaseLoader)}
    assert read == wanted
    assert body == "body\n"
