"""The page about stores is true: its examples run, and it names every option there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from penstock.stores.url import OPTIONS

PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/choose-a-store.md").read_text(encoding="utf-8")


def test_the_examples_run() -> None:
    examples = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    names: dict[str, Any] = {}
    for example in examples:
        exec(example, names)


def test_every_option_is_named() -> None:
    assert {name for options in OPTIONS.values() for name in options if name not in PAGE} == set()
