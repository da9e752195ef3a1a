"""Put held results into the arguments of a call, where strings name them: ``held:r_...``, or that and a path.

The caller has to own every one of them, and the setting ``by_handle`` has to let it go to the target. Either all
references are replaced or none is: an error means that nothing may be sent. A handle without ``held:`` is an error for
every tool that is not read-only.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from penstock.core.act.argument_schema import ArgumentSchema
from penstock.core.act.references import as_argument, bare_handles, find_references, replaced
from penstock.core.json.lookup import span_at
from penstock.core.json.path import parse, render
from penstock.core.json.strings import quote_exactly, unquote_to_bytes
from penstock.core.text import shorten
from penstock.digest import hex_digest
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.config.model import Rule
    from penstock.core.act.references import Reference
    from penstock.gate.held import HeldReader

    OpenHandle = Callable[[str], HeldReader]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The tool that a call is for, as far as it is known. ``server`` is the name that ``Gate.decide`` was
    given for its results; None where it is not known. With ``mirrors`` clients repeat arguments in headers where the
    schema wants that."""

    tool: str
    server: str | None = ""
    schema: Mapping[str, Any] | None = None
    read_only: bool = False
    mirrors: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """One held result that was passed, for the log: neither its handle nor its content."""

    handle: str  # a digest of it
    size: int  # bytes of the text, or of the JSON value
    sha256: str  # of these bytes
    tool: str

    def __str__(self) -> str:
        return f"passed held result #{self.handle} to {self.tool[:128]!r}: {self.size:,} bytes, sha256 {self.sha256}"


def filled(
    arguments: bytes, target: Target, rule: Rule, open_handle: OpenHandle, open_text: OpenHandle
) -> tuple[bytes, list[Passed]]:
    """Return the arguments with all references replaced, and what was passed. ``open_text`` opens a held text without
    the tables that a path may need."""
    references = find_references(arguments)
    if not target.read_only:
        _check_bare(arguments, target, open_text)
    if not references:
        return arguments, []
    _check_target(target, rule)
    filling = _Filling(
        target, rule, len(arguments), lambda one: (open_text if one.path is None else open_handle)(one.handle)
    )
    whole = replaced(arguments, references, filling.value)
    return whole, filling.passed


def _check_bare(arguments: bytes, target: Target, open_text: OpenHandle) -> None:
    """Refuse a handle without ``held:`` for a tool that may write: it would write the handle over the caller's data. A
    string that is the handle of nothing that the caller holds is data."""
    for handle in bare_handles(arguments):
        with suppress(CallerError):
            open_text(handle)
            break
    else:
        return
    raise CallerError(
        f"{shorten(target.tool)} was not called: {handle} alone is only the name of a stored result",
        do=f"write held:{handle} to pass the stored result itself, or held:{handle} .path for a part of it",
    )


def _check_target(target: Target, rule: Rule) -> None:
    """Refuse a tool that nothing may be passed to."""
    tool = shorten(target.tool)
    if rule.by_handle == "off":
        raise CallerError(f"by_handle is off for {tool}: no held result is passed to it", do="write the argument out")
    if rule.by_handle.endswith("read-only") and not target.read_only:
        raise CallerError(
            f"{tool} is not marked as read-only, and by_handle is {rule.by_handle}", do="write the argument out"
        )


class _Filling:
    """One call whose references are replaced. Each held result is opened once."""

    def __init__(self, target: Target, rule: Rule, size: int, open_handle: Callable[[Reference], HeldReader]) -> None:
        self._target = target
        self._rule = rule
        self._open_handle = open_handle
        self._schema = None if target.schema is None else ArgumentSchema(target.schema)
        self._opened: dict[tuple[str, bool], HeldReader] = {}
        self._size = size
        self.passed: list[Passed] = []

    def value(self, reference: Reference) -> bytes:
        """Return the JSON that takes the place of a reference."""
        if self._target.mirrors and self._schema is not None and self._schema.is_mirrored(reference.way):
            raise CallerError(
                f"the argument {shorten(render(reference.way))} is repeated in a header, which no held result can be",
                do="write it out",
            )
        key = (reference.handle, reference.path is None)
        if key not in self._opened:
            self._opened[key] = self._checked(reference)
        value, content = self._read(self._opened[key], reference)
        self._size += len(value) - (reference.end - reference.start)
        self._check_size(0)
        self.passed.append(_noted(reference.handle, content, self._target.tool))
        return value

    def _checked(self, reference: Reference) -> HeldReader:
        """Open a held result that may go to the target."""
        opened, server = self._open_handle(reference), self._target.server
        if self._rule.by_handle.startswith("same") and (server is None or opened.server != server):
            raise CallerError(
                "this held result comes from another server than the tool, and by_handle lets it go back to its own",
                do="write the argument out; the user may set by_handle to any",
            )
        return opened

    def _read(self, opened: HeldReader, reference: Reference) -> tuple[bytes, bytes]:
        """Return the JSON that a reference stands for, and its content: the text, or the same JSON."""
        path = opened.text_path if reference.path is None else parse(reference.path)
        if path == () and reference.path is None:
            self._check_size(opened.held.size("raw"))
            text = opened.held.read(0, opened.held.size("raw"))
            return _quoted(text), text
        source = opened.source_of(path or ())
        root = source.index.root
        if source.index.is_text or root is None:
            raise CallerError("a held text has no paths", do="pass it whole: held: and the handle alone")
        start, end = span_at(source.index, source.read, path or ())
        self._check_size(end - start)
        is_whole = not path and root.kind == "records"
        value = root.joined(source.read) if is_whole else source.read(start, end).strip()
        content = unquote_to_bytes(value) if value[:1] == b'"' else value
        return as_argument(value, None if self._schema is None else self._schema.accepted(reference.way)), content

    def _check_size(self, more: int) -> None:
        if self._size + more > self._rule.max_argument_bytes:
            raise CallerError(
                f"with this held result the arguments have {self._size + more:,} bytes, "
                f"and max_argument_bytes is {self._rule.max_argument_bytes:,}",
                do="pass a part of it: held:HANDLE .path, or the handle of a filtered result",
            )


def _quoted(text: bytes) -> bytes:
    try:
        return quote_exactly(text.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        raise CallerError("this held result is not valid UTF-8, so no argument can be it") from None


def _noted(handle: str, content: bytes, tool: str) -> Passed:
    digest = hex_digest(handle.encode(), 8)
    return Passed(handle=digest, size=len(content), sha256=sha256(content).hexdigest(), tool=tool)
