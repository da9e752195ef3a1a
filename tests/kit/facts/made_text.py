"""Text of every form, from a seed: each with its rows and the cells of its columns."""

from __future__ import annotations

import csv
import io
from random import Random
from typing import Any

from tests.kit.facts.made_json import STATES, WORDS, Made, phrase

LEVELS = ("INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR")


def _records(random: Random, count: int) -> dict[str, list[Any]]:
    return {
        "number": list(range(1, count + 1)),
        "state": [random.choice(STATES) for _ in range(count)],
        "amount": [random.randrange(1, 5_000) for _ in range(count)],
        "note": [phrase(random, 4) for _ in range(count)],
    }


def _separated(seed: int, delimiter: str, *, header: bool) -> Made:
    columns = _records(Random(seed), 500)
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerows([*([list(columns)] if header else []), *zip(*columns.values(), strict=True)])
    named = columns if header else {f"c{at}": cells for at, cells in enumerate(columns.values(), 1)}
    return Made(text=file.getvalue(), form="delimited", count=500, columns=named)


def comma_separated(seed: int) -> Made:
    return _separated(seed, ",", header=True)


def tab_separated(seed: int) -> Made:
    return _separated(seed, "\t", header=True)


def semicolon_separated(seed: int) -> Made:
    return _separated(seed, ";", header=True)


def pipe_separated(seed: int) -> Made:
    return _separated(seed, "|", header=True)


def without_a_header(seed: int) -> Made:
    return _separated(seed, ",", header=False)


def markdown_table(seed: int) -> Made:
    columns = _records(Random(seed), 400)
    rows = [f"| {' | '.join(map(str, row))} |" for row in zip(*columns.values(), strict=True)]
    text = "\n".join([f"| {' | '.join(columns)} |", "| --- | --- | --- | --- |", *rows])
    return Made(text=text, form="text_table", count=400, columns=columns)


def ascii_table(seed: int) -> Made:
    columns = _records(Random(seed), 300)
    widths = [max(len(name), *(len(str(cell)) for cell in cells)) for name, cells in columns.items()]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = [
        "| " + " | ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in [tuple(columns), *zip(*columns.values(), strict=True)]
    ]
    text = "\n".join([rule, lines[0], rule, *lines[1:], rule])
    return Made(text=text, form="text_table", count=300, columns=columns)


def a_log(seed: int) -> Made:
    random = Random(seed)
    levels = [random.choice(LEVELS) for _ in range(500)]
    sources = [random.choice(WORDS[:5]) for _ in levels]
    times = [f"2026-05-0{1 + at // 60 // 24 % 9} {at // 60 % 24:02}:{at % 60:02}:07" for at in range(len(levels))]
    lines = [
        f"{time} {level} [{source}] {phrase(random, 5)}"
        for time, level, source in zip(times, levels, sources, strict=True)
    ]
    return Made(text="\n".join(lines), form="logs", count=500, columns={"level": levels, "time": times})


def changes(seed: int) -> Made:
    random = Random(seed)
    columns: dict[str, list[Any]] = {"file": [], "added": [], "removed": []}
    lines: list[str] = []
    for at in range(40):
        name = f"{random.choice(WORDS[:4])}/{random.choice(WORDS)}{at}.py"
        added, removed = random.randrange(1, 9), random.randrange(6)
        lines += [f"diff --git a/{name} b/{name}", "index 1111111..2222222 100644", f"--- a/{name}", f"+++ b/{name}"]
        lines += [f"@@ -10,{3 + removed} +10,{3 + added} @@ def work():", *(f" {phrase(random, 4)}" for _ in range(3))]
        # Lines that look like headers once they have their sign.
        lines += [f"-{random.choice(['-- a/x', phrase(random, 4)])}" for _ in range(removed)]
        lines += [f"+{random.choice(['++ b/x', phrase(random, 4)])}" for _ in range(added)]
        for column, value in zip(columns.values(), (name, added, removed), strict=True):
            column.append(value)
    return Made(text="\n".join(lines) + "\n", form="diff", count=40, columns=columns)


