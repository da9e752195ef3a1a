"""A server over HTTP as the upstream of one exchange: its messages are posted beside each other, in the order that the
protocol needs.

Nothing goes out before ``initialize`` is answered, nothing after it before ``notifications/initialized`` is taken, and
notifications keep their order. The exchange decides which request a response answers, whatever stream it came on.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import UNSET, UnsetType

from penstock.gateway.sse import STREAM_SECONDS
from penstock.gateway.upstreams.outgoing import written
from penstock.gateway.upstreams.remote import Remote, RemoteError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from penstock.gateway.upstreams.outgoing import OutgoingMessage
    from penstock.protocol.commands import Command, ToUpstream
    from penstock.protocol.exchange import Exchange
    from penstock.protocol.wire.jsonrpc import Message
    from penstock.spool import Spool

TAKEN: Final = 10.0  # seconds for a server to take a notification, while later ones wait


class Driver(Protocol):
    """The driver of the exchange: ``stdio/bridge`` for one client, ``combined`` for the router of several servers."""

    def new_spool(self) -> Spool:
        """Return a place for a message of the server that arrives."""
        ...

    async def classify(self, line: bytes | memoryview) -> Sequence[Command]:
        """Return the exchange's commands for a line of the server."""
        ...

    async def carry_out(self, commands: Sequence[Command]) -> None: ...

    def warn(self, text: str) -> None: ...

    def failed(self, method: str, error: Exception) -> str:
        """Log a mistake of ours, and return the words for the client."""
        ...


@dataclass(slots=True, eq=False)
class Post:
    """A message on its way. ``answered`` is done when the messages that wait for its response may go out."""

    message: OutgoingMessage
    answered: asyncio.Future[None]
    task: asyncio.Task[None] | None = None
    is_cancelled: bool = False  # by the client: the server may end its stream as it likes
    before: list[asyncio.Future[Any]] = field(default_factory=list)

    def hang_up(self) -> None:
        if self.task is not None:
            self.task.cancel()


