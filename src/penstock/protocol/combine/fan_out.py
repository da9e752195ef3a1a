"""One request to several upstreams, and their responses so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.protocol.combine import merge
from penstock.protocol.state import SUBSCRIPTION
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Iterator

ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"


@dataclass(slots=True, kw_only=True)
class FanOut:
    """A request of the client that all upstreams got; ``open`` are those that have not answered."""

    key: bytes
    method: str
    params: bytes
    open: set[int]
    results: dict[int, list[bytes]] = field(default_factory=dict)
    errors: dict[int, bytes] = field(default_factory=dict)
    acknowledged: dict[int, Any] | None = field(default_factory=dict)  # None once the client was told

    def next_page(self, cursor: str) -> bytes:
        """Write the request for the next page of an upstream's list."""
        params = jsonrpc.value(self.params) if self.params else {}
        with_cursor = {**(params if isinstance(params, dict) else {}), "cursor": cursor}
        return jsonrpc.request(self.key, self.method, jsonrpc.spelled(with_cursor))

    def acknowledgement(self) -> Iterator[bytes]:
        """Write the one acknowledgement of a subscription, once all upstreams that are left have sent theirs."""
        received = self.acknowledged
        if received and self.open <= received.keys():
            self.acknowledged = None
            params = {
                "_meta": {SUBSCRIPTION: jsonrpc.value(self.key)},
                "notifications": merge.acknowledged(received.values()),
            }
            yield jsonrpc.notification(ACKNOWLEDGED, jsonrpc.spelled(params))
