"""Write docs/reference/settings.md from the table of settings; with ``--check``, only say whether it is up to date."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from penstock.config import SETTINGS, Setting

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "settings.md"

HEAD = """\
# Settings

<!-- Made by scripts/settings_reference.py from the table in src/penstock/config/settings.py. Edit the table. -->

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
    """Write the page, or check it; 1 when it differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the page differs")
    parser.add_argument("page", nargs="?", type=Path, default=PAGE, help="the page to write or check")
    options = parser.parse_args(arguments)
    made = page()
    if not options.check:
        options.page.write_text(made, encoding="utf-8")
        return 0
    if options.page.is_file() and options.page.read_text(encoding="utf-8") == made:
        return 0
    print(
        f"{options.page} differs from the table of settings: run python scripts/settings_reference.py", file=sys.stderr
    )
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
