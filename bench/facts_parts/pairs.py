"""Find the rows of keyed texts again: stanzas, settings, lock files, mailboxes, metrics, SQL dumps."""

from __future__ import annotations

import configparser
import mailbox
import os
import re
import sqlite3
import tempfile
import tomllib
from collections import Counter
from email.header import decode_header, make_header
from email.utils import parseaddr
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.facts_parts.texts import Text

_SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? +(\S+)(?: +(-?\d+))?(?: # .*)?')
_LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')
_PARTS: Final = {
    "histogram": ("bucket", "sum", "count", "created"),
    "summary": ("sum", "count", "created"),
    "counter": ("total", "created"),
    "info": ("info",),
}
_OWN: Final = {"line", "name", "type", "family", "value", "timestamp"}


def _headed(found: Text, mark: str) -> Text:
    """Blocks below headings, which are the lines at the margin that are no key with a value."""
    rows: list[dict[str, list[str]]] = []
    starts: list[int] = []
    key = ""
    for number, line in enumerate(found.lines, 1):
        name = r"\s*(?:[-*] )?([A-Za-z][\w./()+-]*(?: [\w./()+-]+){0,4})"
        pair = re.fullmatch(name + rf"\s*{re.escape(mark)}(?:\s+(.*)|)", line)
        if line[:1].strip() and (pair is None or not pair[2]):
            rows.append(
                {
                    "heading": [
                        (line.strip("-=*[] \t") if line[0] in "-=*[" else line.rstrip()).removesuffix(":") or line
                    ]
                }
            )
            starts.append(number)
        elif pair is not None:
            key = pair[1]
            rows[-1].setdefault(key, []).append((pair[2] or "").strip())
        elif line.strip():
            rows[-1][key].append(line.strip())
    if len(rows[-1]) == 1:
        rows.pop()
        starts.pop()
    names = list(dict.fromkeys(name for row in rows for name in row))
    found.numbers |= {"stanzas": len(rows), "different keys": len(names) - 1}
    cells = {name: ["\n".join(row[name]) or None if name in row else None for row in rows] for name in names}
    return found.take(len(rows), {"line": starts, **cells})


def stanzas(found: Text, text: str, words: str) -> Text:
    """Blocks between blank lines; a key in each line that is not indented."""
    if "below headings" in words:
        return _headed(found, "|" if "Key | value" in words else "=" if "Key = value" in words else ":")
    del text
    if "Key = value" in words:
        found.lines = [re.sub(r"^ *(\S+) = ?", r"\1: ", line) for line in found.lines]
    rows: list[dict[str, list[str]]] = []
    starts: list[int] = []
    is_open, key = False, ""
    for number, line in enumerate(found.lines, 1):
        if not line.strip() or re.fullmatch(r"-{3,}", line):
            is_open = False
        elif line[0] in " \t":
            rows[-1][key].append(line[1:])
        else:
            first = next(iter(rows[0]), None) if rows else None
            if not is_open or line.partition(":")[0].strip() == first:
                rows.append({})
                starts.append(number)
                is_open = True
            key, _, value = line.partition(":")
            key = key.strip()
            rows[-1].setdefault(key, []).append(value.strip())
    names = list(dict.fromkeys(name for row in rows for name in row))
    found.numbers |= {"stanzas": len(rows), "different keys": len(names)}
    if len({name.lower() for name in (*names, "line")}) <= len(names):
        return found.take(len(rows), {})
    cells = {name: ["\n".join(row[name]) or None if name in row else None for row in rows] for name in names}
    return found.take(len(rows), {"line": starts, **cells})


def settings(found: Text, text: str, words: str) -> Text:
    """Keys with values; those in sections as configparser reads them."""
    rows: list[tuple[str | None, str, str]] = []
    if "section" in words:
        file = configparser.RawConfigParser(
            strict=False, allow_no_value=True, interpolation=None, default_section="\0", comment_prefixes=("#", ";")
        )
        file.optionxform = str  # type: ignore[method-assign, assignment]
        try:
            file.read_string("[\1]\n" + "\n".join(line.lstrip("\t") for line in text.split("\n")))
        except configparser.Error:
            return found
        sections = [name for name in file.sections() if name != "\1"]
        rows = [(name, key, value or "") for name in file.sections() for key, value in file.items(name)]
        found.numbers["sections"] = len(sections)
        keys = sum(bool(re.match(r"\s*[^\s\[#;=:][^=:]*[=:]", line)) for line in found.lines)
        if len(rows) != keys:
            return found  # a key that repeats, which configparser takes once
        names = [None if name == "\1" else name for name, _, _ in rows]
        found.numbers["keys"] = len(rows)
        return found.take(len(rows), {"section": names, "key": [key for _, key, _ in rows]})
    if re.search(r"=[\"'][^\"']*$", text, re.MULTILINE):
        return found
    pairs = [re.fullmatch(r"(?:export\s+)?([^=\s]+)\s*=\s*(.*?)\s*", line.strip()) for line in found.lines]
    kept = [one for one in pairs if one is not None and not one[0].startswith(("#", ";"))]
    found.numbers["keys"] = len(kept)
    numbers = [at for at, one in enumerate(pairs, 1) if one in kept]
    values = [re.sub(r"^([\"'])(.*)\1$", r"\2", one[2]) or None for one in kept]
    return found.take(len(kept), {"line": numbers, "key": [one[1] for one in kept], "value": values})


def lock(found: Text, text: str, words: str) -> Text:
    """Packages of TOML as tomllib reads them, entries of yarn.lock, checksums of go.sum."""
    if words.startswith("go.sum"):
        rows = [line.split(" ") for line in found.lines if line]
        found.numbers |= {"checksums": len(rows), "modules": len({row[0] for row in rows})}
        versions = {(row[0], row[1].removesuffix("/go.mod")) for row in rows}
        several = Counter(name for name, _ in versions)
        found.tallies["names with several versions"] = Counter({one: n for one, n in several.items() if n > 1})
        sums: dict[str, list[Any]] = {
            "name": [row[0] for row in rows],
            "version": [row[1].removesuffix("/go.mod") for row in rows],
        }
        sums |= {"of": ["go.mod" if row[1].endswith("/go.mod") else "module" for row in rows]}
        return found.take(len(rows), {"line": list(range(1, len(rows) + 1)), **sums, "hash": [row[2] for row in rows]})
    if "[[package]]" not in found.lines:
        return found
    packages: list[dict[str, Any]] = tomllib.loads(text)["package"]
    needs: list[str] = []
    for one in packages:
        for key, value in one.items():
            if key.endswith("dependencies") and isinstance(value, dict):
                needs += value
            elif key.endswith("dependencies"):
                needs += [item["name"] if isinstance(item, dict) else item.partition(" ")[0] for item in value]
    found.tallies["most needed by others"] = Counter(needs)
    several = Counter(name for name, _ in {(one["name"], one.get("version")) for one in packages})
    found.tallies["names with several versions"] = Counter({one: n for one, n in several.items() if n > 1})
    found.tables["dependencies"] = len(needs)
    found.numbers["packages"] = len(packages)
    columns: dict[str, list[Any]] = {
        name: [one.get(name) for one in packages] for name in ("name", "version", "description")
    }
    columns["line"] = [at for at, line in enumerate(found.lines, 1) if line == "[[package]]"]
    for name in ("files", "wheels", "groups"):
        columns[name] = [len(one[name]) if name in one else None for one in packages]
    columns["optional"] = [str(one["optional"]).lower() if "optional" in one else None for one in packages]
    return found.take(len(packages), columns)


def mbox(found: Text, text: str, words: str) -> Text:
    """Mails as the mailbox module reads them."""
    del words
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "box")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        box = mailbox.mbox(path)
        mails = list(box)
        box.close()
    people = [parseaddr(str(make_header(decode_header(str(one["From"]))))) for one in mails]
    subjects = [re.sub(r"\s*\n\s*", " ", str(make_header(decode_header(str(one["Subject"]))))) for one in mails]
    found.numbers["mails"] = len(mails)
    found.tallies["mails by sender"] = Counter(name or address for name, address in people)
    names = [[str(part.get_filename()) for part in one.walk() if part.get_filename()] for one in mails]
    found.numbers["mails with attachments"] = sum(map(bool, names))
    columns: dict[str, list[Any]] = {
        "sender": [name or None for name, _ in people],
        "email": [address for _, address in people],
    }
    columns |= {"subject": subjects, "to": [one["To"] for one in mails]}
    columns["attachments"] = ["\n".join(one) or None for one in names]
    columns["parts"] = [len(list(one.get_payload())) if one.is_multipart() else None for one in mails]
    starts = [at for at, line in enumerate(found.lines, 1) if line.startswith("From ")]
    ends = [*starts[1:], len(found.lines) + 1]
    sizes = [sum(len(one) + 1 for one in found.lines[a - 1 : b - 1]) for a, b in zip(starts, ends, strict=True)]
    return found.take(len(mails), {**columns, "line": starts, "size": sizes})


