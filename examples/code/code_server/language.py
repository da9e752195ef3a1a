"""Language servers: each is a process that is started by the first question for it, and ended with this server.

Questions to one server are asked one after the other. Files that a question is about are opened before and closed after
it, so that the answer is about the files as they are now. A server that ends while it is asked is an ``UpstreamError``,
and the next question starts another one. One that gives no answer in time is a ``SlowError``: it may have to read a
large project first, so the next question waits for it as long again before it starts another. Should this process be
killed, the others read the end of their input, and end.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from code_server.diagnostics import diagnostics_of
from code_server.language_client import Client
from code_server.servers import KNOWN, Server
from penstock import UpstreamError
from server_parts.complaints import wrong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from code_server.folder import Folder

T = TypeVar("T")

MOST_OPENED: Final = 500  # files with the name in them; a server that reads no others takes seconds for so many
SOME_OPENED: Final = 20  # where the server reads the folder itself, which may not have noticed the newest yet
END_SECONDS: Final = 3.0  # for a server to end when it is asked to; then it is killed


class SlowError(UpstreamError):
    """A language server that gave no answer in time, and may be at work still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The language servers, and how long each may take."""

    servers: tuple[Server, ...] = field(default=KNOWN)
    start_seconds: int = 30
    request_seconds: int = 45  # many clients give up after a minute, and lose what was found until then


@dataclass(slots=True, kw_only=True)
class Uses:
    """The uses of a name as far as they are known: where it is used, the files that have it in their text, and the
    reason why a server has not told all."""

    symbol: str
    files: Sequence[str] = ()
    locations: list[lsp.Location] = field(default_factory=list)
    reason: str = ""


class Languages:
    """All language servers of a folder, by the suffix of the file that a question is about."""

    def __init__(self, folder: Folder, limits: Limits) -> None:
        self._folder = folder
        self._by_suffix: dict[str, Language] = {}
        self._all: list[Language] = []
        for server in limits.servers:
            language = Language(folder, server, limits)
            self._all.append(language)
            self._by_suffix |= dict.fromkeys(server.suffixes, language)

    @property
    def suffixes(self) -> tuple[str, ...]:
        return tuple(self._by_suffix)

    def of(self, name: str) -> Language:
        """Return the language server for a file, or raise an error that names the suffixes there are servers for."""
        language = self._by_suffix.get(PurePath(name).suffix)
        if language is None:
            example = next((one for one in self._folder.files() if one.endswith(self.suffixes) and one != name), None)
            raise wrong(
                "path", f"a file with a language server ({' '.join(self.suffixes)})", name, example or "src/main.py"
            )
        return language

    async def close(self) -> None:
        """End every language server that was started."""
        await asyncio.gather(*(one.close() for one in self._all))


class Language:
    """Asks one language server about the files of a folder."""

    def __init__(self, folder: Folder, server: Server, limits: Limits) -> None:
        self.server = server
        self._folder = folder
        self._limits = limits
        self._client: Client | None = None
        self._lock = asyncio.Lock()
        self._known: dict[str, tuple[int, int]] = {}

    async def symbols(self, name: str) -> Sequence[lsp.DocumentSymbol | lsp.SymbolInformation]:
        """Return the symbols of a file."""
        params = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(self._uri(name)))
        async with self._server() as client:
            return await self._ask(client, [name], lambda: client.text_document_document_symbol_async(params)) or ()

    async def references(self, name: str, places: Sequence[tuple[int, int]], uses: Uses, *, first: bool) -> None:
        """Add the references to what stands at each place to ``uses``, definitions among them; with ``first``, those of
        the first place that has any. Those that a server tells before its answer are there at once. When the time runs
        out or the server ends, they stay, and ``uses.reason`` says why there may be more; without any that is raised.
        Of the files with the name in their text the first are opened: some servers look nowhere else."""
        most = SOME_OPENED if self.server.reads_folder else MOST_OPENED
        opened = [name, *(one for one in uses.files if one != name)][:most]

        async def ask_all() -> None:
            for number, (line, character) in enumerate(places):
                token = f"uses-{number}"
                client.partial[token] = uses.locations
                params = lsp.ReferenceParams(
                    context=lsp.ReferenceContext(include_declaration=True),
                    text_document=lsp.TextDocumentIdentifier(self._uri(name)),
                    position=lsp.Position(line=line, character=character),
                    partial_result_token=token,
                )
                uses.locations += await client.text_document_references_async(params) or ()
                if (first and uses.locations) or client.late is not None:
                    return

        async with self._server() as client:
            client.has_told_uses = True
            try:
                await self._ask(client, opened, ask_all)
            except UpstreamError as error:
                if not uses.locations:
                    raise
                uses.reason = error.what
            finally:
                client.partial.clear()

    async def diagnostics(
        self, names: Sequence[str], done: Callable[[], Awaitable[None]], into: dict[str, Sequence[lsp.Diagnostic]]
    ) -> None:
        """Put what is wrong with some files into a dictionary, and call ``done`` after each of them. A server that has
        looked for references is started anew: basedpyright then leaves some files without an answer."""
        async with self._server() as known:
            if known.has_told_uses:
                await self._end()
            client = await self._started()
            for name in names:
                path = self._folder.root / name
                client.published.pop(path, None)
                into[name] = await self._ask(client, [name], partial(diagnostics_of, client, path))
                await done()

    async def close(self) -> None:
        """End the language server, if it was started."""
        async with self._lock:
            await self._end()

    @asynccontextmanager
    async def _server(self) -> AsyncIterator[Client]:
        async with self._lock:
            now = await asyncio.to_thread(self._folder.stamps, self.server.suffixes)
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
        if self._client is not None and await self._has_caught_up(self._client):
            return self._client
        await self._end()
        client = Client(self.server.settings)
        command = self.server.started_by()
        try:
            await client.start(command, self._folder.root)
        except OSError as error:
            raise UpstreamError(
                f"the language server {command[0]} could not be started: {error.strerror}",
                do=f"name another one under languageServer.servers.{self.server.name} in the settings",
            ) from None
        self._client = client
        self._known = {}
        greeting = client.initialize_async(self._greeting())
        try:
            greeted = await self._answer(client, greeting, self._limits.start_seconds, "startSeconds")
        except UpstreamError as error:
            if error.do or not self.server.install:
                raise
            raise UpstreamError(error.what, do=f"install what it needs: {self.server.install}") from None
        client.capabilities = greeted.capabilities
        client.initialized(lsp.InitializedParams())
        client.is_ready = True
        return client

    async def _has_caught_up(self, client: Client) -> bool:
        """Return whether a server can be asked. One that owes an answer gets the time of a second question for it."""
        if client.late is not None:
            ended = asyncio.ensure_future(client.process.wait())
            left = client.late_since + 2 * self._limits.request_seconds - time.monotonic()
            await asyncio.wait({client.late, ended}, timeout=max(0, left), return_when=asyncio.FIRST_COMPLETED)
            client.is_ready = client.late.done()
            await self._let_go(client.late, ended)
            client.late = None
        return client.is_ready and client.process.returncode is None

    async def _let_go(self, *tasks: asyncio.Future[Any]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(
        self, client: Client, question: Awaitable[T], seconds: float, setting: str = "requestSeconds"
    ) -> T:
        """Return the answer, unless the process ends or the time runs out before. A server that is late with its first
        answer, or that a caller breaks off, is not asked again."""
        began = time.monotonic()
        answer, ended = asyncio.ensure_future(question), asyncio.ensure_future(client.process.wait())
        try:
            await asyncio.wait({answer, ended}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done() and not ended.done():
                if client.is_ready:
                    client.late, client.late_since = answer, began
                again = (
                    "repeat the call: it goes on with its work" if client.is_ready else "the next call starts it anew"
                )
                raise SlowError(
                    f"the language server gave no answer in {seconds:g} seconds",
                    do=f"{again}; or use search_text, or raise {setting} in the settings",
                )
            error = answer.exception() if answer.done() else None
            if answer.done() and error is None:
                return answer.result()
            if isinstance(error, JsonRpcException):
                raise UpstreamError(f"the language server answered with an error: {error.message}")
            raise await client.last_words()
        finally:
            is_late = client.late is answer
            client.is_ready = client.is_ready and (answer.done() or is_late) and not ended.done()
            await self._let_go(ended, *(() if is_late else (answer,)))

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
            if client.late is not None:
                await self._let_go(client.late)
        with suppress(TimeoutError, EOFError, OSError):  # its last message may be half of one
            async with asyncio.timeout(END_SECONDS):
                await client.stop()  # type: ignore[no-untyped-call]

    def _greeting(self) -> lsp.InitializeParams:
        root = self._folder.root.as_uri()
        return lsp.InitializeParams(
            process_id=os.getpid(),
            root_uri=root,
            workspace_folders=[lsp.WorkspaceFolder(uri=root, name=self._folder.root.name)],
            initialization_options=dict(self.server.options) or None,
            capabilities=lsp.ClientCapabilities(
                workspace=lsp.WorkspaceClientCapabilities(configuration=True, workspace_folders=True),
                text_document=lsp.TextDocumentClientCapabilities(
                    document_symbol=lsp.DocumentSymbolClientCapabilities(hierarchical_document_symbol_support=True),
                    diagnostic=lsp.DiagnosticClientCapabilities(),
                    publish_diagnostics=lsp.PublishDiagnosticsClientCapabilities(),
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
            language = self.server.languages[PurePath(name).suffix]
            item = lsp.TextDocumentItem(uri=self._uri(name), language_id=language, version=1, text=text)
            client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return text is not None

    def _uri(self, name: str) -> str:
        return (self._folder.root / name).as_uri()
