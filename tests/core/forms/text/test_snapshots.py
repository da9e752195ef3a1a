"""Snapshots are written from nodes that the test knows, as Playwright and Chrome DevTools servers write them."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from penstock.core.forms.api import BATCH, DoesNotHoldError
from penstock.core.forms.text.snapshots import FORM, MAX_ATTRIBUTES
from tests.kit.forms.reading import Read, read_as

ROLES = ["generic", "generic", "link", "button", "heading", "listitem", "paragraph", "textbox", "checkbox", "main"]
NAMES = ["Save", 'Say "hi"', "a: b", "[x]", "It's", "back\\slash", "Привет", "- dash", "ends with:", "#1"]


@dataclass
class Node:
    """A node as the test knows it. ``depth`` and ``parent`` are as the table has them."""

    depth: int
    parent: int | None
    role: str
    name: str | None = None
    value: str | None = None
    ref: str | None = None
    url: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)


def make_nodes(seed: int, count: int) -> list[Node]:
    rng = random.Random(seed)
    nodes: list[Node] = []
    path: list[int] = []
    for row in range(1, count + 1):
        depth = rng.randint(0, min(len(path), 6)) if row > 1 else 0
        path = [*path[:depth], row]
        role = rng.choice(ROLES)
        node = Node(depth, path[-2] if depth else None, role, ref=f"e{row}")
        if role not in ("generic", "main"):
            node.name = f"{rng.choice(NAMES)} {row}"
        if role == "link":
            node.url = f"https://example.com/{row}"
        if role == "heading":
            node.attributes["level"] = rng.randint(1, 4)
        if role == "checkbox":
            node.attributes["checked"] = True
        if role in ("textbox", "paragraph") and rng.random() < 0.5:
            node.value = rng.choice(["hello", "two: words", '"quoted"', "'single'", "# no comment", "12"])
        if rng.random() < 0.2:
            node.attributes["cursor"] = "pointer"
        nodes.append(node)
    return nodes


def quoted_value(value: str) -> str:
    return json.dumps(value) if re.search(r"[:#\"']", value) or value.isdigit() else value


def write_playwright(nodes: list[Node]) -> tuple[str, list[int]]:
    """The text, and the line of each node. A key that YAML would misread is in single quotes."""
    lines: list[str] = []
    numbers = []
    for node in nodes:
        key = node.role + (f" {json.dumps(node.name, ensure_ascii=False)}" if node.name else "")
        for name, value in node.attributes.items():
            if name != "cursor":
                key += f" [{name}]" if value is True else f" [{name}={value}]"
        key += f" [ref={node.ref}]" + (" [cursor=pointer]" if "cursor" in node.attributes else "")
        if re.search(r": |\[x\]|'|#", key):
            key = "'" + key.replace("'", "''") + "'"
        end = f": {quoted_value(node.value)}" if node.value else ":" if node.url else ""
        lines.append(f"{'  ' * node.depth}- {key}{end}")
        numbers.append(len(lines))
        if node.url:
            lines.append(f"{'  ' * node.depth}  - /url: {node.url}")
    return "\n".join(lines), numbers


def write_devtools(nodes: list[Node]) -> str:
    lines = []
    for node in nodes:
        name = f' "{node.name}"' if node.name else ""
        pairs = {
            **node.attributes,
            **({"url": node.url} if node.url else {}),
            **({"value": node.value} if node.value else {}),
        }
        written = "".join(f" {key}" if value is True else f' {key}="{value}"' for key, value in pairs.items())
        lines.append(f"{'  ' * node.depth}uid={node.ref} {node.role}{name}{written}")
    return "\n".join(lines)


def expected(nodes: list[Node], numbers: list[int]) -> list[dict[str, Any]]:
    rows = []
    for number, node in zip(numbers, nodes, strict=True):
        row = {"line": number, "_depth": node.depth, "_parent": node.parent, "role": node.role, "name": node.name}
        row |= {"value": node.value, "ref": node.ref, "url": node.url, **node.attributes}
        rows.append({name: cell for name, cell in row.items() if cell is not None})
    return rows


def rows_of(found: Read) -> list[dict[str, Any]]:
    return [{name: cell for name, cell in row.items() if cell is not None} for row in found.rows()]


def read(text: str | bytes) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(15))
def test_every_node_of_a_playwright_snapshot_comes_back(seed: int) -> None:
    nodes = make_nodes(seed, random.Random(seed).randint(40, 300))
    text, numbers = write_playwright(nodes)
    found = read(text)
    assert rows_of(found) == expected(nodes, numbers)
    assert found.words.what == f"an accessibility snapshot: {len(nodes)} nodes"


@pytest.mark.parametrize("seed", range(15))
def test_every_node_of_a_devtools_snapshot_comes_back(seed: int) -> None:
    nodes = make_nodes(seed, random.Random(seed).randint(40, 300))
    for node in nodes:
        if node.value and '"' in node.value:
            node.value = "plain"
        if node.name and '"' in node.name and (node.value or node.url or node.attributes):
            node.name = "no quotes"
    found = read(write_devtools(nodes))
    assert rows_of(found) == expected(nodes, list(range(1, len(nodes) + 1)))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_long_snapshot_is_given_out_in_batches_and_loses_no_property(seed: int) -> None:
    nodes = make_nodes(seed, 3 * BATCH)
    text, numbers = write_playwright(nodes)
    assert rows_of(read(text)) == expected(nodes, numbers)


def test_attributes_and_values_are_columns_and_the_upper_levels_are_shown() -> None:
    text = """\
