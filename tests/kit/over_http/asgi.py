"""An application asked without a server, and what it sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.gateway.observe.request_record import Asgi


async def asked(
    app: Asgi, *parts: bytes, method: str = "POST", path: str = "/mcp", headers: Sequence[tuple[bytes, bytes]] = ()
) -> list[dict[str, Any]]:
    """What an application sends for a request whose body comes in these parts."""
    left = [{"type": "http.request", "body": part, "more_body": True} for part in parts[:-1]]
    left.append({"type": "http.request", "body": parts[-1] if parts else b""})
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return left.pop(0) if left else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app({"type": "http", "method": method, "path": path, "headers": list(headers)}, receive, send)
    return sent


def answering(*bodies: bytes, status: int = 200) -> Asgi:
    """An application that reads all it gets, and answers with these bodies."""

    async def app(_: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": status, "headers": []})
        for body in bodies:
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    return app
