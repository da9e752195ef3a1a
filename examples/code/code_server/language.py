"""Language servers: each is a process that the first question starts, and that ends with this server.

A language server answers one question after the other, each in a task of its own. A caller that has waited long enough
gets a ``SlowError``, and the task goes on: the next question waits for its turn. A question that goes on for too long
is ended with its server, and the next one starts another. If this process is killed, the others read the end of their
input and end.

Files that a question opens stay open, so that the next question about them is quick. Before each question the server is
told what has changed since the last one, so that its answer is about the files as they are now.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from code_server.diagnostics import diagnostics_of, publishes
from code_server.language_client import Client
from code_server.servers import KNOWN, Server
from penstock import UpstreamError
from server_parts.complaints import wrong

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from code_server.diagnostics import FileReport
    from code_server.folder import Folder

T = TypeVar("T")

MOST_OPENED: Final = 500  # files with the name in them: opening these takes a server some seconds
SOME_OPENED: Final = 20  # for a server that reads the folder itself, which may not have noticed the newest files yet
MOST_OPEN: Final = 1_000  # files that stay open; the one that was opened first is closed first
TURNS: Final = 2  # times requestSeconds that a question may wait for its turn, and that a given-up one may go on
USES_SECONDS: Final = 600.0  # for references, which go on when the caller has its first answer
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
        self._turns: set[asyncio.Task[Any]] = set()
        self._seen: dict[str, tuple[int, int]] = {}  # when each file was last written, as the server knows it
        self._opened: dict[str, int] = {}  # the version of each open file

    @property
    def patience(self) -> int:
        """Return the seconds that a caller waits for an answer."""
        return self._limits.request_seconds

    async def ready(self) -> None:
        """Wait for the start of the server, if it was not started yet."""

        async def ask(_: Client) -> None:
            return

        if self._client is None:
            await self._in_turn(ask, looks_around=False)

    async def symbols(
        self, name: str, most: float | None = None
    ) -> Sequence[lsp.DocumentSymbol | lsp.SymbolInformation]:
        """Return the symbols of a file. ``most`` are the seconds to wait for them, if not ``requestSeconds``."""
        params = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(self._uri(name)))

        async def ask(client: Client) -> Sequence[lsp.DocumentSymbol | lsp.SymbolInformation]:
            self._open(client, [name])
            return await client.text_document_document_symbol_async(params) or ()

        return await self._in_turn(ask, most)

    async def references(self, name: str, places: Sequence[tuple[int, int]], uses: Uses, *, first: bool) -> None:
        """Add the references to what stands at each place to ``uses``, definitions among them; with ``first``, those of
        the first place that has any. Those that a server tells before its answer are there at once. If the time runs
        out or the server ends, they stay, and ``uses.reason`` says why there may be more; without any that is raised.
        Of the files with the name in their text the first are opened: some servers look nowhere else."""
        most = SOME_OPENED if self.server.reads_folder else MOST_OPENED
        opened = [name, *(one for one in uses.files if one != name)][:most]

        async def ask(client: Client) -> None:
            self._open(client, opened)
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
                if first and uses.locations:
                    return

        try:
            await self._in_turn(ask, USES_SECONDS)
        except UpstreamError as error:
            if not uses.locations:
                raise
            uses.reason = error.what

    async def diagnostics(
        self, names: Sequence[str], done: Callable[[], Awaitable[None]], into: dict[str, FileReport]
    ) -> None:
        """Put what is wrong with some files into a dictionary, and call ``done`` after each of them."""
        for number, name in enumerate(names):

            async def ask(client: Client, name: str = name) -> FileReport:
                if publishes(client):  # what was published before may be about other files as they were
                    self._close(client, name)
                    client.published.pop(self._folder.root / name, None)
                self._open(client, [name])
                return await diagnostics_of(
                    client, self._folder.root / name, lambda: self._change(client, name, self._folder.text(name) or "")
                )

            into[name] = await self._in_turn(ask, looks_around=number == 0)
            await done()

    async def close(self) -> None:
        """End the language server, if it was started."""
        await self._let_go(*self._turns)
        async with self._lock:
            await self._end()

    async def _in_turn(
        self, ask: Callable[[Client], Awaitable[T]], most: float | None = None, *, looks_around: bool = True
    ) -> T:
        """Return the answer to a question. ``most`` are the seconds that it may go on, for a caller that waits as long;
        else the caller waits for ``requestSeconds``."""
        began = asyncio.Event()
        limit = TURNS * self.patience if most is None else most
        turn = asyncio.create_task(self._turn(ask, limit, began, looks_around=looks_around))
        self._turns.add(turn)
        turn.add_done_callback(self._over)
        try:
            async with asyncio.timeout(max(limit, TURNS * self.patience) + self._limits.start_seconds):
                await began.wait()
            await asyncio.wait({turn}, timeout=self.patience if most is None else None)
        except TimeoutError:
            await self._let_go(turn)
            raise SlowError(
                "the language server is at work on another question", do="ask again later, or use search_text"
            ) from None
        except asyncio.CancelledError:
            await self._let_go(turn)
            raise
        if not turn.done():
            raise self._slow(self.patience, "repeat the call: it goes on with its work")
        return turn.result()

    def _over(self, turn: asyncio.Task[Any]) -> None:
        self._turns.discard(turn)
        if not turn.cancelled():
            turn.exception()  # its caller may have gone

    async def _turn(
        self, ask: Callable[[Client], Awaitable[T]], seconds: float, began: asyncio.Event, *, looks_around: bool
    ) -> T:
        async with self._lock:
            try:
                client = await self._started()
                if looks_around:
                    self._catch_up(client, await asyncio.to_thread(self._folder.stamps, self.server.suffixes))
            finally:
                began.set()
            return await self._answer(client, ask(client), seconds, "the next call starts it anew")

    async def _started(self) -> Client:
        if self._client is not None and self._client.is_ready and self._client.process.returncode is None:
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
        self._client, self._seen, self._opened = client, {}, {}
        greeting = client.initialize_async(self._greeting())
        try:
            greeted = await self._answer(client, greeting, self._limits.start_seconds, "the next call starts it anew")
        except UpstreamError as error:
            if error.do or not self.server.install:
                raise
            raise UpstreamError(error.what, do=f"install what it needs: {self.server.install}") from None
        client.capabilities = greeted.capabilities
        client.initialized(lsp.InitializedParams())
        client.is_ready = True
        return client

    async def _answer(self, client: Client, question: Awaitable[T], seconds: float, again: str) -> T:
        """Return the answer, unless the process ends or the time runs out before. A server that owes an answer is not
        asked again."""
        answer, ended = asyncio.ensure_future(question), asyncio.ensure_future(client.process.wait())
        try:
            await asyncio.wait({answer, ended}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                error = answer.exception()
                if error is None:
                    return answer.result()
                if isinstance(error, JsonRpcException):
                    raise UpstreamError(f"the language server answered with an error: {error.message}")
            if not answer.done() and not ended.done():
                raise self._slow(seconds, again)
            raise await client.last_words()
        finally:
            client.is_ready = client.is_ready and answer.done() and not ended.done()
            client.partial.clear()
            await self._let_go(answer, ended)

    def _slow(self, seconds: float, again: str) -> SlowError:
        return SlowError(
            f"the language server gave no answer in {seconds:g} seconds",
            do=f"{again}; or use search_text, or raise requestSeconds or startSeconds in the settings",
        )

    async def _let_go(self, *tasks: asyncio.Future[Any]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

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

    def _catch_up(self, client: Client, now: dict[str, tuple[int, int]]) -> None:
        """Tell the server of files that others have written, as an editor would."""
        seen, self._seen = self._seen, now
        kinds = dict.fromkeys(seen.keys() - now.keys(), lsp.FileChangeType.Deleted)
        kinds |= dict.fromkeys(now.keys() - seen.keys(), lsp.FileChangeType.Created)
        kinds |= {name: lsp.FileChangeType.Changed for name, one in now.items() if seen.get(name, one) != one}
        if not kinds or not seen:  # a server that was just started has seen them all
            return
        for name in kinds.keys() & self._opened.keys():
            text = self._folder.text(name)
            if text is None:
                self._close(client, name)
            else:
                self._change(client, name, text)
        changes = [lsp.FileEvent(uri=self._uri(name), type=kind) for name, kind in kinds.items()]
        client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams(changes))

    def _open(self, client: Client, names: Sequence[str]) -> None:
        for name in names:
            text = None if name in self._opened else self._folder.text(name)
            if text is not None:
                self._opened[name] = 1
                language = self.server.languages[PurePath(name).suffix]
                item = lsp.TextDocumentItem(uri=self._uri(name), language_id=language, version=1, text=text)
                client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        for name in list(self._opened)[: max(0, len(self._opened) - MOST_OPEN)]:
            if name not in names:
                self._close(client, name)

    def _change(self, client: Client, name: str, text: str) -> None:
        if name in self._opened:
            self._opened[name] += 1
            document = lsp.VersionedTextDocumentIdentifier(uri=self._uri(name), version=self._opened[name])
            changes = [lsp.TextDocumentContentChangeWholeDocument(text)]
            client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, changes))

    def _close(self, client: Client, name: str) -> None:
        if self._opened.pop(name, None) is not None:
            document = lsp.TextDocumentIdentifier(self._uri(name))
            client.text_document_did_close(lsp.DidCloseTextDocumentParams(document))

    def _uri(self, name: str) -> str:
        return (self._folder.root / name).as_uri()
