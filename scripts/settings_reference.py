"""Write docs/reference/settings.md from the table of settings; with ``--check``, only say whether it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from scripts.generated import write_or_check

from penstock.config import SETTINGS, Setting

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "settings.md"

HEAD = """\
# Settings

<!-- Made by python -m scripts.settings_reference from the table in src/penstock/config/settings.py. Edit the table. -->

Every setting can stand in a configuration file and in the environment, and be given to `Config` and `load` as a
keyword argument. The stronger source wins: defaults < file < environment < arguments and flags. Those marked *per
tool* can also stand in a rule. [How to configure](../how-to/configure.md) shows each of these ways.

| setting | default | per tool | what it is |
|---|---|---|---|
"""


def page() -> str:
    """The whole page: an overview, then each setting with what it accepts, its names and its reasons."""
    rows = [
        f"| [`{setting.name}`](#{setting.name}) | `{setting.written_default}` "
        f"| {'yes' if setting.per_tool else ''} | {cell(setting.help)} |\n"
        for setting in SETTINGS
    ]
    return HEAD + "".join(rows) + "".join(map(section, SETTINGS))


def section(setting: Setting) -> str:
    """One setting's part of the page."""
    return (
        f"\n## {setting.name}\n\n{setting.help}\n\n"
        f"- Accepts: {setting.kind.expects}.\n"
        f"- Default: `{setting.written_default}`. {setting.why}\n"
        f"- Per tool: {'yes' if setting.per_tool else 'no'}.\n"
        f"- Environment: `{setting.env}`. Flag: `{setting.flag}`.\n"
    )


def cell(text: str) -> str:
    """A text that stays within its cell of a table."""
    return text.replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Write what is made, or check it."""
    made = {PAGE: page()}
    return write_or_check(made, arguments, script="settings_reference", description=__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