def metrics(found: Text, text: str, words: str) -> Text:
    """Samples with their labels; families by the comments that name them."""
    del text, words
    types: dict[str, str] = {}
    samples: list[tuple[int, re.Match[str], str]] = []
    for number, line in enumerate(found.lines, 1):
        meta = re.match(r"# (HELP|TYPE|UNIT) ([\w:]+) ?(\S*)", line)
        if meta is not None:
            types.setdefault(meta[2], "untyped")
            types[meta[2]] = meta[3] or "untyped" if meta[1] == "TYPE" else types[meta[2]]
        sample = _SAMPLE.fullmatch(line.rstrip()) if line[:1] not in ("#", "") else None
        if sample is not None:
            stem, _, part = sample[1].rpartition("_")
            is_part = sample[1] not in types and part in _PARTS.get(types.get(stem, ""), ())
            family = stem if is_part else sample[1]
            types.setdefault(family, "untyped")
            samples.append((number, sample, family))
    values = [float(one[3]) for _, one, _ in samples]
    finite = [None if one != one or abs(one) == float("inf") else one for one in values]
    columns: dict[str, list[Any]] = {
        "line": [number for number, _, _ in samples],
        "name": [one[1] for _, one, _ in samples],
        "type": [types[family] for _, _, family in samples],
        "family": [family for _, _, family in samples],
        "value": finite,
    }
    for at, (_, one, _) in enumerate(samples):
        for key, label in _LABEL.findall(one[2] or ""):
            name = f"label_{key}" if key in _OWN else key
            plain = re.sub(r"\\(.)", lambda sign: "\n" if sign[1] == "n" else sign[1], label)
            columns.setdefault(name, [None] * len(samples))[at] = plain or None
    filled = Counter(family for _, _, family in samples)
    found.numbers |= {"samples": len(samples), "families": len(filled)}
    found.numbers["families without samples"] = len(types) - len(filled)
    found.tallies |= {"families by type": Counter(types.values()), "samples by family": filled}
    found.tables["families"] = len(types)
    others = [one[3] for _, one, _ in samples if float(one[3]) - float(one[3]) != 0]
    found.tallies["values that are no numbers"] = Counter(others)
    return found.take(len(samples), columns)


