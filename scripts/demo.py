"""The core at work on a large result: what a client would have received, and what it receives instead.

python scripts/demo.py [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import random
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from penstock import Budget, Call, Hold, Kind, count, fit, outline, page, read, render_page, ruler, window
from penstock.core.index import reader, value_at
from penstock.core.path import parse
from penstock.core.result import text_result

FOLDERS = ("src/components", "src/server", "src/hooks", "packages/ui/src", "tests", "docs")
NAMES = ("navbar", "form", "table", "login", "list", "dialog", "chart")
STATES = ("open", "value", "items", "user", "error", "loading")


def search_result(seed: int, matches: int = 6_000) -> str:
    """What a code search answers when the word is common."""
    draw = random.Random(seed)
    found: list[dict[str, Any]] = []
    for _ in range(matches):
        state = draw.choice(STATES)
        file = f"{draw.choice(FOLDERS)}/{draw.choice(NAMES)}{draw.randint(1, 40)}.tsx"
        text = f"  const [{state}, set{state.title()}] = useState<{draw.choice(('string', 'number', 'boolean'))}>();"
        found.append({"file": file, "line": draw.randint(1, 900), "column": 10, "text": text, "match": "useState"})
    return json.dumps({"query": "useState", "matches": found, "total": len(found)}, indent=2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    console = Console()
    text = search_result(parser.parse_args().seed)
    result = text_result(text)
    schema = {
        "properties": {
            "query": {},
            "includes": {"type": "array", "items": {"type": "string"}},
            "limit": {"type": "integer"},
        }
    }
    call = Call(tool="search_text", arguments={"query": "useState"}, schema=schema)
    plan = fit(result, Budget(), call)
    assert isinstance(plan, Hold)
    assert plan.pages is not None
    assert plan.subject.main is not None
    handle = "r_3kP9wQ7vN1xT5mB8cR2yLd"
    answer = plan.answer(handle, 1_800)
    before, after = count(text).tokens, count(answer).tokens
    console.rule("A code search: search_text(query='useState')")
    console.print(f"before: {len(text):>9,} bytes  {before:>8,} tokens  (a client that takes 25,000 fails)")
    console.print(
        f"after:  {len(answer):>9,} bytes  {after:>8,} tokens  ({before / after:,.0f} times fewer, nothing lost)"
    )
    notice, preview = (block["text"] for block in json.loads(answer)["content"])
    console.print(
        Panel(Text(json.dumps(json.loads(notice), indent=1, ensure_ascii=False)), title="the notice comes first")
    )
    console.print(Panel(Text(preview), title="then the preview"))

    found = render_page(page(plan.subject.main, plan.subject.read, plan.pages, 2), plan.pages.frame)
    tokens = count(found).tokens
    console.print(
        Panel(Text(found.decode()[:700] + " …"), title=f"page 2 of {plan.pages.total_pages}, {tokens:,} tokens")
    )

    item = value_at(plan.subject.index, plan.subject.read, parse(".matches[4321]"))
    console.print(Panel(Text(item.decode()), title="one item by its path: .matches[4321]"))
    console.print(Panel(Text(outline(read(text).body, 1).text.decode()), title="the outline, one level deep"))

    document = read(text)
    assert document.kind is Kind.JSON
    scale, parts, start = ruler(document), [], 0
    while True:
        part = window(reader(document.raw), scale, start, 40_000)
        parts.append(part.text)
        if part.next_index is None:
            break
        start = part.next_index
    same = "".join(parts) == text
    console.print(f"{len(parts)} windows put together equal the original, character for character: [bold]{same}[/]")


if __name__ == "__main__":
    main()
