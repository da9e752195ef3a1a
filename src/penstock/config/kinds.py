"""The kinds of values that settings take. Each says in words what it expects, and reads a value or refuses it.

A value comes in one of two forms: as itself (from Python, TOML, YAML, JSON), read by ``read``, or only spelled
(from an environment variable or a flag), made into a value by ``spelled`` first.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from typing import Final

from penstock.errors import ConfigError

Value = bool | int | float | str | tuple[str, ...] | None

STORES: Final = (
    *("memory:", "sqlite:", "redis://", "rediss://", "unix://"),
    *("redis+cluster://", "rediss+cluster://", "redis+sentinel://", "rediss+sentinel://"),
)
MAX_TEXT = 2_000  # no field or URL comes near it; a longer value is a file pasted into a setting
MAX_PROGRAM = 20_000  # characters, as for a program that a model writes
MAX_GLOB = 200  # characters; tool names end at 64 or 128, and no client has a longer name
MAX_CALLS = 20  # that are made ahead: each waits for the one before
MAX_GLOBS = 50  # a client has two or three names
MAX_PRICE = 1_000_000  # of a million tokens; a larger number is not a price of tokens
MAX_DIGITS = 18  # every number of 64 bits; Python takes its time over thousands of digits, then refuses them
LONGEST_VALUE = 40  # characters of a wrong value in an error: enough to recognise it, and one line in a terminal

_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_TRUE: Final = ("1", "true", "yes", "on")
_FALSE: Final = ("0", "false", "no", "off")
_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_DECIMAL = r"[0-9]+(?:\.[0-9]+)?"
_DURATION = r"([0-9]+) ?([smhd]?)"
_MODULES = r"(?m)^\s*(?:import|include|module)\b|\bmodulemeta\b"
_NAME = r"[A-Za-z0-9_-]{1,64}"


class RejectedValueError(ValueError):
    """A kind refused a value."""


class SettingKind(ABC):
    """The methods of every kind. ``placeholder`` stands for a value in a command's help, ``expects`` ends a
    sentence."""

    placeholder: str
    expects: str

    def spelled(self, text: str) -> object:
        """Make a value from its text. Text that spells none stays text, and ``read`` refuses it."""
        return text

    @abstractmethod
    def read(self, value: object) -> Value:
        """Return the value as the program uses it, or raise ``RejectedValueError``."""

    def describe(self, value: object) -> str:
        """Describe a refused value for an error."""
        return show(value)


class WholeNumber(SettingKind):
    """A whole number of something, within limits. A truth value is no number here, whatever Python says."""

    def __init__(self, unit: str, minimum: int, maximum: int) -> None:
        self.minimum, self.maximum = minimum, maximum
        self.placeholder = unit.upper() or "N"
        self.expects = f"a whole number{unit and f' of {unit}'} from {minimum:,} to {maximum:,}"

    def spelled(self, text: str) -> object:
        return int(text) if len(text) <= MAX_DIGITS and re.fullmatch(_DIGITS, text) else text

    def read(self, value: object) -> Value:
        if isinstance(value, int) and not isinstance(value, bool) and self.minimum <= value <= self.maximum:
            return value
        raise RejectedValueError


class Seconds(WholeNumber):
    """A time that may be without end: seconds, ``"30m"``, or ``"forever"``, which is ``None`` in the program."""

    def __init__(self, minimum: int, maximum: int) -> None:
        super().__init__("seconds", minimum, maximum)
        self.placeholder = "TIME"
        self.expects += ', or text such as "90s", "30m", "2h", "7d" or "forever"'

    def read(self, value: object) -> Value:
        if value is None or value == "forever":
            return None
        if isinstance(value, str) and len(value) <= MAX_DIGITS and (parts := re.fullmatch(_DURATION, value)):
            value = int(parts[1]) * _UNITS[parts[2]]
        return super().read(value)


class Price(SettingKind):
    """A price in any currency, or ``"off"``, which is ``None`` in the program."""

    placeholder = "PRICE"
    expects = f'a number from 0 to {MAX_PRICE:,}, or "off"'

    def spelled(self, text: str) -> object:
        return float(text) if len(text) <= MAX_DIGITS and re.fullmatch(_DECIMAL, text) else text

    def read(self, value: object) -> Value:
        if value is None or value == "off":
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MAX_PRICE:
            return float(value)
        raise RejectedValueError


class Truth(SettingKind):
    """True or false; a flag of this kind takes no value."""

    expects = "true or false"

    def spelled(self, text: str) -> object:
        return True if text.lower() in _TRUE else False if text.lower() in _FALSE else text

    def read(self, value: object) -> Value:
        if isinstance(value, bool):
            return value
        raise RejectedValueError


class Choice(SettingKind):
    """One of a few words, in upper or lower case: people write ``PENSTOCK_LOG_LEVEL=INFO``."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices
        self.placeholder = "|".join(choices)
        self.expects = f"one of {', '.join(choices)}"

    def read(self, value: object) -> Value:
        if isinstance(value, str) and value.lower() in self.choices:
            return value.lower()
        raise RejectedValueError