def sql_dump(found: Text, text: str, words: str) -> Text:
    """Tables and rows as SQLite makes them from the statements that it takes."""
    database = _loaded(text)
    if database is None:
        return found
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    counts = {name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}
    if words.startswith("an SQL dump of the table "):
        [name] = names
        found.numbers["rows"] = counts[name]
        return found.take(counts[name], _columns(database, name))
    found.numbers |= {"tables": len(names), "rows": sum(counts.values())}
    found.numbers["tables without rows"] = sum(not one for one in counts.values())
    found.tallies["rows by table"] = Counter({name: one for name, one in counts.items() if one})
    found.tables |= counts
    known: dict[str, list[Any]] = {"table": names, "rows": list(counts.values())}
    for name in names:
        known |= {f"{name}.{column}": cells for column, cells in _columns(database, name).items()}
    return found.take(len(names), known)


def _columns(database: sqlite3.Connection, name: str) -> dict[str, list[Any]]:
    rows = database.execute(f'SELECT * FROM "{name}"')
    titles = [one[0] for one in rows.description]
    return dict(zip(titles, map(list, zip(*rows, strict=True)), strict=False))


def _loaded(text: str) -> sqlite3.Connection | None:
    """The dump in a database; None where SQLite does not take its tables and rows."""
    script = re.sub(r"^COPY (\S+) \((.*)\) FROM stdin;\n((?:.*\n)*?)\\\.$", _inserts, text, flags=re.MULTILINE)
    script = re.sub(r"\b(?:public|dbo)\.", "", script)
    if "ENGINE=" in script:
        script = re.sub(r"\\(.)", lambda one: {"n": "\n", "'": "''"}.get(one[1], one[1]), script)
        script = re.sub(r"^\) ENGINE=.*;$", ");", script, flags=re.MULTILINE)
        script = re.sub(r",\n  KEY .*", "", script)
    script = re.sub(r"([(,]\s*)N'", r"\1'", script)
    database = sqlite3.connect(":memory:", isolation_level=None)
    kept, statement = [], ""
    for line in script.split("\n"):
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            kept.append(statement)
            statement = ""
    for one in kept:
        bare = re.sub(r"\A(?:\s+|--.*\n|/\*(?:.|\n)*?\*/;?|\\.*\n)*", "", one)
        if re.match(r"(?i)create table|insert", bare):
            try:
                database.execute(re.sub(r"(?i)\s+references\s+\w+\s*\([^)]*\)", "", bare))
            except sqlite3.Error:
                return None
    return database


