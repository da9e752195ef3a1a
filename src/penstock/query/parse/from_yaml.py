"""YAML as JSON, by rapidyaml. What jq sees of it:

- Several documents are an array of them, without empty ones; a single document is itself.
- Scalars that are not in quotes are null, true, false or numbers where YAML 1.2 and JSON agree that they are; all
  others are texts, as they are written: ``0x1F``, ``012``, ``1_000``, ``yes``, ``2026-01-01``, ``12e3456``.
- Aliases and merge keys are put in place. Comments are left out.
- A scalar with a tag of the document's own is a text that begins with it: ``!Ref Bucket``, ``!Sub a-${B}``. With
  ``!!str`` it is the text. The tags of sequences and mappings are left out.
- A document of Unity (``--- !u!4 &123``) is the object in it, with ``_id``, ``_class`` and ``_type`` before its fields.

A text with a key that stands twice in one mapping, or with a document that is a single scalar, is refused.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

import msgspec

from penstock.query.parse.refusal import Refusal

try:
    import ryml
except ImportError:
    ryml = None

MOST_GROWTH: Final = 10  # times the text that it may be with all aliases in place,
LEAST_GROWTH: Final = 1_000_000  # or so many bytes

_ALIAS = re.compile(rb"\*(?<![^\s\[,{:-]\*)[\w-]")  # begins with what is rare: five times as fast
_UNITY = re.compile(rb"^--- !u!([0-9]{1,9}) &(-?[0-9]{1,20})(?: stripped)?[ \t]*\r?$", re.MULTILINE)
_STRIPPED = re.compile(rb"^(--- !u![0-9]{1,9} &-?[0-9]{1,20}) stripped(?=[ \t]*\r?$)", re.MULTILINE)  # no YAML
_MARK = re.compile(rb"\n---(?=[ \t\r\n]|\Z)")
_ODD_NUMBER = re.compile(rb'"(?:[^"\\]|\\.)*+"|(?<![0-9.])[-+]?+[0-9][0-9.]*+[eE][-+]?+[0-9]{3,}+|\+(?=[0-9])')
# What YAML 1.2 has in three spellings, of which rapidyaml knows one.
_SPELLINGS: Final = {
    b"~": b"null",
    **{word: word.lower() for one in (b"null", b"true", b"false") for word in (one.capitalize(), one.upper())},
}

_Unity = list[dict[str, dict[str, msgspec.Raw]]]


def is_available() -> bool:
    return ryml is not None


def convert(text: bytes) -> tuple[bytes, dict[str, Any]]:
    """Return the documents as JSON, and how many there are."""
    if b"\x00" in text:
        raise Refusal("a NUL")
    body = _emitted(text)
    for word, value in _SPELLINGS.items():
        quoted = b'"' + word + b'"'
        if quoted in body and quoted not in text and b"'" + word + b"'" not in text:
            body = re.sub(rb'(?<!\\)"' + re.escape(word) + rb'"(?!:)', value, body)
    body = _checked(body)
    marks = len(_MARK.findall(b"\n" + text))
    is_stream = marks > 0 and body[:1] == b"["
    documents = msgspec.json.decode(body, type=list[msgspec.Raw]) if is_stream else [msgspec.Raw(body)]
    documents = [one for one in documents if bytes(one) != b"null"]
    if not documents or any(bytes(one)[:1] not in (b"{", b"[") for one in documents):
        raise Refusal("a document that is a scalar")
    figures = {"documents": len(documents), "unity": False}
    if marks and b"!u!" in text and len(_UNITY.findall(text)) == marks == len(documents):
        try:
            return _unity(text, msgspec.json.decode(body, type=_Unity)), {**figures, "unity": True}
        except msgspec.MsgspecError:
            pass  # a document that is not one object: they stay as they are
    if len(documents) == 1:
        return bytes(documents[0]), figures
    return b"[" + b",".join(map(bytes, documents)) + b"]", figures


def _emitted(text: bytes) -> bytes:
    """Return the JSON that rapidyaml writes, minified."""
    try:
        tree = ryml.parse_in_arena(_STRIPPED.sub(rb"\1", text) if b" stripped" in text else text)
        if _ALIAS.search(text):
            tree.resolve()
        if b" !" in text and b"!u!" not in text:
            _keep_tags(tree, len(text))
        body: bytes = ryml.emit_json(tree).encode()
    except (RuntimeError, ValueError, IndexError, ryml.ExceptionBasic) as error:
        raise Refusal(str(error)) from None
    if len(body) > max(LEAST_GROWTH, MOST_GROWTH * len(text)):
        raise Refusal("too large with all aliases in place")
    return body


def _keep_tags(tree: Any, size: int) -> None:
    """Put the tags of scalars before their texts."""
    tree.reserve_arena(tree.arena_size() + size)  # or it would be copied again and again
    for node in range(tree.size()):
        if not tree.has_val(node) or not tree.has_val_tag(node):
            continue
        tag = bytes(tree.val_tag(node)).decode()
        if tag == "!!str":
            tree.set_val_style(node, ryml.VAL_DQUO)
        elif not tag.startswith(("!!", "!<")) and tag != "!":
            value = tree.val(node)
            text = tag if value is None else f"{tag} {bytes(value).decode()}"
            tree._set_val(node, tree.to_arena(text), ryml.VAL_DQUO)  # its overloads have no other name


def _checked(body: bytes) -> bytes:
    """Return the JSON in few bytes, if no key stands twice: written anew it has as many keys as before."""
    try:
        values = msgspec.json.decode(body)
    except msgspec.MsgspecError:
        body = _ODD_NUMBER.sub(_as_json, body)
        try:
            values = msgspec.json.decode(body)
        except msgspec.MsgspecError as error:
            raise Refusal(str(error)) from None
    if msgspec.json.encode(values).count(b'":') != body.count(b'":'):
        raise Refusal("a key stands twice")
    return msgspec.json.format(body, indent=-1)


def _as_json(match: re.Match[bytes]) -> bytes:
    """Return a number as JSON has it: +1 without its sign, and as a text what no number can be, as the hash 12e3456."""
    text = match[0]
    if text[:1] == b'"':
        return text
    return b'"%b"' % text if len(text) > 1 and math.isinf(float(text)) else text.removeprefix(b"+")


def _unity(text: bytes, documents: _Unity) -> bytes:
    """Return the objects of Unity, each with what stands in the line before it."""
    parts: list[bytes] = []
    for match, document in zip(_UNITY.finditer(text), documents, strict=True):
        [(kind, fields)] = document.items() if len(document) == 1 else [("", {})]
        if not kind or not fields.keys().isdisjoint(("_id", "_class", "_type")):
            raise msgspec.ValidationError("not one object")
        head = b'{"_id":%d,"_class":%d,"_type":%b' % (int(match[2]), int(match[1]), msgspec.json.encode(kind))
        rest = msgspec.json.encode(fields)[1:]
        parts.append(head + (b"," if fields else b"") + rest)
    return b"[" + b",".join(parts) + b"]"
