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
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.growing import GrowingRows
from penstock.core.forms.text_form import BATCH, DoesNotHoldError, Options, Sample, TextForm, Words
from penstock.core.text import counted, tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.text_form import Batch, Batches, Lines, Tables

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


@dataclass(slots=True, kw_only=True)
class LockParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "packages", "dependencies": "dependencies"})
    rows: GrowingRows = field(default_factory=lambda: GrowingRows(taken={"line"}))
    lines: list[int] = field(default_factory=list)
    needs: dict[str, list[Any]] = field(default_factory=lambda: {"package": [], "name": [], "spec": []})
    versions: dict[str, set[str]] = field(default_factory=dict)
    needed: Counter[str] = field(default_factory=Counter)
    count: int = 0
    pinned: int = 0  # requirements of one version
    _name: str = ""
    _version: str = ""
    _is_open: bool = False

    def parse(self, lines: Lines) -> Batches:
        source = iter(enumerate(lines, 1))
        steps = {TOML: self._toml, YARN: self._yarn, GO: self._go, PIP: self._pip}[self.options["kind"]]
        for _ in steps(source):  # a step for each package, before anything is known of it
            if self.rows.size >= BATCH:
                yield self._batch()
        self._close()
        if self.count < LEAST:
            raise DoesNotHoldError("too few packages")
        yield self._batch()

    def _go(self, source: Iterator[tuple[int, str]]) -> Iterator[None]:
        for number, line in source:
            match = _GO.fullmatch(line)
            if match is None:
                if line.strip():
                    raise DoesNotHoldError("a line that is no checksum")
                continue
            self._open(number)
            yield
            self._put("name", match[1])
            self._put("version", match[2])
            self.rows.put("of", "go.mod" if match[3] else "module")
            self.rows.put("hash", match[4])

    def _pip(self, source: Iterator[tuple[int, str]]) -> Iterator[None]:
        for number, line in source:
            match = _PIP.fullmatch(line.strip())
            if match is None and line.strip():
                raise DoesNotHoldError("a line that is no requirement")
            if match is None or not match[1]:
                continue
            self._open(number)
            yield
            self._put("name", match[1])
            is_pinned = match[3].startswith("==") and "," not in match[3]
            self._put("version" if is_pinned else "spec", match[3].lstrip("= ") if is_pinned else match[3])
            for key, text in (("extras", match[2]), ("marker", match[4])):
                if text:
                    self.rows.put(key, text.strip())
            self.pinned += is_pinned

    def _toml(self, source: Iterator[tuple[int, str]]) -> Iterator[None]:
        part = ""  # of a package: what follows its name in the header
        for number, line in source:
            if (simple := _SIMPLE.fullmatch(line)) is not None:  # most lines are
                if self._is_open:
                    self._toml_text(part, simple[1], simple[2])
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
                    self._open(number)
                    yield
                elif table != "package" or not part:
                    self._close()
                continue
            pair = _PAIR.fullmatch(text)
            if pair is None:
                raise DoesNotHoldError("a line that has no key")
            value = pair[2] if pair[2][0] != "[" else _array(pair[2], source)
            if self._is_open:
                self._toml_value(part, pair[1].strip('"'), value)

    def _toml_value(self, part: str, key: str, value: str) -> None:
        """Take a key of a package, or of one of its parts."""
        name = f"{part}.{key}" if part else key
        if part.endswith("dependencies"):
            self._need(key, _scalar(value) if value[0] in "\"'" else value)
        elif value[0] == "[":
            items = _ITEM.findall(value)
            if key.endswith("dependencies"):
                for item in items:
                    self._need_item(item)
            elif not part:
                self.rows.put(name, str(len(items)))
        elif value[0] == "{":
            for inner, scalar in _INNER.findall(value):
                if scalar[0] != "[":
                    self.rows.put(f"{name}.{inner.strip(chr(34))}", _scalar(scalar))
        elif _SCALAR.fullmatch(value) is None:
            raise DoesNotHoldError("a value that goes on")
        else:
            self._toml_text(part, key, _scalar(value))

    def _toml_text(self, part: str, key: str, text: str) -> None:
        if part.endswith("dependencies"):
            self._need(key, text)
        else:
            self._put(f"{part}.{key}" if part else key, text)

    def _need_item(self, item: str) -> None:
        if item[0] == "{":
            pairs = {key: _scalar(value) for key, value in _INNER.findall(item)}
            rest = [f"{key} {value}" for key, value in pairs.items() if key != "name"]
            self._need(pairs.get("name", ""), ", ".join(rest))
        else:
            name, _, spec = _scalar(item).partition(" ")
            self._need(name, spec)

    def _yarn(self, source: Iterator[tuple[int, str]]) -> Iterator[None]:
        part = ""
        for number, line in source:
            if not line.strip() or line[0] == "#":
                continue
            if line[0] != " ":
                entry = _ENTRY.fullmatch(line)
                if entry is None:
                    raise DoesNotHoldError("a line that begins no package")
                part = ""
                if entry[1] == "__metadata":
                    self._close()
                    continue
                self._open(number)
                yield
                specs = [one.strip(' "') for one in entry[1].split(",")]
                self._put("name", specs[0][:1] + specs[0][1:].partition("@")[0])
                self.rows.put("specs", ", ".join(specs))
                continue
            pair = _YARN_PAIR.fullmatch(line)
            if pair is None:
                raise DoesNotHoldError("a line that is no pair")
            key, value = pair[2].strip('"'), (pair[3] or "").strip('"')
            if len(pair[1]) == 2:
                part = "" if value else key
                if self._is_open and value:
                    self._put(key, value)
            elif part.lower().endswith("dependencies") and self._is_open:
                self._need(key, value)

    def _open(self, number: int) -> None:
        self._close()
        self.lines.append(number)
        self.count += 1
        self._is_open = True

    def _close(self) -> None:
        """End the package that is open."""
        if self._is_open:
            self.rows.close()
            self.versions.setdefault(self._name, set()).add(self._version)
        self._name = self._version = ""
        self._is_open = False

    def _put(self, key: str, value: str) -> None:
        self.rows.put(key, value)
        if key == "name":
            self._name = value
        elif key == "version":
            self._version = value

    def _need(self, name: str, spec: str) -> None:
        self.needed[name] += 1
        for key, value in (("package", self._name), ("name", name), ("spec", spec)):
            self.needs[key].append(value or None)

    def _batch(self) -> Batch:
        size = self.rows.size
        lines, self.lines = self.lines[:size], self.lines[size:]
        columns = self.rows.take({"version", *self.options.get("text", ())})
        batch: Batch = {"items": {"line": lines, **columns}}
        if self.needs["name"]:
            needs, self.needs = self.needs, {"package": [], "name": [], "spec": []}
            batch["dependencies"] = needs
        return batch

    def words(self, tables: Tables) -> Words:
        del tables
        several = Counter({name: len(one) for name, one in self.versions.items() if len(one) > 1 and name})
        what = f"a lock file: {counted(self.count, 'package')}"
        if self.options["kind"] == GO:
            what = f"go.sum: {counted(self.count, 'checksum')} of {counted(len(self.versions), 'module')}"
        if self.options["kind"] == PIP:
            what = f"requirements of pip: {counted(self.count, 'package')}, {self.pinned:,} of one version"
        facts = [f"names with several versions: {tally(several.most_common(), MOST_NAMES)}"] if several else []
        facts += [f"most needed by others: {tally(self.needed.most_common(), MOST_NAMES)}"] if self.needed else []
        return Words(what=what, facts=tuple(facts))


def _array(first: str, source: Iterator[tuple[int, str]]) -> str:
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


FORM: Final = TextForm(name="lock", title="a lock file", recognise=recognise, make=LockParser, needs_whole=True)