- banner [ref=e1]:
  - link "Home" [ref=e2]:
    - /url: /
- main [ref=e3]:
  - heading "Results" [level=1] [ref=e4]
  - navigation "Pages" [ref=e5]:
    - button "Next" [disabled] [ref=e6]
    - button "Last | one" [ref=e7]
  - textbox "Search" [active] [ref=e8]: words
  - combobox [ref=e9]
  - checkbox "All" [checked=mixed] [ref=e10]
  - heading "More" [level=2]
  - text: some words
"""
    found = read(text)
    assert found.words.facts == ()
    assert found.column("value")[-1] == "some words"
    assert found.column("checked")[9] == "mixed"
    assert found.column("active")[7] is True
    assert found.words.excerpts[0].numbers == (1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
    assert found.words.excerpts[0].title == "top 3 levels"


ANSWER = """### Ran Playwright code
```js
await page.goto('https://example.com/');
- text: not a node
```

### Page state
- Page URL: https://example.com/
- Page Title: Example | Domain
- Page Snapshot:
```yaml
%s
```
### Events
- one: two
"""


def test_a_snapshot_in_a_fence_is_read_and_what_is_around_it_is_told() -> None:
    nodes = make_nodes(3, 60)
    text, numbers = write_playwright(nodes)
    found = read(ANSWER % text)
    assert rows_of(found) == expected(nodes, [number + 11 for number in numbers])
    assert found.words.facts[0] == 'page: "Example \\u007c Domain" · https://example.com/'
    assert found.words.facts[-1] == "13 lines around the snapshot"
    assert found.words.excerpts[1].lines[:2] == ("### Ran Playwright code", "await page.goto('https://example.com/');")
    assert found.words.excerpts[1].numbers[:2] == (1, 3)


def test_a_fence_around_something_else_does_not_hide_the_snapshot() -> None:
    nodes = make_nodes(3, 60)
    text, numbers = write_playwright(nodes)
    found = read(f"```js\nawait page.click();\n```\n{text}")
    assert rows_of(found) == expected(nodes, [number + 3 for number in numbers])


def test_a_text_of_which_no_line_is_a_node_does_not_hold() -> None:
    with pytest.raises(DoesNotHoldError):
        list(FORM.read(["- button", "```yaml", "words", "```"], {"uid": False, "fenced": True, "text": []}))


def test_many_lines_around_a_snapshot_are_counted() -> None:
    text, _ = write_playwright(make_nodes(9, 3 * BATCH))
    assert f"{2 * BATCH:,} lines around the snapshot" in read(f"{text}\n" + "words\n" * 2 * BATCH).words.facts


def test_values_in_quotes_are_without_them() -> None:
    text = (
        "- text: 'it''s'\n- text: \"a: \\\"b\\\"\"\n- text: \"\"\n- text: ''\n- text: '\n"
        + '- button "B" [ref=e1]\n' * 3
    )
    assert read(text).column("value")[:5] == ["it's", 'a: "b"', None, None, "'"]


def test_several_snapshots_are_one_table() -> None:
    nodes = make_nodes(4, 50)
    text, _ = write_playwright(nodes)
    found = read(ANSWER % text + ANSWER % text)
    assert found.column("_depth") == [node.depth for node in nodes] * 2


def test_a_snapshot_without_a_fence_may_have_lines_around_it() -> None:
    nodes = make_nodes(5, 50)
    for node in nodes:
        node.name = node.name and node.name.replace('"', "")
        node.value = None
    text = f"# take_snapshot response\n## Latest page snapshot\n{write_devtools(nodes)}\n\n## Network\nGET / 200\n"
    found = read(text)
    assert found.tables["items"].count == 50
    assert found.words.facts[-1] == "4 lines around the snapshot"
    assert found.words.excerpts[1].numbers == (1, 2, 54, 55)


def test_a_text_that_devtools_writes_without_a_role_is_a_node() -> None:
    text = 'uid=1_0 RootWebArea "Orders"\n  uid=1_1 main\n    uid=1_2 "Total: €9"\n    uid=1_3 button "Go" disabled\n'
    nodes = read(text)
    assert nodes.column("role") == ["RootWebArea", "main", "StaticText", "button"]
    assert nodes.column("name") == ["Orders", None, "Total: €9", "Go"]
    assert nodes.column("_parent") == [None, 1, 2, 2]
    assert read_as(FORM, "uid=1000\nuid=1001\nuid=1002\n" * 5) is None


def test_what_did_not_change_and_what_did_are_nodes_of_a_difference() -> None:
    text = (
        '- <changed> generic [ref=e1]:\n  - ref=e2 [unchanged]\n  - button "Go" [ref=e3]\n'
        '- <changed> \'link "a: b" [ref=e4]\':\n  - /url: "#x"\n  - /odd-one:\n'
    )
    found = read(text)
    assert found.column("role") == ["generic", "unchanged", "button", "link"]
    assert found.column("ref") == ["e1", "e2", "e3", "e4"]
    assert found.column("url")[3] == "#x"
    assert found.column("odd_one") == [None] * 4


def test_lines_that_are_no_nodes_are_counted_up_to_one_in_a_hundred() -> None:
    text, _ = write_playwright(make_nodes(6, 400))
    lines = text.split("\n")
    half = next(at for at in range(200, 300) if "- /" not in lines[at])
    odd = "\n".join([*lines[:half], "what is this", "and that", *lines[half:]])
    for found in (read(odd), read(f"```yaml\n{odd}\n```")):
        assert found.tables["items"].count == 400
        assert "2 lines of the snapshot that are no nodes" in found.words.facts
    assert read_as(FORM, "\n".join([*lines[:half], *["what is this"] * 9, *lines[half:]])) is None


def test_a_property_without_a_node_is_no_node() -> None:
    text = "\n".join(f'- button "B{number}" [ref=e{number}]' for number in range(120))
    found = read(f"- /url: /nowhere\n{text}")
    assert found.tables["items"].count == 120
    assert "1 line around the snapshot" in found.words.facts


def test_attributes_with_the_names_of_columns_have_a_number() -> None:
    text = '- button "A" [ref=e1] [name=x] [level=02] [ref=e9]\n' * 5
    found = read(text)
    assert found.column("name") == ["A"] * 5
    assert found.column("name_2") == ["x"] * 5
    assert found.column("level") == ["02"] * 5
    assert found.column("ref_2") == ["e9"] * 5


def test_an_attribute_of_several_types_is_text() -> None:
    text = "- checkbox [checked] [ref=e1]\n- checkbox [checked=false] [ref=e2]\n- checkbox [checked=mixed] [ref=e3]\n"
    assert read(text + "- checkbox [ref=e4]\n").column("checked") == ["true", "false", "mixed", None]


def test_too_many_attributes_are_no_snapshot() -> None:
    text = "\n".join(f"- button [ref=e{number}] [a{number}]" for number in range(MAX_ATTRIBUTES + 1))
    assert read_as(FORM, text) is None


def test_very_many_different_attributes_of_one_name_are_read() -> None:
    text = "\n".join(f"- button [ref=e{number}] [box={number},1,2,3]" for number in range(1_200))
    assert read(text).column("box") == [f"{number},1,2,3" for number in range(1_200)]


@pytest.mark.parametrize(
    "text",
    [
        "- name: one\n  size: 1\n- name: two\n  size: 2\n" * 20,
        '- buy milk\n- call "Ann"\n  - tomorrow\n' * 20,
        '- apple "a"\n- pear "b"\n' * 20,
        "a,b\n1,2\n" * 20,
        "def f():\n    return 1\n" * 20,
        "# Title\n\nText.\n\n## Other\n\n- item\n" * 10,
        '{"role": "button"}\n' * 20,
        "- button [ref=e1]\n",
        "Prose that goes on and on.\n" * 40,
        "uid=0(root) gid=0(root) groups=0(root)\n" * 20,
        "- link\n- text\n" * 20,
        "",
    ],
)
def test_other_texts_are_no_snapshots(text: str) -> None:
    assert read_as(FORM, text) is None


def test_a_text_that_goes_on_with_other_lines_does_not_hold() -> None:
    text, _ = write_playwright(make_nodes(8, 500))
    assert read_as(FORM, f"{text}\n" + "other words\n" * 3_000) is None


def test_hostile_names_come_back_and_are_quoted_in_what_we_say() -> None:
    odd = ["\x1b[2J", "ignore | all", "9" * 400, "x" * 15_000, "\u202e"]
    text = "\n".join(f"- button {json.dumps(name, ensure_ascii=False)} [ref=e1]" for name in odd)
    found = read(text.replace("\n", "\r\n"))
    assert found.column("name") == odd
    assert all(fact.isprintable() for fact in found.words.facts)
    broken = read('- button "\\x" [ref=e1]\n' * 5)
    assert broken.column("name") == ['"\\x"'] * 5


@pytest.mark.parametrize(
    "line", ['- button "' + '\\"' * 400_000, " " * 1_000_000, "- 'x" + "''" * 400_000, "uid=1 a" + " b" * 400_000]
)
@pytest.mark.parametrize("uid", [False, True])
def test_a_very_long_line_costs_little(line: str, uid: bool) -> None:
    node = 'uid=1 button "A"' if uid else '- button "A" [ref=e1]'
    found = read_as(FORM, f"{node}\n" * 300 + f"{line}\n" + f"{node}\n" * 300)
    assert found is not None
    assert found.tables["items"].count in (600, 601)
