"""The diagnostics of an open file. Servers tell them in three ways.

Some answer when they are asked (``textDocument/diagnostic``). TypeScript's server is asked in its own words: what it
publishes comes in parts, and a part says nothing of the next. All others publish, and then fall silent.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from code_server.language_client import Client

TSSERVER: Final = "typescript.tsserverRequest"
SILENCE: Final = 0.5  # seconds without a new publication: what came last is taken for all
SEVERITIES: Final = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "message": lsp.DiagnosticSeverity.Information,
    "suggestion": lsp.DiagnosticSeverity.Hint,
}


async def diagnostics_of(client: Client, path: Path) -> Sequence[lsp.Diagnostic]:
    """Return the diagnostics of a file that is open, in whichever way the server tells them."""
    if client.capabilities.diagnostic_provider is not None:
        document = lsp.TextDocumentIdentifier(path.as_uri())
        report = await client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(document))
        return report.items if isinstance(report, lsp.RelatedFullDocumentDiagnosticReport) else ()
    commands = client.capabilities.execute_command_provider
    if commands is not None and TSSERVER in commands.commands:
        return await _typescript(client, path)
    return await _published(client, path)


async def _typescript(client: Client, path: Path) -> list[lsp.Diagnostic]:
    diagnostics = []
    for question in ("syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"):
        params = lsp.ExecuteCommandParams(command=TSSERVER, arguments=[question, {"file": str(path)}])
        answer: Any = await client.workspace_execute_command_async(params)
        diagnostics += [_diagnostic(one) for one in answer.get("body") or ()]
    return diagnostics


def _diagnostic(entry: Mapping[str, Any]) -> lsp.Diagnostic:
    """Return what TypeScript's server says, in the words of the protocol: it counts from 1."""
    start, end = (
        lsp.Position(line=entry[side]["line"] - 1, character=entry[side]["offset"] - 1) for side in ("start", "end")
    )
    return lsp.Diagnostic(
        range=lsp.Range(start=start, end=end),
        message=entry["text"],
        code=entry.get("code"),
        severity=SEVERITIES.get(entry.get("category", "error"), lsp.DiagnosticSeverity.Error),
    )


async def _published(client: Client, path: Path) -> Sequence[lsp.Diagnostic]:
    while path not in client.published:
        client.has_published.clear()
        await client.has_published.wait()
    while True:
        client.has_published.clear()
        try:
            await asyncio.wait_for(client.has_published.wait(), SILENCE)
        except TimeoutError:
            return client.published[path]
