"""One Redis server for the tests of a process, emptied before each test that uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import redis

from tests.kit.stores.support import Clock, Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def shared_server() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture
def server(shared_server: Server) -> Server:
    with redis.Redis(unix_socket_path=shared_server.socket) as client:
        client.flushall()
        client.config_set("maxmemory", 0)
    return shared_server