class Name(SettingKind):
    """The name of a tool, in the characters and the length that every client and model interface takes."""

    placeholder = "NAME"
    expects = "1 to 64 letters, digits, underscores or hyphens"

    def read(self, value: object) -> Value:
        if isinstance(value, str) and re.fullmatch(_NAME, value):
            return value
        raise RejectedValueError


class PrintableText(SettingKind):
    """Printable text: it goes into answers, where control characters and lone surrogates do harm."""

    placeholder = "TEXT"
    expects = f"printable text of 1 to {MAX_TEXT:,} characters"

    def read(self, value: object) -> Value:
        if isinstance(value, str) and 0 < len(value) <= MAX_TEXT and value.isprintable():
            return value
        raise RejectedValueError


class FieldName(PrintableText):
    """The name of a field in the data, or ``"auto"``, which is ``None`` in the program: the core finds the field."""

    placeholder = "FIELD"
    expects = f'a field\'s name ({PrintableText.expects}), or "auto"'

    def read(self, value: object) -> Value:
        return None if value is None or value == "auto" else super().read(value)


class JqProgram(SettingKind):
    """A jq program, or ``"off"``, which is ``None`` in the program. jq itself checks it: one that it refuses would fail
    with every result. One that would read modules is refused, as it is when it runs."""

    placeholder = "JQ"
    expects = f'a jq program of 1 to {MAX_PROGRAM:,} characters without modules, or "off"'

    def read(self, value: object) -> Value:
        if value is None or value == "off":
            return None
        if not isinstance(value, str) or not 0 < len(value.strip()) <= MAX_PROGRAM or re.search(_MODULES, value):
            raise RejectedValueError
        import jq  # noqa: PLC0415  (few configurations have one)

        try:
            jq.compile(value)
        except ValueError as error:
            raise ConfigError(f"jq refuses the program: {_one_line(error)}") from None
        return value


