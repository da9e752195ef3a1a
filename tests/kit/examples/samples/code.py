"""A folder of code: a web front end in TypeScript to search in, and services in Python for the language server.

It is the same everywhere: ``useState`` stands on 312 lines of 89 files, ``services/nested.py`` and ``complex-file.ts``
nest 12 levels deep, ``record_event`` is called from 60 modules, and ``services/legacy`` is full of mistakes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.kit.examples.samples.files import write_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NEST: Final = 12
CALLS: Final = 8  # of record_event in each handler
MISTAKES: Final = 10  # blocks of three mistakes in each module of services/legacy
FOLDERS: Final = (  # where the components of the front end are, and how many
    ("src/components", 9),
    ("src/pages/account", 12),
    ("src/pages/orders", 14),
    ("src/features/booking", 18),
    ("src/features/reports", 16),
    ("src/admin", 10),
    ("node_modules/panel-kit/src", 10),
)
TWO: Final = 44  # components that keep two states; all others keep three
WORDS: Final = ("Invoice", "Route", "Berth", "Permit", "Cargo", "Crew", "Tide", "Pilot", "Anchor", "Ledger", "Meter")
STATES: Final = (("draft", "emptyDraft"), ("isSaving", "false"), ("failure", "null as RequestFailure | null"))


def make_sample(folder: Path) -> None:
    """Write the sample to a folder."""
    write_files(folder, _files())


def _files() -> Iterator[tuple[str, str]]:
    number = 0
    for folder, many in FOLDERS:
        for _ in range(many):
            name = f"{WORDS[number % len(WORDS)]}Panel{number}"
            yield f"{folder}/{name}.tsx", _component(name, 2 if number < TWO else 3)
            number += 1
    for count in range(30):
        yield f"src/lib/{WORDS[count % len(WORDS)].lower()}{count}.ts", _library(count)
    yield "complex-file.ts", _nested_types()
    yield "README.md", "# Harbour desk\n\nA front end in TypeScript, and services in Python.\n"
    yield "services/__init__.py", ""
    yield "services/events.py", EVENTS
    yield "services/nested.py", _nested()
    yield "services/handlers/__init__.py", ""
    for count in range(60):
        yield f"services/handlers/{WORDS[count % len(WORDS)].lower()}_{count}.py", _handler(count)
    yield "services/legacy/__init__.py", ""
    for word in WORDS:
        yield f"services/legacy/{word.lower()}.py", _legacy(word.lower())


def _component(name: str, states: int) -> str:
    """Write a component. Each state stands among lines of its own, so that the lines around two matches differ."""
    lines = [
        f"// {name}: shows one record of the desk and lets a clerk change it before it is sent",
        'import { useState } from "react";',
        'import { loadRecord, saveRecord, type RequestFailure } from "../../lib/records";',
        'import { formatMoment, formatAmount } from "../../lib/format";',
        'import { Button, Field, Notice } from "panel-kit";',
        "",
        f"export function {name}({{ recordId, onSaved, readOnly = false }}: {name}Props) {{",
    ]
    for count, (state, first) in enumerate(STATES[:states]):
        setter = f"set{state[0].upper()}{state[1:]}"
        lines += [
            f"  // {name} keeps its {state} until the clerk leaves the panel",
            f"  const {state}Label = formatMoment(`{name}.{state}`, {{ style: 'short', zone: 'harbour' }});",
            f"  const [{state}, {setter}] = useState({first});",
            f"  const change{count} = (event: ChangeEvent<HTMLInputElement>) => {setter}(readField(event, '{state}'));",
            f"  const reset{count} = () => {{ if (!readOnly) {setter}({first}); onSaved?.(recordId); }};",
            f"  const amount{count} = formatAmount(loadRecord(recordId)?.totals?.{state} ?? 0, {{ currency: 'EUR' }});",
            "",
        ]
    lines += ["  return (", f'    <section className="{name}" aria-busy={{isSaving}}>']
    lines += [
        f"      <Field label={{{state}Label}} value={{amount{count}}} onChange={{change{count}}} />"
        for count, (state, _) in enumerate(STATES[:states])
    ]
    lines += [
        "      <Button onClick={() => saveRecord(recordId, draft)}>Save</Button>",
        "    </section>",
        "  );",
        "}",
        "",
    ]
    return "\n".join(lines)


def _library(count: int) -> str:
    functions = (
        f"export function step{count}_{n}(value: number): number {{\n"
        f"  const scaled = value * {count + n + 2};\n  return scaled % 97;\n}}\n"
        for n in range(12)
    )
    return "\n".join(functions)


def _nested() -> str:
    """Write classes in classes, each with a method, and beside the deepest ones some shallow ones."""
    lines = ['"""How the zones of the harbour lie in one another."""', ""]
    for level in range(NEST - 1):
        pad = "    " * level
        lines += [f"{pad}class Zone{level + 1}:", f'{pad}    """Zone {level + 1}."""', ""]
    pad = "    " * (NEST - 1)
    lines += [f"{pad}def berth(self) -> int:", f"{pad}    return {NEST}", ""]
    for count in range(5):
        lines += [f"class Shed{count}:", "    def open(self) -> bool:", f"        return {count} > 2", ""]
    return "\n".join(lines)


def _nested_types() -> str:
    """Write namespaces in namespaces, and a class with a method in the innermost."""
    levels = range(1, NEST - 1)
    lines = ["  " * (level - 1) + f"export namespace Zone{level} {{" for level in levels]
    pad = "  " * (NEST - 2)
    lines += [f"{pad}export class Berth {{", f"{pad}  depth(): number {{ return {NEST}; }}", f"{pad}}}"]
    lines += ["  " * (level - 1) + "}" for level in reversed(levels)]
    return "\n".join([*lines, ""])


def _handler(count: int) -> str:
    word = WORDS[count % len(WORDS)].lower()
    lines = [f'"""What happens to a {word}, number {count}."""', "", "from services.events import record_event", ""]
    for call in range(CALLS):
        lines += [
            "",
            f"def handle_{word}_{call}(amount: int) -> int:",
            f'    return record_event("{word}.step-{call}", amount=amount, retries={call}, urgent=amount > {count})',
            "",
        ]
    return "\n".join(lines)


def _legacy(word: str) -> str:
    lines = [f'"""The {word} module before it had types."""', "", "from services.events import record_event", ""]
    for block in range(MISTAKES):
        lines += [
            "",
            f"def old_{word}_{block}(amount: int) -> str:",
            f'    total: int = "{word} {block}"',
            f"    record_event({block}, amount=amount, retries=None, urgent=amount)",
            "    return total + missing_rate",
            "",
        ]
    return "\n".join(lines)


EVENTS: Final = '''"""What happened in the harbour: record_event writes it down."""

from __future__ import annotations

WRITTEN: list[tuple[str, int]] = []


def record_event(name: str, *, amount: int, retries: int = 0, urgent: bool = False) -> int:
    """Write an event down, and tell how many there are."""
    WRITTEN.append((name, amount * (2 if urgent else 1) + retries))
    return len(WRITTEN)
'''
