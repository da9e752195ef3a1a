"""Redis or Valkey as a store uses it, one server or several: one client, scripts, and errors in words."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from redis import exceptions

from penstock.errors import StoreError
from penstock.stores.base import closed
from penstock.stores.redis_client import TIMEOUT, client_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.stores.url import Address

PAUSE: Final = 5.0  # seconds after a timeout in which no other caller waits for one: many would queue up behind it
REPLICATION: Final = 0.8  # of the timeout, for replicas to have what was written: the answer has to arrive in time too

FAILURES: Final = (exceptions.RedisError, exceptions.RedisClusterException, OSError)


class RedisServer:
    """Connect when it is first used, and again after any failure. ``replicas`` is how many have to have a write."""

    def __init__(self, address: Address) -> None:
        self._make, self.place = client_of(address)
        self.is_cluster = address.scheme.endswith("+cluster")
        self._lock = threading.Lock()
        self._client: Any = None  # what redis-py says of its answers' types differs from version to version
        self._scripts: dict[str, Callable[..., Any]] = {}
        self._closed = threading.Event()
        self._hung: float | None = None  # until when no caller asks a server that did not answer in time
        self.replicas = address.whole("replicas", 0, least=0)
        self._replication_ms = int(address.whole("timeout", TIMEOUT) * REPLICATION * 1_000)

    @property
    def client(self) -> Any:
        """Return the client. Use it within ``errors``."""
        with self._lock:
            if self._client is None:
                self._client = self._make()
        return self._client

    def run(self, script: str, key: str, *values: Any) -> Any:
        """Run a script on the node that has this key. Use it within ``errors``."""
        client = self.client
        if script not in self._scripts:
            self._scripts[script] = client.register_script(script)
        return self._scripts[script](keys=[key], args=values)

    def replicate(self, *hashes: str) -> None:
        """Wait until enough replicas have all that was written to these hashes; raise if they do not get it in time.

        ``WAIT`` is about the writes of its own connection: so it goes there together with one more write.
        """
        if not self.replicas:
            return
        client = self.client
        for name in hashes:
            if self.is_cluster:
                client = self.client.get_redis_connection(self.client.get_node_from_key(name))
            pipeline = client.pipeline(transaction=False)
            pipeline.hset(name, "replicas", self.replicas)
            pipeline.execute_command("WAIT", self.replicas, self._replication_ms)
            reached = int(pipeline.execute()[1])
            if reached < self.replicas:
                raise StoreError(
                    f"{reached} of {self.replicas} replicas of the store at {self.place} confirmed the result in time",
                    do="look whether its replicas run, or lower the store's replicas",
                )

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what goes wrong into a ``StoreError``, and spare callers the wait for a server that hangs."""
        if self._closed.is_set():
            raise closed()
        is_probe = self._hung is not None
        if self._hung is not None:
            now = time.monotonic()
            if now < self._hung:
                raise self._store_error(exceptions.TimeoutError("it did not answer in time just now"))
            self._hung = now + PAUSE  # one caller looks whether it answers again
        try:
            if is_probe and self.is_cluster:
                self.client.nodes_manager.initialize()  # another node may have taken the place of the one that hung
            yield
            self._hung = None
        except (*FAILURES, ValueError, AttributeError) as error:
            self._hung = time.monotonic() + PAUSE if isinstance(error, exceptions.TimeoutError) else None
            raise self._store_error(error) from error

    def close(self) -> None:
        self._closed.set()
        if self._client is not None:
            self._client.close()

    def _store_error(self, error: Exception) -> StoreError:
        # A connection that another thread closes under a call fails in many ways, and not only in the client's own.
        if self._closed.is_set():
            return closed()
        # Before the server's own words a pipeline's error quotes the command, and handles are in it.
        words = str(error).rpartition(" caused error: ")[2]
        what, do = _cause(error, words)
        return StoreError(f"the store at {self.place} {what}", do=do)


def _cause(error: Exception, words: str) -> tuple[str, str]:
    """Return what to say of an error, and what to do about it."""
    # Before 6.0 redis-py has one class for what a server refuses.
    kind = exceptions.MovedError if words.startswith(("MOVED ", "ASK ")) else type(error)
    for kinds, part, what, do in _CAUSES:
        if issubclass(kind, kinds) and part in words.lower():
            return what.format(words.rstrip(".")), do
    return f"failed: {words}", "look at the server's log"


_UNREACHED: Final = (exceptions.ConnectionError, exceptions.TimeoutError, exceptions.RedisClusterException)
_ANY: Final = (Exception,)
_REFUSED: Final = ("refuses us", "check its user and password")

# Kinds of errors, what their words have in them, what to say, and what to do; the first that fits counts.
_CAUSES: Final[tuple[tuple[tuple[type[Exception], ...], str, str, str], ...]] = (
    (
        _ANY,
        "authenticationerror(",
        "cannot be reached: its Sentinels refuse us",
        "check sentinel_username and sentinel_password",
    ),
    ((exceptions.AuthenticationError,), "", *_REFUSED),
    (_ANY, "username-password", *_REFUSED),
    (_ANY, "authentication required", *_REFUSED),
    (_ANY, "cluster mode is not enabled", "is no Redis Cluster", "start the URL with redis:// or rediss://"),
    (_ANY, "cluster support disabled", "is no Redis Cluster", "start the URL with redis:// or rediss://"),
    (
        (exceptions.MovedError, exceptions.AskError),
        "",
        "is a node of a Redis Cluster",
        "start the URL with redis+cluster:// or rediss+cluster://",
    ),
    (
        _ANY,
        "no master found",
        "cannot be reached: no Sentinel names a server of this name that is up",
        "look at the name in the URL, and whether the Sentinels see the server",
    ),
    (
        (exceptions.ClusterDownError, exceptions.SlotNotCoveredError),
        "",
        "cannot be reached: nodes of the Redis Cluster are missing",
        "wait for its failover, or look at CLUSTER INFO",
    ),
    (_UNREACHED, "", "cannot be reached: {}", "is Redis running?"),
    (_ANY, "maxmemory", "is out of memory", "raise its maxmemory, or lower the store's max_bytes"),
)
