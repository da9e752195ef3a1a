"""Make the calls that a request of our own tool needs, when each of them is an HTTP request to the upstream.

The client's request waits meanwhile. What it is told of the progress goes out at once, as events, if it takes events;
the responses to our calls never reach it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.gateway.sse import event
from penstock.gateway.upstreams.http_client import STREAM, WRONG, what_went_wrong
from penstock.gateway.upstreams.outgoing import written
from penstock.web.asgi import NOT_KEPT, RefusedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from penstock.gateway.http.proxied_request import ProxiedRequest
    from penstock.gateway.upstreams.http_client import HttpResponse
    from penstock.protocol.commands import ToClient, ToUpstream
    from penstock.web.asgi import Reply, Request

    Open = Callable[[bytes, Sequence[tuple[str, str]]], Awaitable[HttpResponse]]

EVENTS: Final = [(b"content-type", STREAM.encode()), NOT_KEPT]


class OwnCalls:
    """The calls for one HTTP request of a client. ``open_response`` posts a line, with headers of the modern era."""

    def __init__(
        self,
        request: Request,
        reply: Reply,
        proxied: ProxiedRequest,
        open_response: Open,
    ) -> None:
        self._reply = reply
        self._proxied = proxied
        self._open = open_response
        accepted = b",".join(value for name, value in request.headers if name == b"accept")
        self._streams = STREAM.encode() in accepted and not proxied.is_batch

    async def made(self, local: Sequence[ToClient]) -> list[ToClient]:
        """Make all calls that are needed, and return the responses for the client; ``local`` has those that were made
        before, and what is to be told."""
        responses = await self._tell(local)
        while (command := self._proxied.next_own_call()) is not None:
            responses += await self._tell(await self._call(command))
        return responses

    async def _call(self, command: ToUpstream) -> list[ToClient]:
        """Make one call. Whatever happens, its request is answered: the gate goes on, or answers the client."""
        exchange = self._proxied.exchange
        messages: list[ToClient] = []
        words = f"{exchange.who} ended its answer before it came to one"
        try:
            async with await self._open(command.line, written(command, exchange).headers) as answer:
                messages += [one async for one in self._proxied.messages(answer, command.requests[0])]
                if answer.status >= 300:
                    words = f"{exchange.who} answered {answer.status}"
        except RefusedError as error:
            words = str(error)
        except WRONG as error:
            words = f"{exchange.who} {what_went_wrong(error)}"
        failed = exchange.fail(command.requests[0], words)
        return [*messages, *await self._proxied.carry_out(failed)]

    async def _tell(self, messages: Sequence[ToClient]) -> list[ToClient]:
        """Send what is no response, and return the rest. A client that takes no events is told nothing on the way."""
        notifications = [message for message in messages if message.method]
        if notifications and self._streams:
            if not self._reply.status:
                await self._reply.begin(200, EVENTS)
            for message in notifications:
                await self._reply.bit(event(message.line))
        return [message for message in messages if not message.method]

    async def end(self, responses: Sequence[ToClient]) -> None:
        """End a stream that was begun, with the responses."""
        for message in responses:
            await self._reply.bit(event(message.line))
        await self._reply.end()
