"""Make redis-py's client for a store's URL: for one server, a Redis Cluster, or the server that Sentinels name.

A Cluster's client follows redirections (``MOVED``, ``ASK``) and learns anew which node has which slots; a Sentinel's
asks for the address of the server whenever it connects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlencode

import redis
from redis import exceptions
from redis.backoff import ExponentialBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.retry import Retry
from redis.sentinel import Sentinel

from penstock.errors import ConfigError
from penstock.stores.url import TLS, Address

if TYPE_CHECKING:
    from collections.abc import Callable

TIMEOUT: Final = 5  # seconds for the server to answer; a commit with a large eviction takes a tenth of one
CONNECT: Final = 1.5  # seconds for a connection: with the attempts below, an absent server is known within five
ATTEMPTS: Final = 2  # after the first, with growing pauses: enough for a server that restarts or fails over
PORT: Final = 6_379
SENTINEL_PORT: Final = 26_379


def client_of(address: Address) -> tuple[Callable[[], Any], str]:
    """Return what makes a client, and the place it connects to, without the password. A Cluster's client connects when
    it is made."""
    try:
        match address.scheme.partition("+")[2]:
            case "cluster":
                return _of_cluster(address)
            case "sentinel":
                return _of_sentinels(address)
            case _:
                return _of_server(address)
    except ValueError as error:  # its message may quote the URL
        written = address.scheme if "+" in address.scheme else "redis"
        raise ConfigError("the store's URL cannot be read", do=f"write it like {_EXAMPLES[written]}") from error


_EXAMPLES: Final = {
    "redis": "redis://host:6379/0",
    "redis+cluster": "redis+cluster://host:6379,host:6379",
    "rediss+cluster": "rediss+cluster://host:6379,host:6379",
    "redis+sentinel": "redis+sentinel://host:26379,host:26379/name/0",
    "rediss+sentinel": "rediss+sentinel://host:26379,host:26379/name/0",
}


def _of_server(address: Address) -> tuple[Callable[[], Any], str]:
    parts = address.parts
    if address.scheme == "unix":
        place, db, where = parts.path, "", f"{parts.netloc}{parts.path}"
    else:
        [(host, port)] = address.hosts(PORT)
        place, db, where = f"{host}:{port}", parts.path.strip("/"), parts.netloc
    number = int(address.options.get("db", db) or 0)
    client = redis.Redis.from_url(
        f"{parts.scheme}://{where}?{_tls(address)}", db=number, retry=_retry(), **_waits(address)
    )
    return lambda: client, f"{address.scheme}://{place}/{number}"


def _of_cluster(address: Address) -> tuple[Callable[[], Any], str]:
    if address.parts.path.strip("/") not in ("", "0"):
        raise ConfigError(
            "the store's URL names a database, and a Redis Cluster has one only",
            do="leave it out, and tell installations apart by ?prefix=",
        )
    hosts = address.hosts(PORT)
    login = ":".join(quote(one or "", safe="") for one in address.credentials)
    first, *others = hosts
    url = f"{'rediss' if address.uses_tls else 'redis'}://{login}@{_written(*first)}?{_tls(address)}"

    nodes: list[Any] = [ClusterNode(host, port) for host, port in others]  # type: ignore[no-untyped-call]

    def make() -> Any:
        return _Cluster(url=url, startup_nodes=nodes, retry=_retry(), **_waits(address))

    return make, f"{address.scheme}://{_places(hosts)}"


def _of_sentinels(address: Address) -> tuple[Callable[[], Any], str]:
    service, _, db = unquote(address.parts.path).strip("/").partition("/")
    if not service:
        raise ConfigError(
            "the store's URL does not say what the Sentinels call the server",
            do=f"write it like {_EXAMPLES[address.scheme]}",
        )
    number = int(address.options.get("db", db) or 0)
    hosts = address.hosts(SENTINEL_PORT)
    tls = {"ssl": True, **_tls_options(address)} if address.uses_tls else {}
    sentinels: Any = Sentinel(  # type: ignore[no-untyped-call]
        hosts,
        sentinel_kwargs={
            "username": address.options.get("sentinel_username"),
            "password": address.options.get("sentinel_password"),
            **_waits(address),
            **tls,
        },
    )
    user, password = address.credentials
    client = sentinels.master_for(
        service, db=number, username=user, password=password, retry=_retry(), **_waits(address), **tls
    )
    return lambda: client, f"{address.scheme}://{_places(hosts)}/{service}/{number}"


class _Cluster(RedisCluster):
    """A timeout is not tried again, as with one server: each try would wait as long."""

    ERRORS_ALLOW_RETRY: Any = tuple(
        kind for kind in RedisCluster.ERRORS_ALLOW_RETRY if not issubclass(kind, exceptions.TimeoutError)
    )


def _waits(address: Address) -> dict[str, Any]:
    timeout = address.whole("timeout", TIMEOUT)
    # The second protocol is understood by every server, and all that is needed here.
    return {"socket_timeout": timeout, "socket_connect_timeout": min(timeout, CONNECT), "protocol": 2}


def _retry() -> Retry:
    return Retry(ExponentialBackoff(cap=1, base=0.05), ATTEMPTS, (exceptions.ConnectionError,))


def _tls(address: Address) -> str:
    return urlencode(_tls_options(address))


def _tls_options(address: Address) -> dict[str, str | bool]:
    options: dict[str, str | bool] = {name: value for name, value in address.options.items() if name in TLS}
    if "ssl_check_hostname" in options:
        options["ssl_check_hostname"] = str(options["ssl_check_hostname"]).lower() not in ("0", "f", "false", "n", "no")
    return options


def _places(hosts: list[tuple[str, int]]) -> str:
    return ",".join(_written(host, port) for host, port in hosts)


def _written(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
