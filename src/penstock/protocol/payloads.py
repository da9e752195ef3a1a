"""Find the payload in the result of each method, and put a stand-in in its place.

The gate knows tools' results only. ``open_result`` shows it any other result as if a tool had given it, and
``PayloadView.close`` puts the gate's answer back into the form that the client of that method expects. The gate gets
all that is in a result: what it does not see is not bounded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from penstock.core.answer.notice import encode
from penstock.core.answer.result import is_interim
from penstock.core.answer.stand_in import joined
from penstock.core.json.strings import quote_exactly
from penstock.protocol.stand_in import array, rendering_of
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.core.answer.stand_in import StandIn
    from penstock.protocol.stand_in import Members, Rendering

AROUND: Final = 300  # bytes of a task beside its result, or of a block beside its text, that stay in the stand-in
LONGEST_URI: Final = 200  # bytes; the notice has as much of it
HELD_URI: Final = b'"penstock:held"'  # where there is no other, or a longer one, and for the blocks behind a preview
ROLES: Final = (b'"user"', b'"assistant"')
ERROR_WORDS: Final = 300  # characters of an error's message that stay; clients show little more
LONGEST_CODE: Final = 20  # bytes of an error's code
OTHERS: Final = ("tasks/get", "resources/read", "prompts/get")  # methods whose results are no tool's
BESIDE: Final = "penstock/beside"  # in ``_meta``: the members that a tool's result has no place for


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadView:
    """A payload as a tool's result, and the way back: ``close`` takes the gate's answer, and the parts of the stand-in
    when the answer is one."""

    inner: bytes | memoryview  # of a tool's long result: it is read where it stands
    close: Callable[[bytes, StandIn | None], bytes]
    member: str = "result"  # of the message; an error's payload is in ``error``


def open_result(method: str, result: bytes | memoryview, *, ttl_ms: int | None = None) -> PayloadView | None:
    """Return the payload of a result. None for a task that is not done, and whose members are all short."""
    whole = bytes(result) if method in OTHERS else b""
    match method:
        case "tasks/get":
            opened = _open_task(whole)
        case "resources/read":
            opened = _open_resource(whole, ttl_ms)
        case "prompts/get":
            opened = _open_prompt(whole)
        case _:
            return as_it_is(result)
    if opened is None:
        return None
    inner, close = opened.inner, opened.close
    return replace(opened, close=lambda answer, parts: whole if answer == inner else close(answer, parts))


def open_error(error: bytes) -> PayloadView:
    """Return the payload of a JSON-RPC error. Its stand-in keeps the code, and says where the rest is."""
    members = _members(error)
    began = jsonrpc.text_at(error, "message")
    code = members.get("code", b"")
    kept = {"code": code if 0 < len(code) <= LONGEST_CODE else str(jsonrpc.INTERNAL_ERROR).encode()}

    def form(answer: Rendering) -> bytes:
        words = 0 if answer.is_least else ERROR_WORDS
        short = f"{began[:words]}…" if len(began) > words else began
        notice = {name: one for name, one in answer.notice.items() if name != "message" or not answer.is_short}
        message = quote_exactly(f"{short} [{answer.message}]")
        return _object({**kept, "message": message, "data": encode(notice)})

    def close(_: bytes, parts: StandIn | None) -> bytes:
        return error if parts is None else rendering_of(parts).without_preview().within(form)

    return PayloadView(inner=_result((), {"isError": b"true"}, structured=error), close=close, member="error")


def as_it_is(result: bytes | memoryview) -> PayloadView:
    """Return a tool's result as the payload that it is."""
    return PayloadView(inner=result, close=lambda answer, _: answer)


