"""The URLs of a Redis Cluster and of Sentinels name several hosts; no message and no place shows a password."""

from __future__ import annotations

import pytest

from penstock.errors import ConfigError
from penstock.stores import open_store
from penstock.stores.redis_client import client_of
from penstock.stores.url import parse


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("redis+cluster://a:1,b:2", "redis+cluster://a:1,b:2"),
        ("redis+cluster://a,b:2,[::1]:3/", "redis+cluster://a:6379,b:2,[::1]:3"),
        ("rediss+cluster://u:p%40%2C@a/0?timeout=2&replicas=1&ssl_ca_certs=x", "rediss+cluster://a:6379"),
        ("redis+sentinel://a:1,b/main/3", "redis+sentinel://a:1,b:26379/main/3"),
        ("redis+sentinel://u:p@a/main", "redis+sentinel://a:26379/main/0"),
        ("rediss+sentinel://:p@a/main?db=2&sentinel_password=q", "rediss+sentinel://a:26379/main/2"),
    ],
)
def test_a_store_of_several_hosts_is_opened_without_connecting(url: str, place: str) -> None:
    with open_store(url) as store:
        assert store.place == place


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("redis+cluster://a/3", "names a database, and a Redis Cluster has one only; leave it out"),
        ("redis+cluster://a?db=3", "a redis+cluster store has no option 'db'"),
        ("redis+cluster://a:secret", "the store's URL cannot be read; write it like redis+cluster://host:6379,host"),
        ("redis+cluster://a,:b@c..d", "the store's URL cannot be read"),
        ("redis+sentinel://a", "does not say what the Sentinels call the server; write it like redis+sentinel://host"),
        ("redis+sentinel://a/main/secret", "the store's URL cannot be read; write it like redis+sentinel://host"),
        ("redis+sentinel://a/main?ssl_certfile=x", "a redis+sentinel store has no option 'ssl_certfile'"),
        ("redis+clutser://a", "there is no such store; start the URL with redis+cluster:"),
        ("redis://a,b", "the store's URL cannot be read; write it like redis://host:6379/0"),
        ("redis://a?replicas=-1", "the store's replicas is '-1'; give a whole number above -1"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_write(url: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_store(url)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


def test_credentials_go_to_the_server_and_the_sentinels_have_their_own() -> None:
    make, _ = client_of(
        parse("rediss+sentinel://u%40:p%2F@a/m/1?ssl_check_hostname=no&sentinel_username=s&sentinel_password=q")
    )
    pool = make().connection_pool
    given = pool.connection_kwargs
    assert (given["username"], given["password"], given["db"], given["ssl_check_hostname"]) == ("u@", "p/", 1, False)
    sentinel = pool.sentinel_manager.sentinels[0].connection_pool.connection_kwargs
    assert (sentinel["username"], sentinel["password"]) == ("s", "q")


def test_credentials_of_a_cluster_are_in_the_form_that_its_client_reads() -> None:
    address = parse("redis+cluster://u%40:p%2F%2C@a:1,b")
    assert address.credentials == ("u@", "p/,")
    assert address.hosts(6_379) == [("a", 1), ("b", 6_379)]
    assert parse("redis+cluster://a").credentials == (None, None)
