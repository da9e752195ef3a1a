"""Read a configuration file: TOML, YAML or JSON by its suffix, into plain tables, with lines for errors.

A file is hostile until read: it may be a directory, a device, another encoding, a bomb of aliases. Each of
these is one ``ConfigError`` that names the file, and the line where there is one. What the keys mean is
decided in ``resolve.py``.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.config.kinds import show
from penstock.config.resolve import Keys, dotted
from penstock.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_FILE_BYTES = 1_048_576  # a thousand rules are a tenth of it; the YAML parser needs seconds for more


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A parsed file: where it is, its text (to find a key's line), and its top-level table."""

    path: str
    text: str
    table: dict[Any, Any]

    def where(self, keys: Keys) -> str:
        """Name a key with its file, and with its line when the text leaves no doubt about it."""
        line = self._line(keys)
        return f"{self.path}:{line}: {dotted(keys)}" if line else f"{self.path}: {dotted(keys)}"

    def _line(self, keys: Keys) -> int:
        # The three parsers keep no positions, so keys are looked up in the text. A wrong line is worse than
        # none: a key that stands in several places counts only behind the one place of its rule's pattern.
        lines = self.text.split("\n")
        at = [n for n, line in enumerate(lines, 1) if _holds_key(line, keys[-1])]
        if len(at) > 1 and len(keys) > 1:
            parents = [n for n, line in enumerate(lines, 1) if _holds_key(line, keys[-2])]
            at = [n for n in at if n >= parents[0]][:1] if len(parents) == 1 else []
        return at[0] if len(at) == 1 else 0


def _holds_key(line: str, key: object) -> bool:
    return re.search(rf"""(?:^|[\[{{,.])\s*["']?{re.escape(str(key))}["']?\s*[=:.\]]""", line) is not None


def read_file(path: str | os.PathLike[str]) -> ConfigFile:
    """Read and parse one configuration file, or raise a ``ConfigError`` with its name and the reason."""
    name = os.fspath(path)
    parse = _PARSERS.get(os.path.splitext(name)[1].lower())
    if parse is None:
        raise ConfigError(f"{name}: not a configuration file", do=f"name it with one of {', '.join(_PARSERS)}")
    text = _text(name)
    try:
        table = parse(text)
    except _SyntaxError as error:
        raise ConfigError(f"{name}{f':{error.line}' if error.line else ''}: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{name}: nested too deeply") from error
    except ModuleNotFoundError as error:
        do = "pip install PyYAML, or write the file as TOML or JSON"
        raise ConfigError(f"{name}: cannot be read because PyYAML is not installed", do=do) from error
    if not isinstance(table, dict):
        raise ConfigError(f"{name}: expected a table of settings, found {show(table)}")
    return ConfigFile(path=name, text=text, table=table)


def _text(name: str) -> str:
    try:
        with open(name, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError(f"{name}: cannot be read: {reason}") from error
    if len(data) > MAX_FILE_BYTES:
        raise ConfigError(f"{name}: larger than {MAX_FILE_BYTES:,} bytes, which no configuration file is")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{name}:{line}: not UTF-8", do="save it as UTF-8") from error


class _SyntaxError(Exception):
    """The text is not of its format; ``line`` is 0 where the parser does not say."""

    def __init__(self, what: str, line: int = 0) -> None:
        self.line = line
        super().__init__(what)


def _toml(text: str) -> object:
    import tomllib  # noqa: PLC0415  (a program without a file needs no parser)

    try:
        return tomllib.loads(text)
    except ValueError as error:  # its own errors, and those of int() on thousands of digits
        line = re.search(r"at line ([0-9]+)", str(error))
        end = text.count("\n") + 1 if "end of document" in str(error) else 0
        raise _SyntaxError(f"not valid TOML: {error}", int(line[1]) if line else end) from error


def _json(text: str) -> object:
    import json  # noqa: PLC0415  (a program without a file needs no parser)

    def table(pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) < len(pairs):
            raise ValueError(_twice([key for key, _ in pairs]))
        return made

    try:
        return json.loads(text, object_pairs_hook=table)
    except json.JSONDecodeError as error:
        raise _SyntaxError(f"not valid JSON: {error.msg} (column {error.colno})", error.lineno) from error
    except ValueError as error:  # a key given twice, or thousands of digits
        raise _SyntaxError(f"not valid JSON: {error}") from error


def _yaml(text: str) -> object:
    import yaml  # noqa: PLC0415  (costs more than all of penstock.config, and only YAML users need it)

    class Loader(yaml.SafeLoader):
        """Plain YAML only: aliases grow without end when merged, and tags make other things than tables."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.peek_event()  # type: ignore[no-untyped-call]
            if event.anchor or getattr(event, "tag", None):
                raise _SyntaxError("anchors, aliases and tags are not read here", event.start_mark.line + 1)
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            if len(set(keys)) < len(keys):
                raise _SyntaxError(_twice(keys), node.start_mark.line + 1)
            return super().construct_mapping(node, deep)

    try:
        table = yaml.load(text, Loader)  # noqa: S506  (a SafeLoader, made stricter)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise _SyntaxError(f"not valid YAML: {what}", mark.line + 1 if mark else 0) from error
    except (ValueError, OverflowError) as error:  # a date that does not exist, a number without end
        raise _SyntaxError(f"not valid YAML: {error}") from error
    return {} if table is None else table


def _twice(keys: list[str]) -> str:
    return f"the key {show(Counter(keys).most_common(1)[0][0])} is given twice"


_PARSERS: Final[dict[str, Callable[[str], object]]] = {
    ".toml": _toml,
    ".yaml": _yaml,
    ".yml": _yaml,
    ".json": _json,
}