def _commits(seed: int, *, patches: bool) -> tuple[list[str], dict[str, list[Any]]]:
    random = Random(seed)
    columns: dict[str, list[Any]] = {"author": [], "subject": [], "added": [], "removed": []}
    lines: list[str] = []
    for at in range(60 if patches else 140):
        author, subject = f"{random.choice(WORDS).title()} Doe", f"{phrase(random, 4)} {at}"
        lines += [f"commit {random.getrandbits(160):040x}", f"Author: {author} <a@example.org>"]
        lines += [f"Date:   Mon Mar {1 + at % 28} 10:{at % 60:02}:00 2026 +0000", "", f"    {subject}", ""]
        added, removed = random.randrange(1, 6), random.randrange(1, 4)
        if patches:
            name = f"{random.choice(WORDS)}.py"
            lines += [
                f"diff --git a/{name} b/{name}",
                "index 1111111..2222222 100644",
                f"--- a/{name}",
                f"+++ b/{name}",
            ]
            lines += [f"@@ -1,{removed} +1,{added} @@", *(f"-{phrase(random, 3)}" for _ in range(removed))]
            lines += [*(f"+{phrase(random, 3)}" for _ in range(added)), ""]
        for column, value in zip(columns.values(), (author, subject, added, removed), strict=True):
            column.append(value)
    return lines, columns


def git_log(seed: int) -> Made:
    lines, columns = _commits(seed, patches=False)
    known = {name: columns[name] for name in ("author", "subject")}
    return Made(text="\n".join(lines), form="commits", count=140, columns=known)


def git_log_with_patches(seed: int) -> Made:
    lines, columns = _commits(seed, patches=True)
    return Made(text="\n".join(lines), form="commits", count=60, columns=columns)


def format_patch(seed: int) -> Made:
    random = Random(seed)
    lines: list[str] = []
    for at in range(50):
        author, added = f"{random.choice(WORDS).title()} Doe", random.randrange(1, 6)
        lines += [f"From {random.getrandbits(160):040x} Mon Sep 17 00:00:00 2001", f"From: {author} <a@example.org>"]
        lines += [f"Date: Mon, 2 Mar 2026 10:{at:02}:00 +0000", f"Subject: [PATCH {at + 1}/50] {phrase(random, 4)}", ""]
        lines += ["---", " a.py | 5 +++++", f" 1 file changed, {added} insertions(+), 1 deletion(-)", ""]
        lines += ["diff --git a/a.py b/a.py", "index 1111111..2222222 100644", "--- a/a.py", "+++ b/a.py"]
        lines += [f"@@ -1 +1,{added} @@", "-old", *(f"+{phrase(random, 3)}" for _ in range(added)), "-- ", "2.43.0", ""]
    return Made(text="\n".join(lines), form="text", count=len(lines) - 1)


def _places(random: Random, count: int) -> tuple[list[str], list[int]]:
    files = [f"src/{a}/{b}.py" for a in WORDS[:4] for b in WORDS[4:9]]
    places = sorted((random.choice(files), random.randint(1, 900)) for _ in range(count))
    return [file for file, _ in places], [number for _, number in places]


def grep_output(seed: int) -> Made:
    random = Random(seed)
    files, numbers = _places(random, 400)
    lines = [f"{file}:{number}:    {phrase(random, 4)}" for file, number in zip(files, numbers, strict=True)]
    return Made(text="\n".join(lines), form="grep", count=400, columns={"file": files, "file_line": numbers})


def linter_output(seed: int) -> Made:
    random = Random(seed)
    files, numbers = _places(random, 400)
    codes = [random.choice(["E501", "F401", "W291", "B008"]) for _ in files]
    rows = zip(files, numbers, codes, strict=True)
    text = "\n".join(f"{file}:{number}:7: {code} {phrase(random, 4)}" for file, number, code in rows)
    return Made(text=text, form="linter", count=400, columns={"file": files, "file_line": numbers, "code": codes})


def pytest_output(seed: int) -> Made:
    random = Random(seed)
    files = sorted(f"tests/test_{random.choice(WORDS)}_{at % 9}.py" for at in range(400))
    tests = [f"test_{random.choice(WORDS)}_{at}[{random.choice(WORDS)} x]" for at in range(400)]
    verdicts = [random.choice(["PASSED", "PASSED", "PASSED", "FAILED", "SKIPPED"]) for _ in files]
    rows = zip(files, tests, verdicts, strict=True)
    lines = [f"{file}::{test} {verdict} [{at:3}%]" for at, (file, test, verdict) in enumerate(rows)]
    for at in range(40, 400, 40):
        lines[at] += f"\nDEBUG {phrase(random, 5)}\n"
    text = "\n".join([*lines, "=== FAILURES ===", phrase(random, 9), "=== 9 failed, 391 passed in 3.1s ==="])
    columns = {"file": files, "test": tests, "verdict": verdicts}
    return Made(text=text, form="test_run", count=400, columns=columns)


def find_output(seed: int) -> Made:
    random = Random(seed)
    paths = sorted(
        {f"./{random.choice(WORDS)}/{random.choice(WORDS)}/{at}.{random.choice(['py', 'md'])}" for at in range(500)}
    )
    return Made(text="\n".join(paths), form="paths", count=len(paths), columns={"path": paths})


