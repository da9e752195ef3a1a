"""The ways to narrow a result: which part of the items each leaves, and the reason to give for it.

How to ask for it is told elsewhere: ``calls`` asks the tool, ``held`` reads what is held. Of the same ``kind`` at most
two are suggested, rather of two groups than of one (two fields rather than two values of a field); two narrowings
that are about the same say the same in two ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from penstock.core.json.path import shorten
from penstock.core.suggest.words import dotted, percent

if TYPE_CHECKING:
    from collections.abc import Hashable

    from penstock.core.suggest.rows import Part
    from penstock.core.toolkit.fields import FieldPath

LONGEST_NAME: Final = 100  # characters of a directory in a reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How to speak of the items: ``noun`` is what they are called."""

    noun: str
    total: int
    exact: bool

    def some(self, part: Part) -> str:
        """``41 of 312 matches``."""
        return f"{'' if self.exact else 'about '}{part.count:,} of {self.total:,} {self.noun}"


class Narrowing(Protocol):
    """What every way to narrow can tell of itself."""

    @property
    def kind(self) -> str: ...

    @property
    def group(self) -> Hashable: ...

    @property
    def about(self) -> Hashable: ...

    def why(self, say: Wording, /) -> str:
        """The reason, in words that a model understands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Having:
    """The items that have one value in a field."""

    kind: ClassVar[str] = "value"
    field: FieldPath
    value: str | int | bool
    part: Part

    @property
    def group(self) -> Hashable:
        return self.field

    @property
    def about(self) -> Hashable:
        return self.field, self.value

    def why(self, say: Wording, /) -> str:
        value = f'"{self.value}"' if isinstance(self.value, str) else str(self.value).lower()
        return f"{say.some(self.part)} have {dotted(self.field)} {value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Under:
    """The items whose path lies under a directory.

    ``prefix`` is what their paths begin with, as the data writes it; ``directory`` is how people and globs write it
    (None for an address on the net) and ``inside`` is the directory within the one that all paths share.
    """

    kind: ClassVar[str] = "place"
    field: FieldPath
    prefix: str
    directory: str | None
    inside: str
    part: Part

    @property
    def group(self) -> Hashable:
        return self.inside.partition("/")[0]

    @property
    def about(self) -> Hashable:
        return self.prefix

    def why(self, say: Wording, /) -> str:
        return f"{say.some(self.part)} are under {shorten(self.directory or self.prefix, LONGEST_NAME)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The items whose path ends with an extension."""

    kind: ClassVar[str] = "ending"
    field: FieldPath
    extension: str
    part: Part

    @property
    def group(self) -> Hashable:
        return self.extension

    about = group

    def why(self, say: Wording, /) -> str:
        return f"{say.some(self.part)} are in {self.extension} files"


@dataclass(frozen=True, slots=True, kw_only=True)
class Except:
    """The items whose path does not lie in a directory; ``hidden`` is how many do."""

    kind: ClassVar[str] = "except"
    pattern: str
    name: str
    hidden: int
    part: Part

    @property
    def group(self) -> Hashable:
        return self.pattern

    about = group

    def why(self, say: Wording, /) -> str:
        name = shorten(self.name, LONGEST_NAME)
        return f"{self.hidden:,} {say.noun} are under {name}; without them {say.some(self.part)} are left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Newer:
    """The items from a time on (``moment`` in words); ``literal`` is that time as the data writes it, if the data can
    be compared by it."""

    kind: ClassVar[str] = "time"
    group: ClassVar[str] = "newer"
    field: FieldPath
    literal: str | int | None
    time: int
    moment: str
    part: Part

    @property
    def about(self) -> Hashable:
        return self.time

    def why(self, say: Wording, /) -> str:
        return f"{say.some(self.part)} are from {self.moment} on, by {dotted(self.field)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Older:
    """The items before a time."""

    kind: ClassVar[str] = "time"
    group: ClassVar[str] = "older"
    field: FieldPath
    time: int
    moment: str
    part: Part

    @property
    def about(self) -> Hashable:
        return -self.time

    def why(self, say: Wording, /) -> str:
        return f"{say.some(self.part)} are from before {self.moment}, by {dotted(self.field)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Without:
    """All items without some heavy fields; ``share`` of the items' bytes is in those. ``light`` are the others."""

    kind: ClassVar[str] = "fields"
    group: ClassVar[str] = "fields"
    heavy: tuple[FieldPath, ...]
    light: tuple[FieldPath, ...]
    share: float
    part: Part

    @property
    def about(self) -> Hashable:
        return self.heavy

    def why(self, _say: Wording, /) -> str:
        names = " and ".join(map(dotted, self.heavy))
        verb = "is" if len(self.heavy) == 1 else "are"
        return f"{names} {verb} {percent(self.share)} of the bytes; this leaves {names} out"


@dataclass(frozen=True, slots=True, kw_only=True)
class LightPage:
    """The first page of the items, without their heavy fields: for when all of them are too much even so."""

    kind: ClassVar[str] = "fields"
    group: ClassVar[str] = "fields"
    without: Without

    @property
    def about(self) -> Hashable:
        return self.without.about

    def why(self, say: Wording, /) -> str:
        return f"{self.without.why(say)} of the first page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """The items in a directory itself, and in none below it."""

    kind: ClassVar[str] = "depth"
    group: ClassVar[str] = "direct"
    directory: str
    part: Part

    @property
    def about(self) -> Hashable:
        return self.directory

    def why(self, say: Wording, /) -> str:
        where = shorten(self.directory, LONGEST_NAME) or "the top directory"
        return f"{say.some(self.part)} lie in {where} itself, the others below it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shallow:
    """A tree down to a depth; ``share`` of its bytes is that high up."""

    kind: ClassVar[str] = "depth"
    depth: int
    share: float

    @property
    def group(self) -> Hashable:
        return self.depth

    about = group

    def why(self, _say: Wording, /) -> str:
        return f"{percent(1 - self.share)} of the bytes are below depth {self.depth}"


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """The first so many items."""

    kind: ClassVar[str] = "first"
    group: ClassVar[str] = "items"
    part: Part

    @property
    def about(self) -> Hashable:
        return self.part.count

    def why(self, say: Wording, /) -> str:
        return f"the first {self.part.count:,} of {say.total:,} {say.noun} fit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """The beginning of a text: so many ``unit`` of it."""

    kind: ClassVar[str] = "first"
    group: ClassVar[str] = "text"
    length: int
    unit: str

    @property
    def about(self) -> Hashable:
        return self.unit

    def why(self, _say: Wording, /) -> str:
        return f"the first {self.length:,} {self.unit} of it fit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarming:
    """The lines that have one of these words in them."""

    kind: ClassVar[str] = "search"
    pattern: str
    part: Part

    @property
    def group(self) -> Hashable:
        return self.pattern

    about = group

    def why(self, say: Wording, /) -> str:
        return f"{say.some(self.part)} have {self.pattern.replace('|', ' or ')} in them"