class Actions(SettingKind):
    """Some of a few words, in a list or with commas between them, or ``"off"``, which is none of them. They keep the
    order that they have here, whatever order they are given in."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices
        self.placeholder = ",".join(choices)
        self.expects = f'some of {", ".join(choices)} in a list or with commas between them, or "off"'

    def read(self, value: object) -> Value:
        if isinstance(value, str):
            value = [] if value.strip().lower() == "off" else value.split(",")
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            raise RejectedValueError
        words = {one.strip().lower() for one in value}
        if not words <= set(self.choices):
            raise RejectedValueError
        return tuple(one for one in self.choices if one in words)


class ToolCalls(SettingKind):
    """Calls of tools, each with its arguments; in the program each is a line of JSON as ``written_call`` writes it."""

    placeholder = "JSON"
    expects = f'a list of at most {MAX_CALLS} calls like {{"tool": "NAME", "arguments": {{}}}}, or "off"'

    def spelled(self, text: str) -> object:
        import json  # noqa: PLC0415  (so with all of it: few configurations have calls)

        try:
            return text if text.lower() == "off" else json.loads(text)
        except (ValueError, RecursionError):
            return text

    def read(self, value: object) -> Value:
        if value is None or value == "off":
            return ()
        if not isinstance(value, list | tuple) or len(value) > MAX_CALLS:
            raise RejectedValueError
        return tuple(dict.fromkeys(self._read_one(one) for one in value))

    def _read_one(self, value: object) -> str:
        import json  # noqa: PLC0415

        try:
            call = json.loads(value) if isinstance(value, str) else value
            if not isinstance(call, dict) or not {"tool"} <= call.keys() <= {"tool", "arguments"}:
                raise RejectedValueError
            tool, arguments = call["tool"], call.get("arguments", {})
            if not isinstance(tool, str) or not 0 < len(tool) <= MAX_GLOB or not isinstance(arguments, dict):
                raise RejectedValueError
            written = written_call(tool, arguments)
        except (TypeError, ValueError, RecursionError):  # no JSON, or a date of TOML
            raise RejectedValueError from None
        if len(written) > MAX_PROGRAM:
            raise RejectedValueError
        return written


def written_call(tool: str, arguments: object) -> str:
    """Write a call so that two of them are equal whatever the order of their arguments is."""
    import json  # noqa: PLC0415

    call = {"tool": tool, "arguments": arguments}
    return json.dumps(call, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class FolderPath(SettingKind):
    """A folder on this machine, or ``"off"``, which is ``None`` in the program; ``~`` is the user's home."""

    placeholder = "FOLDER"
    expects = f'the absolute path of a folder, at most {MAX_TEXT:,} characters, or "off"'

    def read(self, value: object) -> Value:
        if value is None or value == "off":
            return None
        if not isinstance(value, str) or not 0 < len(value) <= MAX_TEXT or not value.isprintable():
            raise RejectedValueError
        path = os.path.expanduser(value)
        if not os.path.isabs(path):  # an MCP client starts servers in a folder of its own choice
            raise RejectedValueError
        return path


class Globs(SettingKind):
    """Names of one thing, each as a glob; one alone needs no list."""

    placeholder = "GLOB"
    expects = f"a glob, or a list of 1 to {MAX_GLOBS}, each of 1 to {MAX_GLOB} characters"

    def read(self, value: object) -> Value:
        globs = [value] if isinstance(value, str) else value
        if not isinstance(globs, list | tuple) or not 1 <= len(globs) <= MAX_GLOBS:
            raise RejectedValueError
        if not all(isinstance(glob, str) and 0 < len(glob) <= MAX_GLOB for glob in globs):
            raise RejectedValueError
        return tuple(globs)


class StoreUrl(PrintableText):
    """The address of a store. It may hold a password, and errors end up in logs, so that it is never shown."""

    placeholder = "URL"
    expects = f"a URL that starts with {', '.join(STORES[:-1])} or {STORES[-1]}"

    def read(self, value: object) -> Value:
        if isinstance(value, str) and value.startswith(STORES):
            return super().read(value)
        raise RejectedValueError

    def describe(self, value: object) -> str:
        return "other text (not shown: it may hold a password)" if isinstance(value, str) else show(value)


def _one_line(error: Exception) -> str:
    """Write an error's words in one line; what a terminal might obey is written as an escape."""
    from penstock.core.text import line_text  # noqa: PLC0415  (only a refusal needs it)

    return line_text(" ".join(str(error).split()), 200)


def show(value: object) -> str:
    """Describe any value in one short line, tables and lists by their size alone: their text may have no end."""
    if isinstance(value, str):
        return (
            repr(value) if len(value) <= LONGEST_VALUE else f"{value[:LONGEST_VALUE]!r}... ({len(value):,} characters)"
        )
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "nothing"}[value]
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**MAX_DIGITS else f"a number of more than {MAX_DIGITS} digits"
    if isinstance(value, dict):
        return f"a table of {len(value):,} keys"
    if isinstance(value, list | tuple):
        return f"a list of {len(value):,} items"
    return repr(value) if isinstance(value, float) else f"a value of type {type(value).__name__}"
