"""Configurations for property tests, as people and programs lay them out, and readers that are not ours."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from penstock.client_config.command_line import Gateway
from penstock.client_config.files import File
from penstock.client_config.places import ConfigPlace
from penstock.client_config.plan import plan

if TYPE_CHECKING:
    from penstock.client_config.plan import Decide

GATEWAY = Gateway(program=("/opt/bin/penstock",), options=("--max-tokens", "8000"))
FRONT = list(GATEWAY.words)

# What a person may write anywhere, and what would mislead a reader that looks for marks only.
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["npx", "-y", "--", "run", "https://x//y", "a/*b*/", "# no", '"', "'", "\\", "${HOME}", "{", "]", ",", "args"]
)
commands = words.filter(lambda word: word not in ("", "penstock"))
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(["a b", "x.y", "command"])
entries = st.fixed_dictionaries(
    {"command": commands},
    optional={
        "args": st.lists(words, max_size=4),
        "env": st.dictionaries(names, words, max_size=2),
        "type": st.just("stdio"),
        "timeout": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
        "disabled": st.booleans(),
    },
)
tables = st.dictionaries(names, entries, max_size=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A text, what it means, and the parts of it that nobody may change."""

    text: str
    servers: dict[str, dict[str, Any]]
    kept: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Writer:
    """Puts a text together; ``open`` ends a part that must stay, for something that may be changed or added."""

    draw: st.DrawFn
    gaps: list[str]
    parts: list[str] = field(default_factory=lambda: [""])
    text: str = ""

    def put(self, text: str) -> None:
        self.text += text
        self.parts[-1] += text

    def gap(self) -> None:
        self.put(self.draw(st.sampled_from(self.gaps)))

    def change(self, text: str) -> None:
        self.text += text
        self.parts.append("")


STRICT = [
    [""],
    [" "],
    ["", " ", "\n", "\n  ", "\n\t\t"],
    ["", "\r\n", "\r\n    "],
]
COMMENTED = [
    ["", " ", "\n  ", ' /* a, "b": [ */ ', "// } don't\n", "/**/"],
    ["", "\r\n  ", " // ,\r\n  ", "/* \r\n */"],
]


@st.composite
def json_files(draw: st.DrawFn, *, comments: bool = True) -> Written:
    """An object with servers in it, in any layout."""
    gaps = draw(st.sampled_from(STRICT + COMMENTED if comments else STRICT))
    writer = Writer(draw=draw, gaps=gaps)
    loose = comments and draw(st.booleans())
    ascii_only = draw(st.booleans())

    def text_of(value: object) -> str:
        return json.dumps(value, ensure_ascii=ascii_only)

    def listed(things: list[Any], brackets: str, put: Any) -> None:
        writer.put(brackets[0])
        writer.gap()
        for at, thing in enumerate(things):
            put(thing)
            writer.gap()
            if at < len(things) - 1 or (loose and draw(st.booleans())):
                writer.put(",")
                writer.gap()
        writer.put(brackets[1])

    def member(name: str, put: Any) -> None:
        writer.put(text_of(name))
        writer.gap()
        writer.put(":")
        writer.gap()
        put()

    def entry_member(pair: tuple[str, Any]) -> None:
        name, value = pair
        if name == "command":
            writer.change("")
            member(name, lambda: writer.change(text_of(value)))
        elif name == "args":
            inner = Writer(draw=draw, gaps=gaps)
            member(name, lambda: writer.change(array(value, inner)))
        else:
            member(name, lambda: writer.put(text_of(value)))

    def array(items: list[str], inner: Writer) -> str:
        nonlocal writer
        outer, writer = writer, inner
        listed(items, "[]", lambda item: writer.put(text_of(item)))
        writer = outer
        return inner.text

    def server(pair: tuple[str, dict[str, Any]]) -> None:
        name, entry = pair
        order = draw(st.permutations(list(entry.items())))
        member(name, lambda: listed(order, "{}", entry_member))

    servers = draw(tables)
    others = draw(st.dictionaries(names.filter(lambda name: name not in ("mcpServers", "servers", "projects")), words))
    section = draw(st.sampled_from(["mcpServers", "servers"]))
    root: list[Any] = draw(st.permutations([section, *others]))

    def root_member(name: str) -> None:
        if name == section and name not in others:
            member(name, lambda: listed(list(servers.items()), "{}", server))
        else:
            member(name, lambda: writer.put(text_of(others[name])))

    writer.gap()
    listed(root, "{}", root_member)
    writer.gap()
    return Written(text=writer.text, servers=servers, kept=writer.parts)


