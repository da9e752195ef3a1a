"""Each value of a configuration is told with the place where it stands."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from penstock.config import Config
from penstock.config.origins import Origins
from penstock.config.sources import add_flags, from_flags, origins_from_flags

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

FILE = """
ttl = 600
max-tokens = 9000

[rules."search_*"]
max_tokens = 5000

[rules.search_issues]
always_hold = true
"""


def test_a_value_comes_from_the_default_a_file_the_environment_or_a_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "penstock.toml"
    file.write_text(FILE)
    monkeypatch.setenv("PENSTOCK_PAGE_TOKENS", "900")
    parser = argparse.ArgumentParser()
    add_flags(parser, ("preview_tokens",))
    flags = parser.parse_args(["--preview-tokens", "700"])
    found = origins_from_flags(flags, file=file)
    config = from_flags(flags, file=file)
    assert found.settings == {
        "ttl": f"{file}:2: ttl",
        "max_tokens": f"{file}:3: max-tokens",
        "page_tokens": "PENSTOCK_PAGE_TOKENS",
        "preview_tokens": "--preview-tokens",
    }
    tool = found.of_tool(config, "search_issues")
    assert tool["max_tokens"] == (5_000, f"{file}:6: rules.'search_*'.max_tokens")
    assert tool["always_hold"] == (True, f"{file}:9: rules.search_issues.always_hold")
    assert tool["ttl"] == (600, f"{file}:2: ttl")
    assert tool["page_tokens"] == (900, "PENSTOCK_PAGE_TOKENS")
    assert tool["max_depth"] == (3, "default")
    assert found.of_tool(config, "other")["max_tokens"] == (9_000, f"{file}:3: max-tokens")


def test_without_any_source_all_is_default() -> None:
    found = Origins(settings={}).of_tool(Config(), "any")
    assert {where for _, where in found.values()} == {"default"}
