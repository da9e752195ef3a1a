"""Texts of keys with values, from a seed: each with its rows and the cells of its columns."""

from __future__ import annotations

import sqlite3
from random import Random
from typing import Any

from tests.kit.facts.made_json import STATES, WORDS, Made, phrase


def stanzas(seed: int) -> Made:
    random = Random(seed)
    columns: dict[str, list[Any]] = {"Package": [], "Section": [], "Installed-Size": [], "Depends": []}
    blocks = []
    for at in range(220):
        row = [f"{random.choice(WORDS)}{at}", random.choice(STATES), random.randrange(10, 9_000), None]
        if random.random() < 0.6:
            row[3] = f"{random.choice(WORDS)} (>= 1.{at % 9}),\n{phrase(random, 2)}"
        for cells, value in zip(columns.values(), row, strict=True):
            cells.append(value)
        lines = [f"{key}: {value}" for key, value in zip(columns, row, strict=True) if value is not None]
        blocks.append("\n".join(lines).replace(",\n", ",\n "))
    return Made(text="\n\n".join(blocks), form="stanzas", count=220, columns=columns)


def stanzas_below_headings(seed: int) -> Made:
    random = Random(seed)
    columns: dict[str, list[Any]] = {"heading": [], "LOC": [], "Owner": [], "State": []}
    lines = []
    for at in range(180):
        row: list[Any] = [
            f"src/{random.choice(WORDS)}{at}.py",
            random.randrange(9_000),
            phrase(random, 2),
            random.choice(STATES),
        ]
        for cells, value in zip(columns.values(), row, strict=True):
            cells.append(value)
        lines += [row[0], *(f"    {key}: {value}" for key, value in zip(list(columns)[1:], row[1:], strict=True))]
    return Made(text="\n".join(lines), form="stanzas", count=180, columns=columns)


def ini_file(seed: int) -> Made:
    random = Random(seed)
    columns: dict[str, list[Any]] = {"section": [], "key": []}
    lines = ["; made"]
    for at in range(40):
        section = f"{random.choice(WORDS)} {at}"
        lines += ["", f"[{section}]"]
        for key in random.sample(WORDS, 9):
            lines.append(f"{key} = {phrase(random, 3)}")
            columns["section"].append(section)
            columns["key"].append(key)
    return Made(text="\n".join(lines), form="settings", count=360, columns=columns)


def env_file(seed: int) -> Made:
    random = Random(seed)
    keys = [f"{random.choice(WORDS).upper()}_{at}" for at in range(400)]
    values = [random.choice([*STATES, "0123"]) for _ in keys]
    lines = [f'export {key}="{value}"' for key, value in zip(keys, values, strict=True)]
    return Made(text="\n".join(lines), form="settings", count=400, columns={"key": keys, "value": values})


def lock_file(seed: int) -> Made:
    random = Random(seed)
    names = [f"{random.choice(WORDS)}-{at % 150}" for at in range(200)]
    versions = [f"{random.randrange(9)}.{random.randrange(9)}.0" for _ in names]
    files = [random.randrange(1, 5) for _ in names]
    blocks = [
        f'[[package]]\nname = "{name}"\nversion = "{version}"\noptional = false\nfiles = [\n'
        + '    {file = "a.whl", hash = "sha256:0"},\n' * count
        + f']\n\n[package.dependencies]\n{random.choice(WORDS)} = ">=1"\n'
        for name, version, count in zip(names, versions, files, strict=True)
    ]
    return Made(text="\n".join(blocks), form="toml", count=200, columns={"name": names, "version": versions})


def mail_box(seed: int) -> Made:
    random = Random(seed)
    senders = [f"{random.choice(WORDS[:5]).title()} Doe" for _ in range(90)]
    subjects = [phrase(random, 4) for _ in senders]
    mails = [
        f"From a@example.org Mon Mar  2 10:00:00 2026\nFrom: {sender} <a@example.org>\nTo: b@example.org\n"
        f"Date: Mon, 2 Mar 2026 10:{at % 60:02}:00 +0000\nSubject: {subject}\n\n{phrase(random, 40)}\n"
        for at, (sender, subject) in enumerate(zip(senders, subjects, strict=True))
    ]
    text = "\n".join(mails)
    return Made(text=text, form="text", count=text.count("\n"))


def metrics_page(seed: int) -> Made:
    random = Random(seed)
    lines = []
    for at in range(60):
        name = f"{random.choice(WORDS)}_{at}_total"
        lines += [f"# HELP {name} {phrase(random, 4)}", f"# TYPE {name} {random.choice(['counter', 'gauge'])}"]
        for code in ("200", "404", "500")[: random.randint(1, 3)]:
            lines.append(f'{name}{{code="{code}"}} {random.randrange(10**6)}')
    return Made(text="\n".join(lines), form="text", count=len(lines))


def one_table(seed: int) -> Made:
    random = Random(seed)
    columns: dict[str, list[Any]] = {
        "id": list(range(300)),
        "state": [random.choice(STATES) for _ in range(300)],
        "zip": [f"{random.randrange(99_999):05}" for _ in range(300)],
        "note": [random.choice(["it's", "a\nb", None, "); --"]) for _ in range(300)],
    }
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (id int, state text, zip text, note text)")
    database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", zip(*columns.values(), strict=True))
    text = "\n".join(database.iterdump())
    database.close()
    return Made(text=text, form="kinds", count=len(text.split("\n")))


def many_tables(seed: int) -> Made:
    random = Random(seed)
    database = sqlite3.connect(":memory:")
    for at in range(12):
        count = random.randrange(0, 90)
        database.execute(f"CREATE TABLE {WORDS[at]} (id int, state text)")
        rows = [(number, random.choice(STATES)) for number in range(count)]
        database.executemany(f"INSERT INTO {WORDS[at]} VALUES (?, ?)", rows)
    text = "\n".join(database.iterdump())
    database.close()
    return Made(text=text, form="kinds", count=len(text.split("\n")))


PAIR_FORMS = (stanzas, stanzas_below_headings, ini_file, env_file)

# Documents whose format has no form of its own.
FORMLESS = (lock_file, mail_box, metrics_page, one_table, many_tables)
