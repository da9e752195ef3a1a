"""Settings: INI files, and lines of ``KEY=value``, as ``read_text_file`` of the filesystem server returns them from
``.ini`` and ``.env`` files, and ``shell_execute`` of mcp-shell-server from ``env`` and ``git config --list``.

``items`` has a row for each key: ``line``, ``section`` if there are sections, ``key`` and ``value`` without quotes
around it. Lines that begin with ``#`` or ``;`` are comments. In an INI file indented lines go on with the value above
them, and a key may stand without a value. Texts in which few keys are different are records or a log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import DoesNotHoldError, ParserForm, Words
from penstock.core.forms.line_parser import LineParser, holds
from penstock.core.forms.text_cells import texts_of
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Batches, Options, Sample, Tables

    Row = tuple[int, str, str, list[str]]  # line, section, key, and the lines of the value

MIN_KEYS: Final = 5  # Fewer than 5 keys are shown as they are.
MIN_DIFFERENT: Final = 0.5  # At least half of the keys are different from all others in their section.
MAX_KEYS: Final = 10_000  # At most 10,000 different keys are remembered: as many are settings.

_SECTION: Final = r"[ \t]*+\[([^\[\]\n]{1,300}+)\][ \t]*+(?:[#;].*+)?"
_COMMENT: Final = r"[ \t]*+(?:[#;].*+)?"
_NAME: Final = r"[A-Za-z_][\w.\-/\\:*@+]*+"
# Section, key, value and further text of any line, or else the line, which is of no such text.
_PLAIN = re.compile(
    rf"^(?:()[ \t]*+(?:export[ \t]++)?({_NAME})[ \t]*+=(?!=)[ \t]*+(.*)()|{_COMMENT}|(.*))\n", re.MULTILINE
)
_SECTIONED = re.compile(
    rf"(?:{_SECTION}|(?:[ \t]++(?=[\w.\-]++[ \t]*+=))?+([^\s\[\]=:#;][^=:\n]{{0,199}}+)(?:[=:][ \t]*+(.*)|(?=\n))"
    rf"|{_COMMENT}|[ \t]++(\S.*)|(.*))\n"
)


def recognise(sample: Sample) -> Options | None:
    """Return options if the first line that is not a comment begins a section, or has a pair."""
    first = next((line for line in sample.lines if line.lstrip()[0] not in "#;"), "")
    is_section = re.fullmatch(_SECTION, first[:1_000]) is not None
    if not is_section and not any(_PLAIN.findall(f"{first[:1_000]}\n")[0][:2]):
        return None
    has_sections = is_section or any(re.fullmatch(_SECTION, line) for line in sample.short)
    options: Options = {"sections": has_sections}
    return options if holds(SettingsParser(options=options), sample.head) else None


@dataclass(slots=True, kw_only=True)
class SettingsParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "keys"})
    keys: set[tuple[str, str]] = field(default_factory=set)
    rows: list[Row] = field(default_factory=list)
    section: str = ""

    def read(self, lines: list[str]) -> Batch:
        pattern = _SECTIONED if self.options["sections"] else _PLAIN
        found = pattern.findall("\n".join((*lines, "")))
        for number, (section, key, value, further, other) in enumerate(found, self.seen + 1):
            if key:
                self.rows.append((number, self.section, key.rstrip(), [self._bare(value.rstrip())]))
            elif section:
                self.section = section.strip()
            elif further and self.rows:
                self.rows[-1][3].append(further.rstrip())
            elif further or other:
                raise DoesNotHoldError("a line that is not a setting")
        return self._batch(self.rows[:-1], self.rows[-1:])  # The value of the last one may go on.

    def _bare(self, value: str) -> str:
        """Return a value without quotes around it. In an INI file quotes belong to the value."""
        mark = value[:1]
        if self.options["sections"] or mark not in ("'", '"'):
            return value
        if mark not in value[1:]:
            raise DoesNotHoldError("a value in quotes that goes on in further lines")
        return value[1:-1] if value[-1] == mark else value  # Else a comment follows the quotes.

    def rest(self) -> Batches:
        yield self._batch(self.rows, [])

    def holds(self) -> bool:
        return self.count >= MIN_KEYS and len(self.keys) >= MIN_DIFFERENT * min(self.count, MAX_KEYS)

    def _batch(self, rows: list[Row], waiting: list[Row]) -> Batch:
        """Return some rows; the others wait."""
        self.rows = waiting
        if not rows:
            return {}
        numbers, sections, keys, values = zip(*rows, strict=True)
        self.count += len(rows)
        if len(self.keys) < MAX_KEYS:
            self.keys.update(zip(sections, keys, strict=True))
        named = {"section": texts_of(sections)} if self.options["sections"] else {}
        # Values are texts: no two keys have values of one kind.
        texts = texts_of(["\n".join(parts) for parts in values])
        return {"items": {"line": list(numbers), **named, "key": list(keys), "value": texts}}

    def words(self, tables: Tables) -> Words:
        section = tables[0].field("section")
        if section is None:
            return Words(what=f"settings, key=value a line: {counted(self.count, 'key')}")
        different = section.column.different
        sections = f" in {counted(different, 'section')}" if different is not None else ""
        return Words(what=f"settings: {counted(self.count, 'key')}{sections}")


FORM: Final = ParserForm(name="settings", title="settings", looks_like=recognise, make=SettingsParser)