def _open_task(result: bytes) -> PayloadView | None:
    """Return the payload of a task: its result or error when it is done, else a long message of its status."""
    members = _members(result)
    names = () if _repeats(result) else ("result", "error")
    name = next((name for name in names if name in members), "")
    kept, long = _split(members, name)
    if not name:
        return _open_message(result, members, kept, long)
    within = open_error(members[name]) if name == "error" else as_it_is(members[name])

    def close(answer: bytes, parts: StandIn | None) -> bytes:
        if long:
            answer = _parted(answer)[0]
            parts = None if parts is None else replace(parts, members=tuple(_parted_members(parts)[0].items()))
        return _object({**(kept if parts else members), name: within.close(answer, parts)})

    return PayloadView(inner=_with_beside(bytes(within.inner), long), close=close)


def _open_message(result: bytes, members: Members, kept: Members, long: Members) -> PayloadView | None:
    """Return the payload of a task that still runs: the notice takes the place of its ``statusMessage``."""
    is_odd = not members or _repeats(result)
    if not is_odd and not long:
        return None

    def form(answer: Rendering) -> bytes:
        return _object({**kept, "statusMessage": quote_exactly(answer.line.decode())})

    def close(_: bytes, parts: StandIn | None) -> bytes:
        return result if parts is None else rendering_of(parts).without_preview().within(form)

    inner = result if is_interim(members) else _result((), {}, structured=result if is_odd else _object(long))
    return PayloadView(inner=inner, close=close)


def _split(members: Members, own: str) -> tuple[Members, Members]:
    """Split the members of a task beside its result: those short enough to stay, and those that are not."""
    kept: Members = {}
    long: Members = {}
    room = AROUND
    for name, one in members.items():
        if name == own:
            continue
        taken = len(name) + len(one)
        (kept if taken <= room else long)[name] = one
        room -= taken if taken <= room else 0
    return kept, long


def _open_resource(result: bytes, ttl_ms: int | None) -> PayloadView:
    members = _members(result)
    contents = _items(members.get("contents", b""))
    uri = _members(contents[0]).get("uri", b"") if contents else b""

    def entry(block: bytes, uri: bytes) -> bytes:
        fields = _members(block)
        return fields.get("resource") or _object({"uri": uri, "text": fields.get("text", b'""')})

    def form(answer: Rendering) -> bytes:
        first, *rest = answer.blocks
        known = uri[:1] == b'"' and len(uri) <= LONGEST_URI and not answer.is_short
        entries = [entry(first, uri if known else HELD_URI), *(entry(block, HELD_URI) for block in rest)]
        kept, beside = _kept(answer)
        return _object({"contents": array(entries), **beside, **_freshness(members, ttl_ms), **kept})

    def close(answer: bytes, parts: StandIn | None) -> bytes:
        if parts is not None:
            return rendering_of(parts).within(form)
        bare, beside = _parted(answer)
        kept = _members(bare)
        contents = array(entry(block, uri) for block in _items(kept.pop("content")))
        return _object({"contents": contents, **beside, **kept})

    single = [_embedded(contents[0])] if len(contents) == 1 and _is_plain(contents[0]) else []
    return PayloadView(inner=_inner(result, members, "contents", single), close=close)


def _freshness(members: Members, ttl_ms: int | None) -> Members:
    """Return how long a stand-in may be cached: by this client alone, and no longer than its handle opens."""
    if "ttlMs" not in members:
        return {"cacheScope": b'"private"'} if "cacheScope" in members else {}
    ttl = jsonrpc.value(members["ttlMs"])
    fresh = ttl if isinstance(ttl, int) and ttl > 0 else 0
    return {"ttlMs": b"%d" % (fresh if ttl_ms is None else min(fresh, ttl_ms)), "cacheScope": b'"private"'}


def _embedded(content: bytes) -> bytes:
    return b'{"type":"resource","resource":' + content + b"}"


