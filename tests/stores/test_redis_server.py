"""What redis-py raises becomes an error that says what is the matter and what to do, without a handle or a password."""

from __future__ import annotations

import pytest
from redis import exceptions
from redis.sentinel import MasterNotFoundError

from penstock.errors import StoreError
from penstock.stores.redis_server import RedisServer
from penstock.stores.url import parse

NO_NODE = "Redis Cluster cannot be connected. Please provide at least one reachable node: "
REFUSED = "refuses us; check its user and password"
NO_CLUSTER = "is no Redis Cluster; start the URL with redis:// or rediss://"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (exceptions.AuthenticationError("WRONGPASS"), REFUSED),
        (exceptions.RedisClusterException(NO_NODE + "invalid username-password pair or user is disabled."), REFUSED),
        (exceptions.RedisClusterException(NO_NODE + "Authentication required."), REFUSED),
        (
            MasterNotFoundError("No master found for 'm' : Redis<> - AuthenticationError('Authentication required.')"),
            "cannot be reached: its Sentinels refuse us; check sentinel_username and sentinel_password",
        ),
        (MasterNotFoundError("No master found for 'm'"), "no Sentinel names a server of this name that is up; look at"),
        (exceptions.RedisClusterException("Cluster mode is not enabled on this node"), NO_CLUSTER),
        (exceptions.ResponseError("ERR This instance has cluster support disabled"), NO_CLUSTER),
        (exceptions.RedisClusterException(NO_NODE + "Connection refused"), "cannot be reached: Redis Cluster cannot"),
        (exceptions.ResponseError("MOVED 5 127.0.0.1:7"), "is a node of a Redis Cluster; start the URL with redis+cl"),
        (exceptions.MovedError("5 127.0.0.1:7"), "is a node of a Redis Cluster"),
        (
            exceptions.ClusterDownError("CLUSTERDOWN Hash slot not served"),
            "nodes of the Redis Cluster are missing",
        ),
        (
            exceptions.TimeoutError("Timeout reading"),
            "cannot be reached: Timeout reading; is Redis running?",
        ),
        (
            exceptions.ResponseError("OOM command not allowed when used memory > 'maxmemory'."),
            "is out of memory; raise",
        ),
        (
            exceptions.ResponseError("Command # 1 (HSET r_secret) of pipeline caused error: ERR odd"),
            "failed: ERR odd; look at the server's log",
        ),
        (OSError(9, "Bad file descriptor"), "failed: [Errno 9] Bad file descriptor"),
    ],
)
def test_an_error_says_what_is_the_matter_and_what_to_do(error: Exception, words: str) -> None:
    server = RedisServer(parse("redis://user:secret@host:6379/0"))
    with pytest.raises(StoreError) as caught, server.errors():
        raise error
    assert str(caught.value).startswith("the store at redis://host:6379/0 ")
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_after_a_timeout_others_do_not_wait() -> None:
    server = RedisServer(parse("redis://host"))
    with pytest.raises(StoreError, match="gone"), server.errors():
        raise exceptions.ConnectionError("gone")
    with pytest.raises(StoreError, match="late"), server.errors():
        raise exceptions.TimeoutError("late")
    with pytest.raises(StoreError, match="it did not answer in time just now"), server.errors():
        raise AssertionError("the server is asked again")


def test_what_is_closed_says_so_before_it_was_ever_used() -> None:
    server = RedisServer(parse("redis+cluster://host"))
    server.close()
    with pytest.raises(StoreError, match="the store is closed"), server.errors():
        pass
