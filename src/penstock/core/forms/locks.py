"""Lock files of packages: poetry.lock, uv.lock, pdm.lock, Cargo.lock (TOML), yarn.lock, go.sum, requirements.txt.

``items`` has a row for each package: ``line``, ``name``, ``version``, what else is written of it (``source.registry``,
``resolved``), and how many items its arrays have (``files``). ``dependencies`` has a row for each dependency that a
package names: ``package``, ``name`` and ``spec``. Of TOML only what such files have is read: a line for a key, arrays
over several lines; a text with anything else is no lock file.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from penstock.core.forms.growing import GrowingRows
from penstock.core.forms.text_form import BATCH, DoesNotHoldError, RowBatches, TextForm, Words, facts
from penstock.core.text import counted, tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.text_form import Batches, Lines, Options, Sample, Tables

LEAST: Final = 3  # packages
MOST_NAMES: Final = 8  # names that are listed with their counts
MOST_ARRAY: Final = 200_000  # lines of one array

TOML, YARN, GO, PIP = "toml", "yarn", "go", "pip"

_GO = re.compile(r"(\S+) (v\S+?)(/go\.mod)? (h1:[A-Za-z0-9+/]{43}=)")
# A requirement of pip: name, extras, versions and marker; or an option, as --hash; or a comment.
_VERSION: Final = r"(?:===?|[<>!~]=|[<>]) *+[0-9][\w.*+!-]*+"
_PIP = re.compile(
    rf"([A-Za-z0-9][\w.-]*+)(?:\[([\w., -]*+)\])?+ *+({_VERSION}(?: *+, *+{_VERSION})*+)"
    r" *+(?:; *+([^\\#]*+))?+(?:[\\#].*)?|-.*|#.*"
)
_HEADER = re.compile(r"\[(\[)?([A-Za-z0-9_.\"-]{1,200}+)(?(1)\]|)\]")
_SIMPLE = re.compile(r'([A-Za-z0-9_-]+) = "([^"\\]*)"')
_PAIR = re.compile(r"(\"[^\"]*+\"|[A-Za-z0-9_.-]++) *+= *+(.+)")
_STRING: Final = r'"(?:[^"\\]++|\\.)*+"|\'[^\']*+\''
_SCALAR = re.compile(rf"(?:{_STRING}|[A-Za-z0-9_.:+-]++)[ \t]*+(?:#.*)?")
_INNER = re.compile(rf"(\"[^\"]*+\"|[A-Za-z0-9_-]++) *+= *+((?:{_STRING})|[A-Za-z0-9_.:+-]++|\[[^\]]*+\])")
_ITEM = re.compile(rf"{_STRING}|\{{(?:[^{{}}\"']++|{_STRING}|\{{[^{{}}]*+\}})*+\}}")
_ENTRY = re.compile(r"(\S.*):")
_YARN_PAIR = re.compile(r'(  | {4})("[^"]*+"|[^\s":]++):?(?: (.+))?')

Numbered: TypeAlias = "Iterator[tuple[int, str]]"  # lines with their numbers


def recognise(sample: Sample) -> Options | None:
    """Return which lock file the text is, by lines that only such a file has."""
    if "[[package]]" in sample.head:
        return {"kind": TOML}
    if any("yarn lockfile" in line or line == "__metadata:" for line in sample.head[:8]):
        return {"kind": YARN}
    lines = sample.lines
    if len(lines) >= LEAST and all(map(_GO.fullmatch, lines)):
        return {"kind": GO}
    named = 0
    for line in lines:
        match = _PIP.fullmatch(line.strip())
        if match is None:
            return None
        named += bool(match[1])
    return {"kind": PIP} if named >= LEAST else None


@dataclass(slots=True)
class _Package:
    """A package while it is read: its line, its cells by their keys, and the dependencies that it names."""

    line: int
    cells: dict[str, str] = field(default_factory=dict)
    needs: list[tuple[str, str]] = field(default_factory=list)

    def take(self, part: str, key: str, text: str) -> None:
        """Take a key of the package, or of one of its parts."""
        if part.endswith("dependencies"):
            self.needs.append((key, text))
        else:
            self.cells[f"{part}.{key}" if part else key] = text

    def take_value(self, part: str, key: str, value: str) -> None:
        """Take the same of TOML, whatever the value is."""
        if part.endswith("dependencies"):
            self.needs.append((key, _scalar(value) if value[0] in "\"'" else value))
        elif value[0] == "[":
            items = _ITEM.findall(value)
            if key.endswith("dependencies"):
                self.needs += map(_need, items)
            elif not part:
                self.cells[key] = str(len(items))
        elif value[0] == "{":
            for inner, scalar in _INNER.findall(value):
                if scalar[0] != "[":
                    self.cells[".".join(filter(None, (part, key, inner.strip('"'))))] = _scalar(scalar)
        elif _SCALAR.fullmatch(value) is None:
            raise DoesNotHoldError("a value that goes on")
        else:
            self.take(part, key, _scalar(value))


@dataclass(slots=True, kw_only=True)
class LockParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "packages", "dependencies": "dependencies"})
    rows: GrowingRows = field(default_factory=lambda: GrowingRows(taken={"line"}))
    lines: list[int] = field(default_factory=list)
    needs: RowBatches = field(default_factory=lambda: RowBatches(dependencies="package name spec"))
    versions: dict[str, set[str]] = field(default_factory=dict)
    needed: Counter[str] = field(default_factory=Counter)
    count: int = 0
    pinned: int = 0  # packages of one version

    def parse(self, lines: Lines) -> Batches:
        packages = _READERS[self.options["kind"]](iter(enumerate(lines, 1)))
        for package, _ in pairwise(chain(packages, (_Package(0),))):  # one is complete when the next begins
            self._take(package)
            if self.rows.size >= BATCH:
                yield from self._batches()
        if self.count < LEAST:
            raise DoesNotHoldError("too few packages")
        yield from self._batches()

    def _take(self, package: _Package) -> None:
        cells = package.cells
        name = cells.get("name", "")
        self.lines.append(package.line)
        for key, text in cells.items():
            self.rows.put(key, text)
        self.rows.close()
        self.count += 1
        self.pinned += "version" in cells
        self.versions.setdefault(name, set()).add(cells.get("version", ""))
        for need, spec in package.needs:
            self.needed[need] += 1
            self.needs.add("dependencies", name or None, need or None, spec or None)

    def _batches(self) -> Batches:
        lines, self.lines = self.lines, []
        yield {"items": {"line": lines, **self.rows.take({"version", *self.options.get("text", ())})}}
        yield from self.needs.take()

    def words(self, tables: Tables) -> Words:
        del tables
        several = Counter({name: len(one) for name, one in self.versions.items() if len(one) > 1 and name})
        what = f"a lock file: {counted(self.count, 'package')}"
        if self.options["kind"] == GO:
            what = f"go.sum: {counted(self.count, 'checksum')} of {counted(len(self.versions), 'module')}"
        if self.options["kind"] == PIP:
            what = f"requirements of pip: {counted(self.count, 'package')}, {self.pinned:,} of one version"
        lines = facts(
            (several, f"names with several versions: {tally(several.most_common(), MOST_NAMES)}"),
            (self.needed, f"most needed by others: {tally(self.needed.most_common(), MOST_NAMES)}"),
        )
        return Words(what=what, facts=lines)


def _read_go(source: Numbered) -> Iterator[_Package]:
    for number, line in source:
        match = _GO.fullmatch(line)
        if match is not None:
            of = "go.mod" if match[3] else "module"
            yield _Package(number, {"name": match[1], "version": match[2], "of": of, "hash": match[4]})
        elif line.strip():
            raise DoesNotHoldError("a line that is no checksum")


def _read_pip(source: Numbered) -> Iterator[_Package]:
    for number, line in source:
        match = _PIP.fullmatch(line.strip())
        if match is None and line.strip():
            raise DoesNotHoldError("a line that is no requirement")
        if match is not None and match[1]:
            is_pinned = match[3].startswith("==") and "," not in match[3]
            version = {"version": match[3].lstrip("= ")} if is_pinned else {"spec": match[3]}
            more = {key: text.strip() for key, text in (("extras", match[2]), ("marker", match[4])) if text}
            yield _Package(number, {"name": match[1], **version, **more})


def _read_toml(source: Numbered) -> Iterator[_Package]:
    package, part = None, ""  # the open one, and what follows its name in the header
    for number, line in source:
        if (simple := _SIMPLE.fullmatch(line)) is not None:  # most lines are
            if package is not None:
                package.take(part, simple[1], simple[2])
            continue
        text = line.strip()
        if not text or text[0] == "#":
            continue
        if text[0] == "[":
            header = _HEADER.fullmatch(text)
            if header is None:
                raise DoesNotHoldError("a header that is none")
            table, _, part = header[2].partition(".")
            if text == "[[package]]":
                package = _Package(number)
                yield package
            elif table != "package" or not part:
                package = None
            continue
        pair = _PAIR.fullmatch(text)
        if pair is None:
            raise DoesNotHoldError("a line that has no key")
        value = pair[2] if pair[2][0] != "[" else _array(pair[2], source)
        if package is not None:
            package.take_value(part, pair[1].strip('"'), value)


def _read_yarn(source: Numbered) -> Iterator[_Package]:
    package, part = None, ""
    for number, line in source:
        if not line.strip() or line[0] == "#":
            continue
        if line[0] != " ":
            entry = _ENTRY.fullmatch(line)
            if entry is None:
                raise DoesNotHoldError("a line that begins no package")
            package, part = None, ""
            if entry[1] != "__metadata":
                specs = [one.strip(' "') for one in entry[1].split(",")]
                name = specs[0][:1] + specs[0][1:].partition("@")[0]
                package = _Package(number, {"name": name, "specs": ", ".join(specs)})
                yield package
            continue
        pair = _YARN_PAIR.fullmatch(line)
        if pair is None:
            raise DoesNotHoldError("a line that is no pair")
        key, value = pair[2].strip('"'), (pair[3] or "").strip('"')
        if len(pair[1]) == 2:
            part = "" if value else key.lower()
        if package is not None and (value if len(pair[1]) == 2 else part.endswith("dependencies")):
            package.take(part, key, value)


def _need(item: str) -> tuple[str, str]:
    """Return the name of a dependency in an array, and what else is said of it."""
    if item[0] != "{":
        name, _, spec = _scalar(item).partition(" ")
        return name, spec
    pairs = {key: _scalar(value) for key, value in _INNER.findall(item)}
    return pairs.pop("name", ""), ", ".join(f"{key} {value}" for key, value in pairs.items())


def _array(first: str, source: Numbered) -> str:
    """Return an array, which may go on over lines; it ends with the line that closes it."""
    if first.endswith("]"):
        return first
    parts = [first]
    for _, line in source:
        parts.append(line)
        if line[-1:] in "] \t" and line.strip() == "]":
            return "\n".join(parts)
        if len(parts) > MOST_ARRAY:
            break
    raise DoesNotHoldError("an array without an end")


def _scalar(text: str) -> str:
    """Return the text of a value; escapes other than those of quotes and backslashes stay as they are written."""
    if text[:1] == '"':
        return text[1 : text.rindex('"')].replace('\\"', '"').replace("\\\\", "\\")
    return text[1 : text.rindex("'")] if text[:1] == "'" else text.partition("#")[0].strip()


_READERS: Final = {TOML: _read_toml, YARN: _read_yarn, GO: _read_go, PIP: _read_pip}
FORM: Final = TextForm(name="lock", title="a lock file", recognise=recognise, make=LockParser, needs_whole=True)
