"""The diagnostics of an open file. Servers tell them in three ways.

Most answer when they are asked (``textDocument/diagnostic``), also some that do not say so when they start, so every
server is asked. TypeScript's server is asked in its own words: what it publishes comes in parts, and a part says
nothing of the next. All others publish, and then fall silent: such an answer says that there may be more.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcMethodNotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from code_server.language_client import Client

TSSERVER: Final = "typescript.tsserverRequest"
SILENCE: Final = 0.5  # seconds without a new publication: the last one is taken for all
NUDGE: Final = 2.0  # seconds until a file is announced once more: some servers publish nothing for one they know
SEVERITIES: Final = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "message": lsp.DiagnosticSeverity.Information,
    "suggestion": lsp.DiagnosticSeverity.Hint,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """The diagnostics of a file. ``published``: the server never says that these are all."""

    problems: Sequence[lsp.Diagnostic]
    published: bool = False


def publishes(client: Client) -> bool:
    """Return True if a server is known to answer no question about diagnostics."""
    return client.answers_diagnostics is False


async def diagnostics_of(client: Client, path: Path, announce: Callable[[], None]) -> FileReport:
    """Return the diagnostics of a file that is open, in whichever way the server tells them."""
    commands = client.capabilities.execute_command_provider
    if commands is not None and TSSERVER in commands.commands:
        return FileReport(problems=await _typescript(client, path))
    if client.answers_diagnostics is not False:
        params = lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(path.as_uri()))
        try:
            report = await client.text_document_diagnostic_async(params)
            client.answers_diagnostics = True
            return FileReport(problems=getattr(report, "items", ()))
        except JsonRpcMethodNotFound:
            client.answers_diagnostics = False
    return FileReport(problems=await _published(client, path, announce), published=True)


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


async def _published(client: Client, path: Path, announce: Callable[[], None]) -> Sequence[lsp.Diagnostic]:
    while path not in client.published:
        client.has_published.clear()
        try:
            await asyncio.wait_for(client.has_published.wait(), NUDGE)
        except TimeoutError:
            announce()
    while True:
        client.has_published.clear()
        try:
            await asyncio.wait_for(client.has_published.wait(), SILENCE)
        except TimeoutError:
            return client.published[path]