def _inserts(copy: re.Match[str]) -> str:
    signs = {"n": "\n", "t": "\t", "r": "\r", "b": "\b"}

    def value(cell: str) -> str:
        if cell == r"\N":
            return "NULL"
        plain = re.sub(r"\\(.)", lambda one: signs.get(one[1], one[1]), cell).replace("'", "''")
        return f"'{plain}'"

    rows = [",".join(map(value, line.split("\t"))) for line in copy[3].split("\n")[:-1]]
    return "\n".join(f"INSERT INTO {copy[1]} ({copy[2]}) VALUES ({row});" for row in rows)


def http(found: Text, text: str, words: str) -> Text:
    """Raw requests and responses: each line that begins one, outside of headers."""
    del text, words
    if any(line.startswith(("* ", "> ", "< ")) for line in found.lines):
        return found
    rows: list[list[Any]] = []
    in_header = False
    for number, line in enumerate(found.lines, 1):
        begins = re.fullmatch(r"([A-Z]{3,7}) (\S+) HTTP/\S+|HTTP/\S+ (\d{3}) ?(.*)", line)
        if begins is not None and not in_header:
            rows.append([number, begins[1], begins[2], int(begins[3]) if begins[3] else None, 0])
            in_header = True
        elif in_header and line.strip():
            rows[-1][4] += 1
        else:
            in_header = False
    requests = sum(row[1] is not None for row in rows)
    found.numbers |= {"requests": requests, "responses": len(rows) - requests}
    found.tallies["statuses"] = Counter(row[3] for row in rows if row[3] is not None)
    found.tables["headers"] = sum(row[4] for row in rows)
    names = ("line", "method", "url", "status", "headers")
    return found.take(len(rows), dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


READERS: Final[dict[str, Callable[[Text, str, str], Text]]] = {
    "http": http,
    "stanzas": stanzas,
    "headed_stanzas": stanzas,
    "settings": settings,
    "lock": lock,
    "mbox": mbox,
    "metrics": metrics,
    "sql_dump": sql_dump,
    "sql_table": sql_dump,
}
