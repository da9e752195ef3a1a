"""Write src/penstock/config/typed.py from the table of settings; with ``--check``, only compare the two."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.generated import write_or_check

from penstock.config.kinds import (
    Actions,
    Choice,
    FieldName,
    FolderPath,
    Globs,
    JqProgram,
    Price,
    Seconds,
    SettingKind,
    StoreUrl,
    ToolCalls,
    Truth,
    WholeNumber,
)
from penstock.config.settings import CLIENT_KEYS, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.config.setting_key import SettingKey

FILE = Path(__file__).resolve().parent.parent / "src" / "penstock" / "config" / "typed.py"

HEAD = '''\
"""The settings as type checkers see them: keyword arguments, and attributes of ``Config`` and ``Rule``.

Made by python -m scripts.settings_types from the table in settings.py. Edit the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.config.resolve import ClientEntry, RuleEntry
'''
ENTRIES = """\
    rules: Mapping[str, RuleArguments] | Sequence[RuleEntry]
    clients: Mapping[str, ClientArguments] | Sequence[ClientEntry]
"""
FROZEN = "@dataclass(frozen=True, slots=True, kw_only=True)\n"


GIVEN: dict[type[SettingKind], str] = {
    Seconds: "int | str | None",
    Price: "float | str | None",
    WholeNumber: "int",
    Truth: "bool",
    FieldName: "str | None",
    JqProgram: "str | None",
    Globs: "str | Sequence[str]",
    Actions: "str | Sequence[str]",
    ToolCalls: "str | Sequence[str | Mapping[str, object]]",
    FolderPath: "str | None",
}


def given(key: SettingKey) -> str:
    """The type that a caller may give."""
    return next((text for kind, text in GIVEN.items() if isinstance(key.kind, kind)), "str")


def held(key: SettingKey) -> str:
    """The type that the program gets; of a URL, which may hold a password, nothing is shown in a ``repr``."""
    if isinstance(key.kind, Choice):
        words = ", ".join(json.dumps(choice) for choice in key.kind.choices)
        return f"Literal[{words}]"
    if isinstance(key.kind, StoreUrl):
        return "str = field(repr=False)  # the URL may hold a password, and a repr ends up in logs"
    if isinstance(key.kind, Actions | ToolCalls):
        return "tuple[str, ...]"
    if isinstance(key.kind, Price):
        return "float | None"
    if isinstance(key.kind, Seconds):
        return "int | None  # seconds; None: forever"
    return given(key)


def members(keys: Iterable[SettingKey], text: str) -> str:
    """The lines of a class: each setting with its type, by ``given`` or by ``held``."""
    kind = given if text == "given" else held
    return "".join(f"    {key.name}: {kind(key)}\n" for key in keys)


def module() -> str:
    """The whole file."""
    per_tool = [setting for setting in SETTINGS if setting.per_tool]
    others = [setting for setting in SETTINGS if not setting.per_tool]
    parts = (
        ("", "RuleArguments(TypedDict, total=False)", "The settings in one entry of ``rules``.", per_tool, "given"),
        (
            "",
            "ClientArguments(TypedDict, total=False)",
            "The settings in one of ``clients``.",
            CLIENT_KEYS.values(),
            "given",
        ),
        (
            "",
            "ConfigArguments(RuleArguments, total=False)",
            "The keyword arguments of ``Config`` and ``load``.",
            others,
            "given",
        ),
        (FROZEN, "ToolSettings", "The settings that a rule can change for one tool.", per_tool, "held"),
        (FROZEN, "AllSettings(ToolSettings)", "Every setting.", others, "held"),
    )
    classes = [
        f'\n\n{mark}class {name}:\n    """{says}"""\n\n{members(keys, text)}' for mark, name, says, keys, text in parts
    ]
    classes[2] += ENTRIES
    return HEAD + "".join(classes)


def main(arguments: list[str]) -> int:
    """Write what is made, or check it."""
    made = {FILE: module()}
    return write_or_check(made, arguments, script="settings_types", description=__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