def ls_output(seed: int) -> Made:
    random = Random(seed)
    lines: list[str] = []
    sizes: list[int] = []
    for at in range(20):
        lines += [f"./{random.choice(WORDS)}{at}:", "total 64"]
        for inner in range(15):
            sizes.append(random.randrange(10, 90_000))
            lines.append(
                f"-rw-r--r-- 1 ada staff {sizes[-1]:>8} Mar {1 + inner:>2} 10:00 {random.choice(WORDS)}{inner}.md"
            )
        lines.append("")
    return Made(text="\n".join(lines), form="listing", count=300, columns={"size": sizes})


def tree_output(seed: int) -> Made:
    random = Random(seed)
    lines, count = ["."], 0
    for folder in range(30):
        lines.append(f"├── {random.choice(WORDS)}{folder}")
        lines += [f"│   ├── {random.choice(WORDS)}{at}.py" for at in range(14)]
        lines.append("│   └── last.md")
        count += 16
    return Made(text="\n".join(lines), form="file_tree", count=count)


def du_output(seed: int) -> Made:
    random = Random(seed)
    lines, paths, total = [], [], 0
    for folder in range(40):
        sizes = [random.randrange(4, 900) for _ in range(10)]
        inner = [f"./data/{WORDS[folder % 16]}{folder}/{WORDS[at]}" for at in range(10)]
        lines += [f"{size}\t{path}" for size, path in zip(sizes, inner, strict=True)]
        lines.append(f"{sum(sizes)}\t./data/{WORDS[folder % 16]}{folder}")
        paths += [*inner, f"./data/{WORDS[folder % 16]}{folder}"]
        total += sum(sizes)
    lines.append(f"{total}\t./data")
    paths.append("./data")
    return Made(text="\n".join(lines), form="delimited", count=len(paths), columns={"c2": paths})


def snapshot_output(seed: int) -> Made:
    random = Random(seed)
    lines, roles = ['- document "Shop" [ref=e0]:'], ["document"]
    for at in range(120):
        lines += [
            f"  - listitem [ref=e{3 * at + 1}]:",
            f'    - heading "{phrase(random, 3)}" [level=3] [ref=e{3 * at + 2}]',
        ]
        lines += [f'    - link "{phrase(random, 2)}" [ref=e{3 * at + 3}]:', f"      - /url: /{random.choice(WORDS)}"]
        roles += ["listitem", "heading", "link"]
    return Made(text="\n".join(lines), form="snapshot", count=len(roles), columns={"role": roles})


def markdown_sections(seed: int) -> Made:
    random = Random(seed)
    lines: list[str] = []
    levels: list[int] = []
    for at in range(60):
        levels.append(1 if at == 0 else random.choice([2, 3]))
        lines += [f"{'#' * levels[-1]} {phrase(random, 3).title()} {at}", "", f"{phrase(random, 30).capitalize()}.", ""]
        if at % 5 == 0:
            lines += ["```sh", "# no heading", f"run {at}", "```", ""]
    return Made(text="\n".join(lines), form="markdown", count=60, columns={"level": levels})


def columns_of_words(seed: int) -> Made:
    random = Random(seed)
    lines = [
        f"{random.randrange(90_000):6} {random.choice('TWU')} /srv/{random.randbytes(4).hex():9} {phrase(random, 3)}"
        for _ in range(320)
    ]
    return Made(text="\n".join(lines), form="text", count=320)


def files_in_one_text(seed: int) -> Made:
    random = Random(seed)
    columns: dict[str, list[Any]] = {"path": [], "lines": []}
    parts = []
    for at in range(50):
        columns["path"].append(f"src/{random.choice(WORDS)}/part{at}.py")
        columns["lines"].append(random.randrange(2, 40))
        texts = [phrase(random, 6) for _ in range(columns["lines"][-1])]
        parts.append("\n".join([f"==> {columns['path'][-1]} <==", *texts, ""]))
    return Made(text="\n".join(parts), form="joined_files", count=50, columns=columns)


TEXT_FORMS = (
    files_in_one_text,
    comma_separated,
    tab_separated,
    semicolon_separated,
    pipe_separated,
    without_a_header,
    markdown_table,
    ascii_table,
    a_log,
    changes,
    git_log,
    git_log_with_patches,
    grep_output,
    linter_output,
    pytest_output,
    find_output,
    ls_output,
    tree_output,
    snapshot_output,
    markdown_sections,
)

# Documents whose format has no form of its own.
FORMLESS = (columns_of_words, du_output, format_patch)
