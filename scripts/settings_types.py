"""Write src/penstock/config/typed.py from the table of settings; with ``--check``, only compare the two."""

from __future__ import annotations

import sys
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin, is_typeddict

from scripts.generated import write_or_check

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


def given(key: SettingKey) -> str:
    """The type that a caller may give."""
    return " | ".join([named(key.kind.accepts), *(["None"] if key.kind.nothing else [])])


def named(accepted: Any) -> str:
    """A type as arguments have it: without limits, and read-only."""
    if get_origin(accepted) is Annotated:
        return named(get_args(accepted)[0])
    if get_origin(accepted) in (Union, UnionType):
        return " | ".join(dict.fromkeys(map(named, get_args(accepted))))
    if get_origin(accepted) is list:
        return f"Sequence[{named(get_args(accepted)[0])}]"
    if get_origin(accepted) is Literal:
        return "str"
    return "Mapping[str, object]" if is_typeddict(accepted) else str(accepted.__name__)


def held(key: SettingKey) -> str:
    """The type that the program gets. Nothing is shown of a secret in a ``repr``, which ends up in logs."""
    if key.kind.is_secret:
        return "str = field(repr=False)  # the URL may hold a password, and a repr ends up in logs"
    return key.kind.held or named(key.kind.accepts)


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
