"""Write docs/reference/penstock.schema.json, by which editors check and complete a configuration file, from the table
of settings; with ``--check``, only say whether it is up to date."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from scripts.generated import write_or_check

from penstock.config.setting_key import Setting
from penstock.config.settings import CLIENT_KEYS, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.config.setting_key import SettingKey

FILE: Final = Path(__file__).resolve().parent.parent / "docs" / "reference" / "penstock.schema.json"


def accepts(key: SettingKey) -> dict[str, Any]:
    """Return what a value of a key looks like, from the type that msgspec checks. A kind that also checks something
    else is described more widely: an editor must not refuse what Penstock accepts."""
    (accepted,), _ = msgspec.json.schema_components([key.kind.accepts], ref_template="#/$defs/{name}")
    return accepted


def table(keys: Iterable[SettingKey]) -> dict[str, Any]:
    """Return the schema of a table that has these keys and no others."""
    return {"type": "object", "additionalProperties": False, "properties": {key.name: described(key) for key in keys}}


def described(key: SettingKey) -> dict[str, Any]:
    if not isinstance(key, Setting):
        return accepts(key)
    return {"description": key.help, "default": key.default, **accepts(key)}


def schema() -> dict[str, Any]:
    """Return the schema of a whole configuration file."""
    whole = table(SETTINGS)
    _, parts = msgspec.json.schema_components([setting.kind.accepts for setting in SETTINGS])
    parts["ToolCall"]["additionalProperties"] = False
    rules = {"type": "object", "additionalProperties": table(setting for setting in SETTINGS if setting.per_tool)}
    listed = whole["properties"]["tools"]  # a text is the setting; a table has rules, as under ``rules``
    choice = {"enum": listed.pop("enum")}
    del listed["type"]
    listed["anyOf"] = [choice, rules, {"type": "array", "maxItems": 0}]
    whole["properties"] |= {
        "rules": {"description": "Settings for some tools, by name or glob.", **rules},
        "clients": {
            "description": "What a client accepts, by a name of your choice.",
            "type": "object",
            "additionalProperties": table(CLIENT_KEYS.values()),
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The configuration of Penstock",
        **whole,
        "$defs": parts,
    }


def main(arguments: list[str]) -> int:
    """Write what is made, or check it."""
    made = {FILE: json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"}
    return write_or_check(made, arguments, script="settings_schema", description=__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
