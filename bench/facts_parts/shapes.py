"""Compare a shape with the data that it describes: ``[{id: int, tags?: [str], owner: {…}|null}]``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.facts_parts.report import Report

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\w$<>-]+…?|…|[{}\[\]|:?,]')
_SCALARS = {str: "str", bool: "bool", int: "int", float: "float", type(None): "null"}


@dataclass(slots=True)
class Shape:
    """What values may be. ``fields`` is None where no object is told of, ``item`` where no array is."""

    scalars: set[str] = field(default_factory=set)
    fields: dict[str, tuple[bool, Shape]] | None = None
    is_open: bool = False  # an object may have other fields
    member: Shape | None = None  # of a map
    arrays: bool = False
    item: Shape | None = None  # None: no array has an item
    anything: bool = False


Fields = dict[str, tuple[bool, Shape]]


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = [found[0] for found in _TOKEN.finditer(text)] + [""]
        self.at = 0

    def take(self, wanted: str | None = None) -> str:
        token = self.tokens[self.at]
        if wanted is not None and token != wanted:
            raise ValueError(f"{wanted!r} expected, {token!r} found")
        self.at += 1
        return token

    @property
    def next(self) -> str:
        return self.tokens[self.at]

    def shape(self) -> Shape:
        shape = Shape()
        while True:
            token = self.take()
            if token == "{":
                self._object(shape)
            elif token == "[":
                self._array(shape)
            elif token == "…":
                shape.anything = True
            elif token in _SCALARS.values():
                shape.scalars.add(token)
            else:
                raise ValueError(f"no type: {token!r}")
            if self.next != "|":
                return shape
            self.take()

    def _array(self, shape: Shape) -> None:
        shape.arrays = True
        if self.next != "]":
            shape.item = self.shape()
        self.take("]")

    def _object(self, shape: Shape) -> None:
        shape.fields = {}
        while self.next != "}":
            token = self.take()
            if token == "…":
                shape.is_open = True
            else:
                name = json.loads(token) if token.startswith('"') else token
                optional = self.next == "?"
                if optional:
                    self.take()
                self.take(":")
                if token == "<key>":
                    shape.member = self.shape()
                else:
                    shape.fields[name] = (optional, self.shape())
            if self.next == ",":
                self.take()
        self.take("}")


def read_shape(text: str) -> Shape:
    """Read the text of a shape."""
    reader = _Reader(text)
    shape = reader.shape()
    reader.take("")
    return shape


def check_shape(report: Report, text: str, data: Any) -> None:
    """Judge a shape, one statement a place: the types, the fields that are always there, and that no other is."""
    try:
        shape = read_shape(text)
    except ValueError as error:
        report.skip("shape", str(error))
        return
    places: dict[str, str] = {}
    waiting: list[tuple[Shape, Any, str]] = [(shape, data, ".")]
    while waiting:
        one, value, where = waiting.pop()
        places.setdefault(where, "")
        if one.anything:
            continue
        if isinstance(value, dict):
            inner = _whole_names(one.fields or {}, value)
            fault = _object_fault(one, inner, value)
            for name, part in value.items():
                if one.member is not None:
                    waiting.append((one.member, part, f"{where}<key>."))
                elif name in inner:
                    waiting.append((inner[name][1], part, f"{where}{name}."))
        elif isinstance(value, list):
            fault = "" if one.arrays and (one.item is not None or not value) else "an array somewhere"
            waiting += [(one.item, part, f"{where}[].") for part in value if one.item is not None]
        else:
            kind = _SCALARS[type(value)]
            fits = kind in one.scalars or (kind == "int" and "float" in one.scalars)
            fault = "" if fits else f"{kind} somewhere"
        if fault and not places[where]:
            places[where] = fault
    for where, fault in places.items():
        report.say(f"shape of {where}", "as told", fault or "as told")


def _whole_names(fields: Fields, value: dict[str, Any]) -> Fields:
    """The fields by the names that they have in the data: a long name is cut, and marked with an ellipsis."""
    found: Fields = {}
    for name, field_told in fields.items():
        begins = [key for key in value if key.startswith(name[:-1])] if name.endswith("…") and name not in value else []
        found |= dict.fromkeys(begins or [name], field_told)
    return found


def _object_fault(shape: Shape, fields: Fields, value: dict[str, Any]) -> str:
    if shape.fields is None:
        return "an object somewhere"
    if shape.member is not None:
        return ""
    missing = [name for name, (optional, _) in fields.items() if not optional and name not in value]
    hidden = [] if shape.is_open else [name for name in value if name not in fields]
    return f"{missing[0]} is missing somewhere" if missing else f"{hidden[0]} is not told of" if hidden else ""
