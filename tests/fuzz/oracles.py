"""What must hold of every answer, found out by other parsers and a real vocabulary than those of the package."""

from __future__ import annotations

import json
import re
import sys
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import splintr

from tests.kit.answers import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEDIA: Final = 1_600  # tokens of a picture; clients do not hand over the text that encodes it
PIECE: Final = 20_000  # characters that are counted at once; a cut costs a token at the most
DEEPEST: Final = 20_000  # levels of JSON in a case, and more
LONGEST: Final = 4_000  # digits of an integer that Python converts
HANDLE: Final = re.compile(r"\br_[\w-]{22}")
_SIGNS = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]')


@cache
def _vocabulary() -> splintr.AnyTokenizer:
    return splintr.Tokenizer.from_pretrained("o200k_base")


def tokens(data: str) -> int:
    """Count the tokens of a text by the real vocabulary; the cuts between pieces are not charged."""
    clean = data.encode("utf-8", "replace").decode()
    pieces = [clean[at : at + PIECE] for at in range(0, len(clean), PIECE)]
    return sum(len(_vocabulary().encode_ordinary(one)) for one in pieces) - max(0, len(pieces) - 1)


def loaded(raw: bytes) -> Any:
    """Read JSON as a lenient client does: half an emoji, and numbers of any length, in the spelling that came."""
    with _deep():
        return json.loads(raw.decode("utf-8", "surrogatepass"), parse_int=Spelled, parse_float=Spelled)


def read(data: str | bytes) -> Any:
    """Read an answer; an integer of too many digits stays a text."""
    return json.loads(data, parse_int=lambda digits: int(digits) if len(digits) <= LONGEST else digits)


@contextmanager
def _deep() -> Iterator[None]:
    """Let the parser of the standard library go down as deep as cases do."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(DEEPEST)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def pairs(data: str) -> list[str] | None:
    """Read JSON as a flat list of its signs: every key, also one that comes twice, and numbers as they were spelled.
    None for what is no JSON to any client."""
    try:
        loaded(data.encode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return [_sign(one) for one in _SIGNS.findall(data)]


def _sign(spelled: str) -> str:
    """A string in one spelling; any other sign as it is."""
    return json.dumps(json.loads(spelled)) if spelled.startswith('"') else spelled


class Spelled(str):
    """A number as it was spelled; a text of the same characters is not equal to it."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spelled) and str.__eq__(self, other)

    __hash__ = str.__hash__


def cost(raw: bytes) -> int:
    """Count what a result costs a client: its JSON as it is written, a picture as a picture."""
    data = raw.decode("utf-8", "surrogatepass")
    media = 0
    for one in _blocks(raw):
        encoded = _media(one)
        if len(encoded) > MEDIA:
            media += MEDIA
            data = data.replace(encoded, "", 1)
    return tokens(data) + media


def _blocks(raw: bytes) -> list[Any]:
    value = _loaded_or_none(raw)
    content = value.get("content") if isinstance(value, dict) else None
    return content if isinstance(content, list) else []


def _media(block: Any) -> str:
    """Return the base64 of a picture, a sound or a file."""
    if not isinstance(block, dict):
        return ""
    inner = block.get("resource") if block.get("type") == "resource" else block
    found = inner.get("blob" if inner is not block else "data") if isinstance(inner, dict) else None
    return found if isinstance(found, str) and block.get("type") in ("image", "audio", "resource") else ""


def _loaded_or_none(raw: bytes) -> Any:
    try:
        return loaded(raw)
    except (ValueError, RecursionError):
        return None


def notice_of(answer: bytes) -> dict[str, Any] | None:
    """Return the notice of an answer that stands in for a held result."""
    blocks = _blocks(answer)
    first = blocks[0].get("text") if blocks and isinstance(blocks[0], dict) else None
    line = first.partition("\n")[0].encode("utf-8", "surrogatepass") if isinstance(first, str) else b""
    told = _loaded_or_none(line)
    return told if isinstance(told, dict) and told.get("type") == "buffered_response" else None


def handles(answer: bytes) -> list[str]:
    """Return the handles in an answer, each once."""
    return list(dict.fromkeys(HANDLE.findall(answer.decode("utf-8", "surrogatepass"))))


def windows(fetch: Callable[[dict[str, Any]], bytes], handle: str, length: int, most: int) -> tuple[bytes, bool]:
    """Read a held result by its windows, at most so many; the text in bytes, and whether it is all of it."""
    found: list[str] = []
    at = 0
    for _ in range(most):
        answer = fetch({"action": "get", "cache_id": handle, "start_index": at, "max_length": length})
        told = read(answer)
        assert not told.get("isError"), told["content"][0]["text"]
        line = read(told["content"][0]["text"].partition("\n")[0])
        where = line.get("data", line)  # in the style ``data`` it stands there
        found.append(text_of(told))
        assert where["start_index"] == at, where
        assert len(found[-1].encode("utf-16-le", "surrogatepass")) > 0 or not where["has_more"], where
        assert where["end_index"] - at == len(found[-1]), (where, len(found[-1]))
        if not where["has_more"]:
            return _utf8("".join(found)), True
        assert where["next_index"] == where["end_index"] > at, where
        at = where["next_index"]
    return _utf8("".join(found)), False


def _utf8(data: str) -> bytes:
    """Encode a text whose halves of an emoji may have come in two windows."""
    return data.encode("utf-8", "surrogatepass")


def strings_in(value: Any) -> Iterator[str]:
    """Walk through all strings of a JSON value."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            waiting += one.values()


def is_kept(data: str, held: list[bytes]) -> bool:
    """Whether a text is in what is held: as it came, or in a string of a JSON document, or of one in such a string."""
    raw = data.encode("utf-8", "surrogatepass")
    if any(raw in one for one in held):
        return True
    strings = [one for held_one in held for one in strings_in(_loaded_or_none(held_one))]
    if any(data in one for one in strings):
        return True
    inner = [_loaded_or_none(one.encode("utf-8", "surrogatepass")) for one in strings if one.startswith(("[", "{"))]
    return any(data in one for one in strings_in(inner))
