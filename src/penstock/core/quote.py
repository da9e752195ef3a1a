"""Texts as JSON strings and back."""

from __future__ import annotations

import json

import msgspec


def quote(text: str) -> bytes:
    """A text as a JSON string, for showing: what UTF-8 cannot carry is replaced."""
    return msgspec.json.encode(text.encode("utf-8", "replace").decode())


def quote_exactly(text: str) -> bytes:
    """A text as a JSON string that reads back as the same text, lone surrogates included (as escapes)."""
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        return json.dumps(text).encode()


def unquote(literal: bytes) -> str:
    """The text of a JSON string; the standard parser takes the lone surrogates that msgspec refuses."""
    try:
        return msgspec.json.decode(literal, type=str)
    except msgspec.DecodeError:
        return str(json.loads(literal))
