"""A language server that fails at its first question, and answers when it is started again.

    python failing_language_server.py crash|hang|refuse|begin|late MARKER
    python failing_language_server.py lacking

MARKER is a file that tells the second start from the first. One that can only begin tells a reference, and hangs. A
late one tells its references when MARKER is gone. A lacking one does not start, as something is missing. MARKER.asked
has a line for each question about references.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

server = LanguageServer("frail", "1")


def document_symbols(_: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    marker = Path(sys.argv[2])
    if not marker.exists() and sys.argv[1] != "late":
        marker.write_text(str(os.getpid()))
        if sys.argv[1] == "crash":
            sys.stderr.write("out of memory, so to say\n")
            sys.stderr.flush()
            os._exit(7)
        if sys.argv[1] == "hang":
            threading.Event().wait()
        raise ValueError("no symbols today")
    place = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))
    return [lsp.DocumentSymbol(name="answered", kind=lsp.SymbolKind.Function, range=place, selection_range=place)]


def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
    with Path(f"{sys.argv[2]}.asked").open("a") as asked:
        asked.write("references\n")
    place = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))
    location = lsp.Location(uri=params.text_document.uri, range=place)
    if sys.argv[1] == "late":
        while Path(sys.argv[2]).exists():
            threading.Event().wait(0.02)
        return [location]
    if params.partial_result_token is not None:
        server.protocol.notify(lsp.PROGRESS, lsp.ProgressParams(token=params.partial_result_token, value=[location]))
    threading.Event().wait()
    return []


def initialize(_: lsp.InitializeParams) -> None:
    raise ValueError("no compiler")


if __name__ == "__main__":
    if sys.argv[1] == "lacking":
        server.feature(lsp.INITIALIZE)(initialize)
    if sys.argv[1] in ("begin", "late"):
        Path(sys.argv[2]).touch()
        server.feature(lsp.TEXT_DOCUMENT_REFERENCES)(references)
    server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(document_symbols)
    server.start_io()
