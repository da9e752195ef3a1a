"""A language server that publishes the diagnostics of a file in two parts when it is opened, and answers no question
about them. A file that begins with "end" ends it. With "once" it publishes nothing for a file that it has seen with
the same text, until it is told of a change.

    python publishing_language_server.py [once]
"""

from __future__ import annotations

import asyncio
import os
import sys

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

server = LanguageServer("publishing", "1")


seen: dict[str, str] = {}


async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
    uri, text = params.text_document.uri, params.text_document.text
    if text.startswith("end"):
        os._exit(3)
    if sys.argv[1:] != ["once"] or seen.get(uri) != text:
        await publish(uri, text)
    seen[uri] = text


async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
    await publish(params.text_document.uri, params.content_changes[0].text)


async def publish(uri: str, text: str) -> None:
    found: list[lsp.Diagnostic] = []
    for row, line in enumerate(text.splitlines()):
        if "wrong" in line:
            place = lsp.Range(lsp.Position(row, 0), lsp.Position(row, len(line)))
            found.append(lsp.Diagnostic(range=place, message="is wrong", severity=lsp.DiagnosticSeverity.Warning))
    for part in (found[:1], found):
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=part))
        await asyncio.sleep(0.01)


if __name__ == "__main__":
    server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)(opened)
    server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)(changed)
    server.start_io()
