"""Say in one line why a jq program found nothing: a field is compared with a value that it has nowhere.

jq compares types and letters exactly: ``.id == "1"`` is false for each 1, and ``.state == "open"`` for ``OPEN``. If a
program gives nothing, each such comparison is asked again of all objects that have the field.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from penstock.core.text import counted, plain, shorten
from penstock.errors import CallerError
from penstock.query.jq.filter import run_filter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.query.source import Source

MAX_COMPARISONS: Final = 3  # Comparisons of one program that are asked again: a reader mends one after the other.
MAX_BYTES: Final = 16_777_216  # Bytes of data that jq reads once more for a note: more would take seconds.
NOTHING: Final = frozenset((b"[]", b"0", b"null", b"false", b'""', b"{}"))  # Results that say that nothing was found.

_COMPARED = re.compile(r'\.([A-Za-z_]\w*)\??\s*(?:==|!=)\s*("(?:[^"\\]|\\[^(])*"|-?[0-9]+(?:\.[0-9]+)?\b)')
_PROGRAM: Final = """
[.. | objects | select(has($name)) | .[$name]] as $all
| ($value | tostring | ascii_downcase) as $text
| if any($all[]; . == $value) then empty else {
  rows: ($all | length),
  same: ([$all[] | scalars | select(tostring | ascii_downcase == $text)] | unique | .[:3]),
  lists: ([$all[] | arrays | select(any(.[]; . == $value))] | length),
  begin: ([$all[] | strings | select(ascii_downcase | startswith($text))] | length),
  inside: ([$all[] | strings | select(ascii_downcase | contains($text))] | length),
  some: ([$all[] | scalars] | group_by(.) | sort_by(-length) | map(.[0]) | .[:6])
} end
"""


def unmatched(program: str, result: bytes, source: Source, sandbox: Sandbox) -> list[str]:
    """Return a note for each comparison of a program without a result that is false for all data."""
    if result not in NOTHING or source.index.size > MAX_BYTES:
        return []
    found = list(dict.fromkeys(_COMPARED.findall(program)))[:MAX_COMPARISONS]
    notes = (_note(name, json.loads(value), source, sandbox) for name, value in found)
    return [note for note in notes if note]


def _note(name: str, value: Any, source: Source, sandbox: Sandbox) -> str:
    program = _PROGRAM.replace("$name", json.dumps(name)).replace("$value", json.dumps(value))
    try:
        answer = run_filter(program, source, sandbox)
    except CallerError:  # The data is too much for a second look: the first answer stays as it is.
        return ""
    if not answer.count:
        return ""
    held = json.loads(answer.lines)
    if not held["rows"]:
        return ""  # ``missing_keys`` names a key that is nowhere.
    better = next(_instead(name, value, held), "")
    written = json.dumps(value, ensure_ascii=False)
    return f".{name} is nowhere {shorten(written)}" + (better or f"; it is {', '.join(map(plain, held['some']))}")


def _instead(name: str, value: Any, held: dict[str, Any]) -> Iterator[str]:
    """Yield the expressions that match, the closest first."""
    written = json.dumps(value, ensure_ascii=False)
    if held["same"]:
        yield (
            "; " + " or ".join(f".{name} == {json.dumps(one, ensure_ascii=False)}" for one in held["same"]) + " matches"
        )
    if held["lists"]:
        yield f"; in {counted(held['lists'], 'object')} it is a list with it: .{name} | index({written})"
    for count, call in ((held["begin"], "startswith"), (held["inside"], "contains")):
        if count:
            yield f"; in {counted(count, 'object')} it has it in other letters or more: .{name} | ascii_downcase | " + (
                f"{call}({json.dumps(str(value).lower(), ensure_ascii=False)})"
            )
