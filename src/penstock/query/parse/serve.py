"""Texts in, JSON out, one after the other, until the pipe is closed: what runs in a worker process for conversions."""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.query.parse import from_html, from_python, from_toml, from_xml, from_yaml
from penstock.query.parse.refusal import Refusal
from penstock.query.sandbox import frames
from penstock.query.sandbox.jobs import Job, ParseText

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

_PARSERS: Final = {
    "yaml": from_yaml.convert,
    "xml": from_xml.convert,
    "html": from_html.convert,
    "toml": from_toml.convert,
    "python": from_python.convert,
}
_SAMPLES: Final = {
    "yaml": b"- a: &b 1.5\n  c: *b\n",
    "xml": b"<a b='1'><c>d</c></a>",
    "html": b"<h1>a</h1><p>b",
    "toml": b"a = 1\nb = 2026-01-01",
    "python": b"[(1, 'a', None, datetime.date(2026, 1, 1), UUID('0'))]",
}


def convert(language: str, text: bytes) -> tuple[bytes, dict[str, Any]]:
    """Return the text as JSON, and what the parser knows beside. Raise ``Refusal`` if the text is not what it looked
    like, or if the parser of this language is not installed."""
    if (language == "yaml" and not from_yaml.is_available()) or (language == "html" and not from_html.is_available()):
        raise Refusal("the parser is not installed")
    return _PARSERS[language](text)


def warm_up() -> None:
    """Do everything once that is done later, so that whatever reads files has done so.

    Objects of a text live until it is converted, none of them in cycles: looking for those would take half of the time.
    """
    for language, text in _SAMPLES.items():
        with suppress(Refusal):
            convert(language, text)
    gc.freeze()
    gc.disable()


def serve(
    incoming: BinaryIO, outgoing: BinaryIO, allow: Callable[[float, int], None], rest: Callable[[], None]
) -> None:
    """Say that we are ready, and convert until the other side hangs up."""
    _end(outgoing, frames.READY)
    while (frame := frames.read_frame(incoming)) is not None:
        job = msgspec.json.decode(frame[1], type=Job)
        allow(job.seconds, job.memory)
        language = job.work.language if isinstance(job.work, ParseText) else ""
        _end(outgoing, frames.READY, {"wanted": [0]})
        text = _text(incoming)
        _end(outgoing, frames.READY)
        frames.read_frame(incoming)  # FINISH
        kind, summary = frames.FAILED, dict[str, Any]()
        try:
            body, summary = convert(language, text)
            frames.write_pieces(outgoing, frames.OUTPUT, body)
            kind = frames.DONE
        except Refusal as refusal:
            summary = {"what": str(refusal), "do": ""}
        except MemoryError:
            summary = {"memory": True}
        except Exception as error:  # noqa: BLE001  # whatever a text does to a parser, it stays a text
            summary = {"what": type(error).__name__, "do": ""}
        rest()
        _end(outgoing, kind, {**summary, "held": {}})
        gc.collect()


def _text(incoming: BinaryIO) -> bytes:
    pieces: list[bytes] = []
    while (frame := frames.read_frame(incoming)) is not None and frame[0] == frames.DATA:
        pieces.append(frame[1])
    return b"".join(pieces)


def _end(outgoing: BinaryIO, kind: bytes, summary: dict[str, Any] | None = None) -> None:
    """Write the last frame of our turn."""
    frames.write_frame(outgoing, kind, b"" if summary is None else msgspec.json.encode(summary))
    outgoing.flush()
