"""The process of a language server, and the client that speaks with it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from penstock import UpstreamError

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Mapping, Sequence

LISTEN_SECONDS: Final = 1.0  # for the last words of one that has ended; a child of its own may hold the pipe open
TAIL: Final = 500  # bytes of its last words that are told when it ends by itself
AGAIN: Final = "repeat the call: the language server is started anew"


class Client(LanguageClient):
    """Has a process, answers what servers ask of an editor, and keeps the diagnostics that they publish."""

    process: Process
    capabilities: lsp.ServerCapabilities
    _listening: asyncio.Task[None]
    tail: bytes = b""
    is_ready: bool = False
    answers_diagnostics: bool | None = None  # None: it was not asked yet

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__("penstock-code", "1")
        self.published: dict[Path, Sequence[lsp.Diagnostic]] = {}
        self.has_published = asyncio.Event()
        self.partial: dict[str, list[lsp.Location]] = {}

        def configuration(params: lsp.ConfigurationParams) -> list[Any]:
            return [settings.get(item.section or "") for item in params.items]

        def publish(params: lsp.PublishDiagnosticsParams) -> None:
            self.published[path_of(params.uri)] = params.diagnostics
            self.has_published.set()

        def progress(params: lsp.ProgressParams) -> None:
            locations = self.partial.get(str(params.token))
            if locations is not None:
                locations += self.protocol._converter.structure(params.value, list[lsp.Location])

        self.feature(lsp.PROGRESS)(progress)
        self.feature(lsp.WORKSPACE_CONFIGURATION)(configuration)
        self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(publish)
        for name in (lsp.CLIENT_REGISTER_CAPABILITY, lsp.WINDOW_WORK_DONE_PROGRESS_CREATE):
            self.feature(name)(_nothing)

    async def start(self, command: Sequence[str], folder: Path) -> None:
        """Start the process, and read its stderr: a process whose stderr is full would wait."""
        await self.start_io(*command, cwd=str(folder))
        if self._server is None:
            raise UpstreamError("the language server was not started", do=AGAIN)
        self.process = self._server
        self._listening = asyncio.create_task(self._listen())
        self._async_tasks.append(self._listening)

    async def last_words(self) -> UpstreamError:
        """Return the error to raise when the process has ended by itself."""
        code = await self.process.wait()
        await asyncio.wait({self._listening}, timeout=LISTEN_SECONDS)
        words = self.tail.decode("utf-8", "replace").strip()
        return UpstreamError(f"the language server ended with code {code}{': ' if words else ''}{words}", do=AGAIN)

    async def _listen(self) -> None:
        while self.process.stderr is not None and (words := await self.process.stderr.read(65_536)):
            self.tail = (self.tail + words)[-TAIL:]


def path_of(uri: str) -> Path:
    """Return the path of a file's address; servers escape the same name in different ways."""
    return Path(url2pathname(urlsplit(uri).path))


def _nothing(_: Any) -> None:
    return None
