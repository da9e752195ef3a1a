"""The kinds of values that settings accept. msgspec checks a value's type and limits; some kinds then convert it.

A value comes in one of two forms: as itself (from Python, TOML, YAML, JSON), read by ``read``, or only spelled
(in an environment variable or a flag), made into a value by ``spelled`` first.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping  # noqa: TC003  (msgspec reads the types of fields)
from typing import Annotated, Any, Final, Literal, TypedDict

import msgspec
from msgspec import Meta

from penstock.core.plain import Plain
from penstock.errors import ConfigError

Value = bool | int | float | str | tuple[str, ...] | None

STORES: Final = (
    *("memory:", "sqlite:", "redis://", "rediss://", "unix://"),
    *("redis+cluster://", "rediss+cluster://", "redis+sentinel://", "rediss+sentinel://"),
)
MAX_TEXT = 2_000  # Characters. No field or URL is nearly as long; a longer value is a file pasted into a setting.
MAX_PROGRAM = 20_000  # Characters, as for a program that a model writes.
MAX_GLOB = 200  # Characters. Tool names end at 64 or 128, and no client has a longer name.
MAX_CALLS = 20  # Calls that are made ahead: each waits for the one before.
MAX_GLOBS = 50  # A client has two or three names.
MAX_PRICE = 1_000_000  # For a million tokens. A larger number is not a price of tokens.
MAX_DIGITS = 18  # Every number of 64 bits has fewer. Python takes its time over thousands of digits.
LONGEST_VALUE = 40  # Characters of a wrong value in an error: enough to recognise it, on one line of a terminal.

_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_TRUE: Final = ("1", "true", "yes", "on")
_FALSE: Final = ("0", "false", "no", "off")
_DURATION: Final = re.compile(r"([0-9]+) ?([smhd]?)")
_MODULES: Final = re.compile(r"(?m)^\s*(?:import|include|module)\b|\bmodulemeta\b")


class RejectedValueError(ValueError):
    """A kind refused a value."""


class SettingKind(Plain, frozen=True, kw_only=True):
    """The values that a setting accepts. ``expects`` describes them in words that end a sentence. ``accepts`` is their
    type with its limits, for msgspec: the JSON schema and the types of arguments are made from it too. ``held`` is the
    type in the program, if it is another one."""

    expects: str
    accepts: Any
    placeholder: str = "TEXT"  # stands for a value in a command's help
    held: str = ""
    nothing: str = ""  # the word for None, which the program gets then
    spelled: Callable[[str], object] = str  # makes a value from its text; text that spells none stays text
    convert: Callable[[Any], Value] | None = None  # makes the program's value of an accepted one
    is_secret: bool = False

    def read(self, value: object) -> Value:
        """Return the value as the program uses it, or raise ``RejectedValueError``."""
        if self.nothing and (value is None or value == self.nothing):
            return None
        try:
            accepted: Value = msgspec.convert(value, self.accepts)
        except (msgspec.ValidationError, UnicodeEncodeError):  # Half of a surrogate pair cannot be encoded.
            raise RejectedValueError from None
        return accepted if self.convert is None else self.convert(accepted)

    def describe(self, value: object) -> str:
        """Describe a refused value for an error. A secret is not shown: errors end up in logs."""
        if self.is_secret and isinstance(value, str):
            return "other text (not shown: it may hold a password)"
        return show(value)


def whole_number(unit: str, minimum: int, maximum: int) -> SettingKind:
    """Return the kind of a whole number of something, within limits."""
    return SettingKind(
        expects=f"a whole number{unit and f' of {unit}'} from {minimum:,} to {maximum:,}",
        accepts=Annotated[int, Meta(ge=minimum, le=maximum)],
        placeholder=unit.upper() or "N",
        spelled=_spelled_number,
    )


def whole_number_or_off(unit: str, minimum: int, maximum: int) -> SettingKind:
    """Return the kind of a whole number that may be off."""
    number = whole_number(unit, minimum, maximum)

    def known(value: int | str) -> Value:
        return number.read(value)

    return SettingKind(
        expects=f'{number.expects}, or "off"',
        accepts=number.accepts | Literal["off"],
        placeholder=number.placeholder,
        held="int | None  # None: off",
        nothing="off",
        spelled=_spelled_number,
        convert=known,
    )


def duration(minimum: int, maximum: int) -> SettingKind:
    """Return the kind of a time that may be without end: seconds, ``"30m"``, or ``"forever"``."""
    number = whole_number("seconds", minimum, maximum)

    def seconds(value: int | str) -> Value:
        parts = _DURATION.fullmatch(value) if isinstance(value, str) else None
        return number.read(value if parts is None else int(parts[1]) * _UNITS[parts[2]])

    text = Annotated[str, Meta(pattern=r"^([0-9]+ ?[smhd]?|forever)$", max_length=MAX_DIGITS)]
    return SettingKind(
        expects=f'{number.expects}, or text such as "90s", "30m", "2h", "7d" or "forever"',
        accepts=number.accepts | text,
        placeholder="TIME",
        held="int | None  # seconds; None: forever",
        nothing="forever",
        convert=seconds,
    )


def choice(*words: str) -> SettingKind:
    """Return the kind of one of a few words, in upper or lower case: people write ``PENSTOCK_LOG_LEVEL=INFO``."""

    def chosen(value: str) -> Value:
        if value.lower() not in words:
            raise RejectedValueError
        return value.lower()

    return SettingKind(
        expects=f"one of {', '.join(words)}",
        accepts=Annotated[str, Meta(extra_json_schema={"enum": list(words)})],
        placeholder="|".join(words),
        held='Literal["' + '", "'.join(words) + '"]',
        convert=chosen,
    )


def some_of(*words: str) -> SettingKind:
    """Return the kind of some of a few words, or ``"off"``, which is none of them. They keep the order that they have
    here, whatever order they are given in."""

    def chosen(value: list[str] | str) -> Value:
        if isinstance(value, str):
            value = [] if value.strip().lower() == "off" else value.split(",")
        given = {one.strip().lower() for one in value}
        if not given <= set(words):
            raise RejectedValueError
        return tuple(one for one in words if one in given)

    return SettingKind(
        expects=f'some of {", ".join(words)} in a list or with commas between them, or "off"',
        accepts=list[Annotated[str, Meta(extra_json_schema={"enum": list(words)})]] | str,
        placeholder=",".join(words),
        held="tuple[str, ...]",
        convert=chosen,
    )


def _spelled_number(text: str) -> object:
    return int(text) if len(text) <= MAX_DIGITS and re.fullmatch(r"[0-9]+(?:_[0-9]+)*", text) else text


def _spelled_truth(text: str) -> object:
    return True if text.lower() in _TRUE else False if text.lower() in _FALSE else text


def _spelled_price(text: str) -> object:
    return float(text) if len(text) <= MAX_DIGITS and re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", text) else text


def _spelled_calls(text: str) -> object:
    try:
        return text if text.lower() == "off" else msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return text


def _price(value: float | str) -> Value:
    if isinstance(value, str) or math.isnan(value):
        raise RejectedValueError
    return value


def _printable(text: str) -> Value:
    """Refuse control characters and lone surrogates: the text goes into answers, where they do harm."""
    if not text.isprintable():
        raise RejectedValueError
    return text


def _store(text: str) -> Value:
    if not text.startswith(STORES):
        raise RejectedValueError
    return _printable(text)


def _folder(text: str) -> Value:
    _printable(text)
    path = os.path.expanduser(text)
    if not os.path.isabs(path):  # an MCP client starts servers in a folder of its own choice
        raise RejectedValueError
    return path


def _globs(value: list[str] | str) -> Value:
    return (value,) if isinstance(value, str) else tuple(value)


def _jq(program: str) -> Value:
    """Let jq itself check the program: one that it refuses would fail with every result. One that would read modules is
    refused, as it is when it runs."""
    if not program.strip() or _MODULES.search(program):
        raise RejectedValueError
    import jq  # noqa: PLC0415  (few configurations have a program)

    from penstock.core.text import line_text  # noqa: PLC0415

    try:
        jq.compile(program)
    except ValueError as error:
        raise ConfigError(f"jq refuses the program: {line_text(' '.join(str(error).split()), 200)}") from None
    return program


class _CallArguments(TypedDict, total=False):
    arguments: dict[str, Any]


class ToolCall(_CallArguments):
    """A call that the gateway makes ahead."""

    tool: Annotated[str, Meta(min_length=1, max_length=MAX_GLOB)]


def _calls(value: list[ToolCall | str] | str) -> Value:
    if isinstance(value, str):
        if value != "off":
            raise RejectedValueError
        return ()
    return tuple(dict.fromkeys(map(_call, value)))


def _call(value: Mapping[str, Any] | str) -> str:
    """Read a call, or the line that an earlier reading made of it."""
    try:
        given = msgspec.json.decode(value) if isinstance(value, str) else value
        call = msgspec.convert(given, ToolCall)
        if not given.keys() <= {"tool", "arguments"}:
            raise RejectedValueError
        written = written_call(call["tool"], call.get("arguments", {}))
    except (TypeError, ValueError, RecursionError):  # not JSON, or a date of TOML
        raise RejectedValueError from None
    if len(written) > MAX_PROGRAM:
        raise RejectedValueError
    return written


def written_call(tool: str, arguments: object) -> str:
    """Write a call so that two of them are equal whatever the order of their arguments is."""
    import json  # noqa: PLC0415  (few configurations have calls)

    call = {"tool": tool, "arguments": arguments}
    return json.dumps(call, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


_TEXT = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
_GLOB = Annotated[str, Meta(min_length=1, max_length=MAX_GLOB)]
_PRINTABLE: Final = f"printable text of 1 to {MAX_TEXT:,} characters"

TRUTH: Final = SettingKind(expects="true or false", accepts=bool, placeholder="", spelled=_spelled_truth)
PRICE: Final = SettingKind(
    expects=f'a number from 0 to {MAX_PRICE:,}, or "off"',
    accepts=Annotated[float, Meta(ge=0, le=MAX_PRICE)] | Literal["off"],
    placeholder="PRICE",
    held="float | None",
    nothing="off",
    spelled=_spelled_price,
    convert=_price,
)
NAME: Final = SettingKind(  # of a tool, in the characters and the length that every client and model interface accepts
    expects="1 to 64 letters, digits, underscores or hyphens",
    accepts=Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$")],
    placeholder="NAME",
    convert=_printable,
)
TEXT: Final = SettingKind(expects=_PRINTABLE, accepts=_TEXT, convert=_printable)
FIELD: Final = SettingKind(
    expects=f'a field\'s name ({_PRINTABLE}), or "auto"',
    accepts=_TEXT,
    placeholder="FIELD",
    held="str | None",
    nothing="auto",
    convert=_printable,
)
JQ: Final = SettingKind(
    expects=f'a jq program of 1 to {MAX_PROGRAM:,} characters without modules, or "off"',
    accepts=Annotated[str, Meta(min_length=1, max_length=MAX_PROGRAM)],
    placeholder="JQ",
    held="str | None",
    nothing="off",
    convert=_jq,
)
FOLDER: Final = SettingKind(
    expects=f'the absolute path of a folder, at most {MAX_TEXT:,} characters, or "off"',
    accepts=_TEXT,
    placeholder="FOLDER",
    held="str | None",
    nothing="off",
    convert=_folder,
)
GLOBS: Final = SettingKind(
    expects=f"a glob, or a list of 1 to {MAX_GLOBS}, each of 1 to {MAX_GLOB} characters",
    accepts=_GLOB | Annotated[list[_GLOB], Meta(min_length=1, max_length=MAX_GLOBS)],
    placeholder="GLOB",
    held="tuple[str, ...]",
    convert=_globs,
)
CALLS: Final = SettingKind(
    expects=f'a list of at most {MAX_CALLS} calls like {{"tool": "NAME", "arguments": {{}}}}, or "off"',
    accepts=Annotated[list[ToolCall | str], Meta(max_length=MAX_CALLS)] | Literal["off"],
    placeholder="JSON",
    held="tuple[str, ...]",
    spelled=_spelled_calls,
    convert=_calls,
)
STORE: Final = SettingKind(
    expects=f"a URL that starts with {', '.join(STORES[:-1])} or {STORES[-1]}",
    accepts=Annotated[
        str, Meta(pattern=f"^({'|'.join(one.replace('+', '[+]') for one in STORES)})", max_length=MAX_TEXT)
    ],
    placeholder="URL",
    convert=_store,
    is_secret=True,
)


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
