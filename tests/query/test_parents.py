"""A match in a text is told with what its line lies under: headings, lines indented less, the file of a diff."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.core.budget import Room
from penstock.query.search import parents
from penstock.query.search.parents import Regions
from penstock.query.search.search import SearchQuery, search
from tests.kit.held_results import held

if TYPE_CHECKING:
    import pytest

WIDE = Room(tokens=100_000)

MARKDOWN = """# Guide

Read this first, all of it, before anything else.

## Install

Use the needle here.

```sh
# needle in a fence
```

### From source

needle again, twice a needle.

## Needle heading

Nothing here but words.
"""
SNAPSHOT = """- main [ref=e1]:
  - region "Cart" [ref=e2]:
    - list [ref=e3]:
      - listitem [ref=e4]:
        - button "Remove" [ref=e5]
      - listitem [ref=e6]:
        - button "Remove" [ref=e7]
  - contentinfo [ref=e8]:
    - link "Remove all" [ref=e9]
- banner [ref=e10]:
  - button "Remove banner" [ref=e11]
"""
MANIFEST = """kind: Deployment
spec:
  template:
    containers:
    - name: web
      image: needle:1

    - name: side
      image: needle:2
items:
- needle
"""
DIFF = """diff --git a/src/one.py b/src/one.py
index 111..222 100644
--- a/src/one.py
+++ b/src/one.py
@@ -1,2 +1,2 @@ def first():
 same
-old needle
+new needle
diff --git a/src/two.py b/src/two.py
index 333..444 100644
--- a/src/two.py
+++ b/src/two.py
@@ -9 +9 @@
-a needle
+b
"""
TREE = """project
├── src
│   ├── app
│   │   └── needle.py
│   └── needle.txt
└── docs
    └── needle.md

3 directories, 3 files
"""


def shown(text: str, pattern: str = "needle", **options: Any) -> list[str]:
    return search(held(text), SearchQuery(pattern=pattern, **options), room=WIDE).text.splitlines()


def test_lines_of_markdown_lie_under_their_headings() -> None:
    assert shown(MARKDOWN, ignore_case=True) == [
        "in # Guide > ## Install",
        "7: Use the needle here.",
        "10: # needle in a fence",
        "in # Guide > ## Install > ### From source",
        "15 ×2: needle again, twice a needle.",
        "in # Guide",
        "17: ## Needle heading",
    ]
    found = search(held(MARKDOWN), SearchQuery(pattern="needle"), room=WIDE)
    assert found.about["by_heading"] == {
        "# Guide > ## Install": 2,
        "# Guide > ## Install > ### From source": 2,
    }


def test_lines_before_the_first_heading_lie_under_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown("a needle\n\n" + MARKDOWN)[0] == "1: a needle"
    monkeypatch.setattr(parents, "MOST_HEADED", 60)
    assert shown(MARKDOWN)[0] == "7: Use the needle here."


def test_nodes_of_a_snapshot_lie_in_their_regions() -> None:
    assert shown(SNAPSHOT, "Remove") == [
        'in main [ref=e1] > region "Cart" [ref=e2] > list [ref=e3] > listitem [ref=e4]',
        '5:         - button "Remove" [ref=e5]',
        'in main [ref=e1] > region "Cart" [ref=e2] > list [ref=e3] > listitem [ref=e6]',
        '7:         - button "Remove" [ref=e7]',
        "in main [ref=e1] > contentinfo [ref=e8]",
        '9:     - link "Remove all" [ref=e9]',
        "in banner [ref=e10]",
        '11:   - button "Remove banner" [ref=e11]',
    ]


def test_lists_of_yaml_lie_under_their_key_also_without_indentation() -> None:
    assert shown(MANIFEST) == [
        "in spec > template > containers > name: web",
        "6:       image: needle:1",
        "in spec > template > containers > name: side",
        "9:       image: needle:2",
        "in items",
        "11: - needle",
    ]


def test_lines_of_a_diff_lie_in_their_file_and_hunk() -> None:
    assert shown(DIFF) == [
        "in diff --git a/src/one.py b/src/one.py > @@ -1,2 +1,2 @@ def first():",
        "7: -old needle",
        "8: +new needle",
        "in diff --git a/src/two.py b/src/two.py > @@ -9 +9 @@",
        "14: -a needle",
    ]
    plain = DIFF.replace("diff --git a/src/one.py b/src/one.py\nindex 111..222 100644\n", "").replace(
        "diff --git a/src/two.py b/src/two.py\nindex 333..444 100644\n", ""
    )
    assert shown(plain)[0] == "in +++ b/src/one.py > @@ -1,2 +1,2 @@ def first():"


def test_files_of_a_drawn_tree_lie_in_their_folders() -> None:
    assert shown(TREE) == [
        "in project > src > app",
        "4: │   │   └── needle.py",
        "in project > src",
        "5: │   └── needle.txt",
        "in project > docs",
        "7:     └── needle.md",
    ]


def test_rows_of_a_table_lie_under_nothing() -> None:
    rows = "city,note\n" + "".join(f"town {number},  needle {number}\n" for number in range(20))
    assert shown(rows, "needle 7") == ["9: town 7,  needle 7"]


def test_what_is_too_far_above_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def far():\n" + "    pass\n" * 400 + "\tneedle = 1\n"
    assert shown(text)[0] == "in def far() > pass"
    monkeypatch.setattr(parents, "MOST_BACK", 200)
    assert shown(text)[0] == "in … > pass"


def test_a_position_lies_in_the_innermost_region() -> None:
    page = (
        b'- link "top"\n- banner [ref=e1]:\n  - link "Home"\n- main:\n  - region "News" [ref=e5]:\n    - text: a\n'
        b"  - text: b\n- 'contentinfo [ref=e9]':\n  - text: c"
    )
    regions = Regions(page)
    told = [regions.of(page.index(one)) for one in (b"top", b"Home", b"News", b"text: a", b"text: b", b"text: c")]
    assert told == [
        "outside regions",
        "banner [ref=e1]",
        'region "News" [ref=e5]',
        'region "News" [ref=e5]',
        "main",
        "contentinfo [ref=e9]",
    ]