def toml_text(draw: st.DrawFn, value: str) -> str:
    quoted = json.dumps(value).replace("\x7f", "\\u007f")
    # JSON writes what is beyond 16 bits as two halves, which TOML does not take.
    quoted = re.sub(r"\\ud[89ab]..\\ud[c-f]..", lambda pair: json.loads(f'"{pair[0]}"'), quoted)
    forms = [quoted, f'""{quoted}""']
    if value.isprintable() and "'" not in value:
        forms += [f"'{value}'", f"'''{value}'''"]
    return draw(st.sampled_from(forms))


@st.composite
def toml_files(draw: st.DrawFn) -> Written:
    """Codex's configuration, with its servers written in all the ways there are."""
    line = draw(st.sampled_from(["\n", "\r\n"]))
    writer = Writer(draw=draw, gaps=["", " ", "  "])
    servers = draw(st.dictionaries(names, entries.map(lambda entry: {**entry}), max_size=3))
    inner_gaps = draw(st.sampled_from([[""], [" "], ["", line + "    "], ["", f" # ], 'no{line}  "]]))

    def key(name: str) -> str:
        bare = re.fullmatch(r"[A-Za-z0-9_-]+", name) is not None
        return name if bare and draw(st.booleans()) else toml_key(name)

    def end() -> None:
        writer.put(draw(st.sampled_from(["", " ", " # args = [", "\t# \"'"])) + line)
        writer.put(draw(st.sampled_from(["", "", line, f"# note{line}"])))

    def array(items: list[str]) -> str:
        def gap() -> str:
            return draw(st.sampled_from(inner_gaps))

        text = "["
        for at, item in enumerate(items):
            text += gap() + toml_text(draw, item) + gap()
            text += "," if at < len(items) - 1 or draw(st.booleans()) else ""
        return text + gap() + "]"

    def member(prefix: str, name: str, value: Any) -> None:
        writer.put(draw(st.sampled_from(["", "", "  "])) if not prefix.startswith("{") else "")
        if name == "command":
            writer.change("")
        writer.put(prefix.lstrip("{") + key(name))
        writer.gap()
        writer.put("=")
        writer.gap()
        if name == "command":
            writer.change(toml_text(draw, value))
        elif name == "args":
            writer.change(array(value))
        elif isinstance(value, dict):
            inside = ", ".join(f"{toml_key(one)} = {toml_text(draw, text)}" for one, text in value.items())
            writer.put(f"{{ {inside} }}")
        else:
            writer.put(toml_text(draw, value) if isinstance(value, str) else json.dumps(value))

    def table(name: str, entry: dict[str, Any]) -> None:
        writer.put(f"[mcp_servers.{key(name)}]")
        end()
        for pair in draw(st.permutations(list(entry.items()))):
            member("", *pair)
            end()

    def dotted(name: str, entry: dict[str, Any]) -> None:
        for pair in draw(st.permutations(list(entry.items()))):
            member(f"{key(name)}.", *pair)
            end()

    def inline(name: str, entry: dict[str, Any]) -> None:
        writer.put(f"{key(name)} = {{")
        for at, pair in enumerate(draw(st.permutations(list(entry.items())))):
            writer.put(", " if at else draw(st.sampled_from(["", " "])))
            member("{", *pair)
        writer.put(" }")
        end()

    writer.put(
        f"model = 'x'{line}when = 1979-05-27 07:32:00 # then{line}list = [[1, 2], {{mcp_servers.a.command = 1}}]"
    )
    end()
    inside = {name: draw(st.sampled_from([dotted, inline])) for name in servers if draw(st.booleans())}
    if inside:
        writer.put("[mcp_servers]")
        end()
    for name, put in inside.items():
        put(name, servers[name])
    for name, entry in servers.items():
        if name not in inside:
            table(name, entry)
            writer.put(draw(st.sampled_from(["", f"[tui.{toml_key(name)}]{line}x = '''{line}[a]{line}'''{line}"])))
    return Written(text=writer.text, servers=servers, kept=writer.parts)


def toml_key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def plain_json(text: str) -> Any:
    """Read JSON with comments and trailing commas by turning it into JSON."""
    token = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
    text = token.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
    token = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)
    return json.loads(token.sub(lambda found: "" if found[0] == "," else found[0], text))


def changed(text: str, decide: Decide, *, suffix: str = ".json") -> str:
    """The text after a plan for all its servers, without a file or a backup."""
    path = Path(f"/nowhere/at-all{suffix}")
    file = File(path=path, target=path, data=text.encode(), text=text)
    return plan(ConfigPlace(path=path), file, [], decide).data.decode()
