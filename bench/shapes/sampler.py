"""Draw the values that results are made of: words, people, files, times, ids. The same seed gives the same values."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

WORD_TEXT: Final = (
    "the a to of and in is for that on it with as this be are not by from or an at if when we can has was will which "
    "after all also before between both call case change check client code column come config connection cost could "
    "current data default delay deploy detail device does each early empty entry error event every example existing "
    "fail field file first fix flag following found full given group handle have head here host image import index "
    "inside into issue item its job key last later layer length level limit line list load local log lookup long made "
    "main make many map measure memory merge message method missing mode module more most move name need network new "
    "next node none number object offset old only open option order other output over own package page parse part path "
    "pattern pending place point pool port previous process project queue range rate read reason record release remove "
    "replace report request reset response result retry return root route row rule run same sample schedule scope "
    "search second see send sensor server service session setting shape should show since size slow small some source "
    "stage start state status step still stop storage store stream string such system table target task team test than "
    "their them then there they thread time timeout token tool trace transfer tree true two type under unit until "
    "update upper usage user valid value version very view wait warning water window without word worker write you zone"
)
WORDS: Final = WORD_TEXT.split()
NAME_TEXT: Final = (
    "alder amber birch cedar coral dune ember fern flint garnet hazel heron iris jasper juniper kestrel lark linden "
    "maple merlin moss nettle oak opal osprey otter pebble pine quartz raven reed robin rowan sage sorrel spruce swift "
    "tern thistle topaz willow wren yarrow"
)
NAMES: Final = NAME_TEXT.split()
FIRST_TEXT: Final = "Ada Bela Chidi Dana Emil Farah Goran Hana Ines Jonas Kaya Lena Mateo Noor Olga Priya Rui Sven"
FIRST: Final = FIRST_TEXT.split()
LAST_TEXT: Final = "Abara Berg Costa Dietz Eklund Fischer Gupta Haddad Ito Jansen Kowalski Lindqvist Moreau Novak"
LAST: Final = LAST_TEXT.split()
FOLDERS: Final = ("api", "auth", "billing", "cache", "cli", "common", "core", "db", "http", "jobs", "models", "util")
START: Final = datetime(2026, 1, 5, 8, 30, tzinfo=UTC)
SYMBOLS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


class Sampler(random.Random):
    """A seeded source of values."""

    def words(self, number: int) -> str:
        return " ".join(self.choices(WORDS, k=number))

    def sentence(self, shortest: int = 5, longest: int = 16) -> str:
        return self.words(self.randint(shortest, longest)).capitalize() + "."

    def paragraph(self, sentences: int) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def name(self, parts: int = 2, joint: str = "-") -> str:
        return joint.join(self.choices(NAMES, k=parts))

    def identifier(self) -> str:
        return "_".join(self.choices(WORDS[30:], k=self.randint(1, 3)))

    def person(self) -> str:
        return f"{self.choice(FIRST)} {self.choice(LAST)}"

    def path(self, extension: str = "py") -> str:
        return f"src/{self.choice(FOLDERS)}/{self.choice(FOLDERS)}/{self.identifier()}.{extension}"

    def hex(self, length: int) -> str:
        return f"{self.getrandbits(4 * length):0{length}x}"

    def uuid(self) -> str:
        digits = self.hex(32)
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def token(self, length: int) -> str:
        """Draw text without words in it: a base64 value, a node id."""
        return "".join(self.choices(SYMBOLS, k=length))

    def address(self) -> str:
        return f"10.{self.randrange(256)}.{self.randrange(256)}.{self.randrange(1, 255)}"

    def version(self) -> str:
        return f"{self.randrange(12)}.{self.randrange(30)}.{self.randrange(20)}"

    def moment(self, number: int = 0, seconds: float = 61.0) -> datetime:
        """Draw the time of entry ``number`` of a series with one entry every ``seconds``, about."""
        return START + timedelta(seconds=number * seconds + self.random() * seconds)

    def stamp(self, number: int = 0, seconds: float = 3_601.0) -> str:
        return self.moment(number, seconds).strftime("%Y-%m-%dT%H:%M:%SZ")

    def maybe(self, value: T, chance: float = 0.5) -> T | None:
        return value if self.random() < chance else None

    def some(self, values: Sequence[T], most: int) -> list[T]:
        return self.sample(values, self.randint(0, min(most, len(values))))


def compact(value: Any) -> str:
    """Write JSON without spaces, as most services answer."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pretty(value: Any, indent: int = 2) -> str:
    """Write JSON over many lines, as command line tools print it."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def spaced(value: Any) -> str:
    """Write JSON as Python's ``json.dumps`` does unless told otherwise."""
    return json.dumps(value)


def grow(size: int, make: Callable[[int], T], write: Callable[[T], str] = compact) -> list[T]:
    """Make values numbered from 0 until they take ``size`` bytes as ``write`` writes them."""
    values: list[T] = []
    written = 0
    while written < size:
        value = make(len(values))
        values.append(value)
        written += len(write(value).encode()) + 1
    return values


def grow_lines(size: int, make: Callable[[int], str]) -> str:
    """Make lines, or groups of lines, numbered from 0 until they take ``size`` bytes together."""
    return "\n".join(grow(size, make, str)) + "\n"