class RemoteUpstream:
    """Posts the exchange's messages, and hands the server's lines to the driver. It is made in the event loop that it
    runs in. ``limit`` bounds the bytes of one message of the server."""

    def __init__(
        self,
        url: str,
        headers: Sequence[tuple[str, str]],
        exchange: Exchange,
        driver: Driver,
        *,
        limit: Callable[[], int],
    ) -> None:
        self._exchange = exchange
        self._driver = driver
        self._remote = Remote(
            url,
            headers,
            limit=limit,
            note=lambda words: driver.warn(f"{exchange.who} {words}"),
            new_spool=driver.new_spool,
            grew=self._grew,
            settle=self._settle,
        )
        self._reports: list[Command] = []  # of how long messages grow
        self._posts: dict[bytes, Post] = {}  # by the id of a request
        self._before: list[asyncio.Future[Any]] = []  # what has to be done before anything else goes out
        self._turn = asyncio.Lock()  # among notifications
        self._is_modern = False
        self.due: set[asyncio.Task[None]] = set()  # messages under way whose response will come
        self._endless: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Task[None] | None = None

    def send(self, command: ToUpstream) -> None:
        """Post a message of the exchange, or hang up where it takes back a request of the modern era."""
        message = written(command, self._exchange)
        if message.cancels and self._is_hung_up(message.cancels):
            return
        post = Post(message, asyncio.get_running_loop().create_future(), before=self._before)
        post.task = start(self._post(post), self.due if message.ends else self._endless)
        for request in message.asks:
            self._posts[request.key] = post
            self._is_modern = request.modern
        if message.method in ("initialize", "notifications/initialized"):
            self._before = [post.answered]

    async def give_up(self) -> None:
        """Answer the requests that have waited too long, and hang up on the server for them."""
        waited = [post for post in self._posts.values() if not self._is_over(post)]
        commands = self._exchange.overdue()
        late = [post for post in waited if self._is_over(post)]
        await self._driver.carry_out(commands)
        for post in late:
            post.hang_up()

    async def leave(self, patience: float) -> None:
        """Hang up on all that is under way, and end the session, with ``patience`` seconds for each."""
        rest = [*self.due, *self._endless]
        for task in rest:
            task.cancel()
        if rest:
            await asyncio.wait(rest, timeout=patience)
        await self._remote.leave(patience)

    def _is_hung_up(self, key: bytes) -> bool:
        """Take back a request. In the modern era to hang up is to cancel, and servers hear of it in no other way; in
        the legacy era it is not, and the server is told."""
        post = self._posts.get(key)
        if post is None:
            return self._is_modern
        if post.message.is_modern:
            post.hang_up()
            return True
        post.is_cancelled = True
        if post.task is not None:  # it ends when the server likes, and shutdown does not wait for it
            self.due.discard(post.task)
            self._endless.add(post.task)
            post.task.add_done_callback(self._endless.discard)
        return False

    async def _post(self, post: Post) -> None:
        try:
            if post.before:
                await asyncio.wait(post.before)
            if post.message.asks:
                await self._ask(post)
            elif post.message.is_notification:
                async with self._turn:
                    await self._tell(post.message)
            else:
                await self._tell(post.message)
        finally:
            if not post.answered.done():
                post.answered.set_result(None)
            for request in post.message.asks:
                if self._posts.get(request.key) is post:
                    del self._posts[request.key]

    async def _ask(self, post: Post) -> None:
        async def receive(line: bytes | memoryview, message: Message | UnsetType | None = UNSET) -> None:
            await self._receive(line, message, post)

        try:
            await self._remote.post(post.message, receive, lambda: self._is_over(post) and not post.is_cancelled)
            words = "ended its answer before it came to one"
        except RemoteError as trouble:
            words = str(trouble)
        except Exception as error:  # noqa: BLE001  (whatever happens, the request is answered)
            words = self._driver.failed(post.message.method, error)
        for request in post.message.asks:
            if not request.busy:
                await self._driver.carry_out(self._exchange.fail(request, f"{self._exchange.who} {words}"))

    async def _tell(self, message: OutgoingMessage) -> None:
        what = message.method or "an answer of the client"
        try:
            async with asyncio.timeout(TAKEN):
                await self._remote.post(message, self._receive, lambda: True)
        except RemoteError as trouble:
            self._driver.warn(f"{what} was lost: {self._exchange.who} {trouble}")
        except TimeoutError:
            self._driver.warn(f"{what} may be lost: {self._exchange.who} has not taken it")
        if message.method == "notifications/initialized" and self._listening is None:
            opened = asyncio.Event()
            self._listening = start(self._remote.listen(self._receive, opened.set), self._endless)
            with suppress(TimeoutError):  # what is asked next may make the server speak there
                await asyncio.wait_for(opened.wait(), STREAM_SECONDS)

    def _grew(self, head: bytes, size: int) -> None:
        self._reports.extend(self._exchange.upstream_sends(head, size))

    async def _settle(self) -> None:
        """Tell the client how much has come."""
        reports, self._reports = self._reports, []
        if reports:
            await self._driver.carry_out(reports)

    def _is_over(self, post: Post) -> bool:
        """Return True if all requests of this message are answered, or with the gate."""
        return not any(self._exchange.is_open(request) for request in post.message.asks)

    async def _receive(
        self, line: bytes | memoryview, message: Message | UnsetType | None = UNSET, post: Post | None = None
    ) -> None:
        if message is not UNSET:
            commands = self._exchange.upstream_message(bytes(line), message)
        else:
            commands = await self._driver.classify(line)
        if post is not None and post.message.method == "initialize" and self._is_over(post):
            self._remote.version = self._remote.version or self._exchange.version
            if not post.answered.done():
                post.answered.set_result(None)
        await self._driver.carry_out(commands)


def start(work: Coroutine[Any, Any, None], kept: set[asyncio.Task[None]]) -> asyncio.Task[None]:
    """Start a task that ``kept`` refers to until it is done."""
    task = asyncio.get_running_loop().create_task(work)
    kept.add(task)
    task.add_done_callback(kept.discard)
    return task
