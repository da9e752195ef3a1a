"""The schema for editors says of a configuration file what Penstock says of it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from penstock import Config
from penstock.config import SETTINGS
from penstock.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/penstock.schema.json").read_text("utf-8"))
PAGES = sorted((ROOT / "docs").rglob("*.md"))
VALUES: list[Any] = [
    0,
    1,
    -1,
    300,
    10**12,
    True,
    "auto",
    "off",
    "30m",
    "forever",
    "x y",
    "",
    "sqlite:",
    [],
    ["export"],
    {},
]


def refused_by_schema(configuration: dict[str, Any]) -> bool:
    return not jsonschema.Draft202012Validator(SCHEMA).is_valid(configuration)


def refused_by_penstock(configuration: dict[str, Any]) -> bool:
    try:
        Config(**configuration)
    except ConfigError:
        return True
    return False


def test_the_schema_is_made_from_the_table_of_settings() -> None:
    import runpy

    assert runpy.run_path(str(ROOT / "scripts/settings_schema.py"))["main"](["--check"]) == 0


def test_the_schema_itself_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_the_schema_takes_all_that_penstock_takes(setting: Any) -> None:
    taken = [value for value in [*VALUES, setting.default] if not refused_by_penstock({setting.name: value})]
    assert taken
    assert [value for value in taken if refused_by_schema({setting.name: value})] == []


@pytest.mark.parametrize(
    "wrong",
    [{"max_token": 5}, {"max_tokens": "many"}, {"rules": {"x": {"store": "memory:"}}}, {"clients": {"x": {"ttl": 5}}}],
    ids=str,
)
def test_the_schema_refuses_what_penstock_refuses(wrong: dict[str, Any]) -> None:
    assert refused_by_penstock(wrong)
    assert refused_by_schema(wrong)


def test_every_configuration_of_the_documentation_fits_the_schema() -> None:
    blocks = [
        tomllib.loads(block)
        for page in PAGES
        for block in re.findall(r"^```toml\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ]
    ours = [block for block in blocks if not refused_by_penstock(block)]
    assert ours
    assert [block for block in ours if refused_by_schema(block)] == []