def _open_prompt(result: bytes) -> PayloadView:
    members = _members(result)
    messages = _items(members.get("messages", b""))
    first = _members(messages[0]) if messages else {}
    role = first.get("role") if first.get("role") in ROLES else None

    def messages_of(blocks: Iterable[bytes]) -> bytes:
        return array(_object({"role": role or ROLES[0], "content": block}) for block in blocks)

    def form(answer: Rendering) -> bytes:
        kept, beside = _kept(answer)
        return _object({**beside, "messages": messages_of(answer.blocks), **kept})

    def close(answer: bytes, parts: StandIn | None) -> bytes:
        if parts is not None:
            return rendering_of(parts).within(form)
        bare, beside = _parted(answer)
        kept = _members(bare)
        return _object({**beside, "messages": messages_of(_items(kept.pop("content"))), **kept})

    is_single = len(messages) == 1 and role and first.keys() == {"role", "content"} and not _repeats(messages[0])
    is_single = is_single and _is_plain(first["content"])
    return PayloadView(inner=_inner(result, members, "messages", [first["content"]] if is_single else []), close=close)


def _inner(result: bytes, members: Members, name: str, single: list[bytes]) -> bytes:
    """Write a resource or a prompt as a tool's result: with its one block, or whole as a structured value. A step of
    the protocol stays as it is."""
    if is_interim(members):
        return result
    if _repeats(result):
        return _result((), {}, structured=result)
    kept = {key: one for key, one in members.items() if key == "resultType" or (key == "_meta" and one[:1] == b"{")}
    beside = {key: one for key, one in members.items() if key not in kept and key != name}
    if single:
        return _with_beside(_result(single, kept), beside)
    whole = _object({name: members[name], **beside}) if name in members else result
    return _result((), kept, structured=whole)


def _with_beside(inner: bytes, beside: Members) -> bytes:
    """Put more members into the result's ``_meta``, where the gate counts them, and keeps or holds them."""
    if not beside:
        return inner
    members = _members(inner)
    if "content" not in members and "structuredContent" not in members:  # no tool's result: nothing could be put in it
        members = {"content": b"[]", "structuredContent": inner}
    meta = {**_members(members.get("_meta", b"")), BESIDE: _object(beside)}
    return _object({**members, "_meta": _object(meta)})


def _parted(answer: bytes) -> tuple[bytes, Members]:
    """Take those members out again. Returns the answer without them, and the members that the gate kept."""
    members = _members(answer)
    meta = _members(members.pop("_meta", b""))
    beside = _members(meta.pop(BESIDE, b""))
    return _object({**members, **({"_meta": _object(meta)} if meta else {})}), beside


def _parted_members(parts: StandIn) -> tuple[Members, Members]:
    """Split what a stand-in has beside its blocks: members of a tool's result, and of the method's own."""
    bare, beside = _parted(_object(dict(parts.members)))
    return _members(bare), beside


def _kept(answer: Rendering) -> tuple[Members, Members]:
    bare, beside = _parted_members(answer.parts)
    return bare, {} if answer.is_least else beside


def _is_plain(block: bytes) -> bool:
    """Return True if nearly all of a block is its text or data, which is what the gate holds of it."""
    members = _members(block)
    members = _members(members.get("resource", b"")) or members
    return len(block) - max(len(members.get(name, b"")) for name in ("text", "blob", "data")) <= AROUND


def _result(blocks: Iterable[bytes], members: Members, *, structured: bytes | None = None) -> bytes:
    """Write a tool's result with these blocks, or with this value."""
    more = {} if structured is None else {"structuredContent": structured}
    return _object({"content": array(blocks), **more, **members})


def _members(value: bytes) -> Members:
    """Split an object into its members; empty for what is no object."""
    try:
        return dict(jsonrpc.members(value))
    except ValueError:
        return {}


def _repeats(value: bytes) -> bool:
    """Return True if an object has several members of one name. ``_members`` has the last of them only."""
    try:
        return len(jsonrpc.members(value)) > len(_members(value))
    except ValueError:
        return False


def _object(members: Members) -> bytes:
    return joined(members.items())


def _items(value: bytes) -> list[bytes]:
    try:
        return jsonrpc.items(value)
    except ValueError:
        return []
