"""Write docs/reference/penstock.schema.json, by which editors check and complete a configuration file, from the table
of settings; with ``--check``, only say whether it is up to date."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scripts.generated import write_or_check

from penstock.config.kinds import (
    MAX_CALLS,
    MAX_DIGITS,
    MAX_GLOB,
    MAX_GLOBS,
    MAX_PRICE,
    MAX_PROGRAM,
    MAX_TEXT,
    STORES,
    Actions,
    Choice,
    Globs,
    JqProgram,
    Name,
    Price,
    Seconds,
    SettingKind,
    StoreUrl,
    ToolCalls,
    Truth,
    WholeNumber,
)
from penstock.config.setting_key import Setting
from penstock.config.settings import CLIENT_KEYS, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.config.setting_key import SettingKey

FILE: Final = Path(__file__).resolve().parent.parent / "docs" / "reference" / "penstock.schema.json"


def accepts(kind: SettingKind) -> dict[str, Any]:
    """Return what a value of a kind looks like. A kind that checks more than its form is described more widely: an
    editor must not refuse what Penstock takes."""
    match kind:
        case Seconds():
            text = {"type": "string", "pattern": r"^([0-9]+ ?[smhd]?|forever)$", "maxLength": MAX_DIGITS}
            return {"anyOf": [{"type": "integer", "minimum": kind.minimum, "maximum": kind.maximum}, text]}
        case WholeNumber():
            return {"type": "integer", "minimum": kind.minimum, "maximum": kind.maximum}
        case Price():
            return {"anyOf": [{"type": "number", "minimum": 0, "maximum": MAX_PRICE}, {"const": "off"}]}
        case Truth():
            return {"type": "boolean"}
        case Choice():
            return {"enum": list(kind.choices)}
        case Name():
            return {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}
        case StoreUrl():
            return {"type": "string", "pattern": f"^({'|'.join(store.replace('+', '[+]') for store in STORES)})"}
        case Actions():
            words = {"type": "array", "items": {"enum": list(kind.choices)}}
            return {"anyOf": [words, {"type": "string"}]}
        case ToolCalls():
            call = {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {"type": "string", "minLength": 1, "maxLength": MAX_GLOB},
                    "arguments": {"type": "object"},
                },
            }
            calls = {"type": "array", "items": {"anyOf": [call, {"type": "string"}]}, "maxItems": MAX_CALLS}
            return {"anyOf": [calls, {"const": "off"}]}
        case Globs():
            glob = {"type": "string", "minLength": 1, "maxLength": MAX_GLOB}
            return {"anyOf": [glob, {"type": "array", "items": glob, "minItems": 1, "maxItems": MAX_GLOBS}]}
        case JqProgram():
            return {"type": "string", "minLength": 1, "maxLength": MAX_PROGRAM}
        case _:
            return {"type": "string", "minLength": 1, "maxLength": MAX_TEXT}


def table(keys: Iterable[SettingKey]) -> dict[str, Any]:
    """Return the schema of a table that has these keys and no others."""
    return {"type": "object", "additionalProperties": False, "properties": {key.name: described(key) for key in keys}}


def described(key: SettingKey) -> dict[str, Any]:
    if not isinstance(key, Setting):
        return accepts(key.kind)
    return {"description": key.help, "default": key.default, **accepts(key.kind)}


def schema() -> dict[str, Any]:
    """Return the schema of a whole configuration file."""
    whole = table(SETTINGS)
    rules = {"type": "object", "additionalProperties": table(setting for setting in SETTINGS if setting.per_tool)}
    listed = whole["properties"]["tools"]  # a text is the setting; a table has rules, as under ``rules``
    choice = {"enum": listed.pop("enum")}
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
    }


def main(arguments: list[str]) -> int:
    """Write what is made, or check it."""
    made = {FILE: json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"}
    return write_or_check(made, arguments, script="settings_schema", description=__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
