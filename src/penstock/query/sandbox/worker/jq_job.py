"""A jq program, run on one text after the other. Each thing that comes out is written as JSON by jq itself.

jq computes in doubles, but ``tojson`` inside jq writes a number that nothing was done to with all its digits,
whereas its conversion to Python would not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol

from penstock.query.sandbox.worker.fault import Fault
from penstock.query.sandbox.worker.rows_of_text import as_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.query.sandbox.jobs import JqQuery
    from penstock.query.sandbox.worker.shelf import Shelf

try:
    import jq
except ImportError:
    jq = None

KEPT_PROGRAMS: Final = 16  # compiling takes some milliseconds, and the same few programs come again
# jq would end without a word. On one line, so that the program's own lines keep their numbers.
NO_HALT: Final = (
    'def halt: error("halt cannot be used here"); def halt_error: error("halt_error: \\(.)"); '
    "def halt_error($status): halt_error; "
)
NO_MORE: Final = "break"  # how jq says that ``input`` has nothing more to read


class _Program(Protocol):
    def input_text(self, text: str) -> Iterable[str]: ...


class JqJob:
    """Outputs stand on lines of their own; with ``collect`` they are the items of one array."""

    def __init__(self, query: JqQuery, shelf: Shelf) -> None:
        check(query.program)
        self._run = compiled(query.run)
        self._tail = None if query.tail is None else compiled(query.tail)
        self._collect = query.collect
        self._rows = query.rows
        self._key = query.key
        self._input = query.input
        self._shelf = shelf
        self._text = shelf.texts.get(query.key) if query.key else None
        self._kept: list[bytes] = []
        self._outputs = 0

    @property
    def wanted(self) -> list[int]:
        """Return what has to be sent: nothing, where a text was turned into JSON before."""
        return [0] if self._text is None else []

    def feed(self, text: bytes, _note: int, _first: int) -> Iterator[bytes]:
        if self._rows is not None:
            text = as_json(text, self._rows)
            if self._key:
                self._shelf.texts[self._key] = text
        yield from self._outputs_of(text)

    def _outputs_of(self, text: bytes) -> Iterator[bytes]:
        inputs = self._run.input_text(text.decode())
        del text  # jq has a copy of its own, and the text may be large
        for output in self._encoded(inputs):
            if self._tail is not None:
                self._kept.append(output)
                continue
            if self._collect:
                yield b"," if self._outputs else b"["
            elif self._outputs:
                yield b"\n"
            yield output
            self._outputs += 1

    def finish(self) -> Iterator[bytes]:
        if self._text is not None:
            yield from self._outputs_of(self._text)
        if self._tail is not None:
            inputs = self._tail.input_text((b"[" + b",".join(self._kept) + b"]").decode())
            self._kept.clear()
            for output in self._encoded(inputs):
                yield b"\n" + output if self._outputs else output
                self._outputs += 1
        elif self._collect:
            yield b"]" if self._outputs else b"[]"
            self._outputs = 1

    def _encoded(self, inputs: Iterable[str]) -> Iterator[bytes]:
        try:
            for output in inputs:
                yield output.encode()
        except ValueError as error:
            what = str(error)
            if what == NO_MORE:
                what = "there is no further input to read: the whole result is the one input"
            raise Fault(f"jq: {what}", do=f"the input is {self._input}" if self._input else "") from None

    def summary(self) -> dict[str, Any]:
        return {"count": self._outputs}


@lru_cache(maxsize=KEPT_PROGRAMS)
def check(program: str) -> None:
    """Let jq read the program as it was written, so that its complaints name the right place."""
    if jq is None:
        raise Fault("filters need the jq package, which is not installed", do="install it: pip install jq")
    try:
        jq.compile(program)
    except ValueError as error:
        raise Fault(f"jq: {_complaint(str(error))}", do="correct the program") from None


@lru_cache(maxsize=KEPT_PROGRAMS)
def compiled(program: str) -> _Program:
    """Return the program with JSON texts as its outputs.

    Two line breaks, because a comment goes on behind the first when it ends in a backslash.
    """
    made: _Program = jq.compile(f"{NO_HALT}({program}\n\n) | tojson")
    return made


def _complaint(message: str) -> str:
    """Return jq's complaint about a program, without the program itself."""
    lines = [line.removeprefix("jq: error: ") for line in message.splitlines() if line.startswith("jq: error: ")]
    return "; ".join(line.replace(" at <top-level>,", " at").rstrip(":") for line in lines) or message
