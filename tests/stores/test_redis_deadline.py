"""An answer has a deadline as a whole, however slowly its bytes come."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from penstock.stores.redis_deadline import RATE, TimedSocket, punctual

if TYPE_CHECKING:
    from collections.abc import Iterator


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_a_server_that_drips_is_given_up(pair: tuple[socket.socket, socket.socket]) -> None:
    """Regression: a byte now and then held a caller for 63 s, in spite of a timeout of one."""
    ours, theirs = pair
    clock = Clock()
    ours.settimeout(1.0)
    timed = TimedSocket(ours, 1.0, clock)
    timed.sendall(b"PING")
    assert theirs.recv(10) == b"PING"
    for _ in range(3):
        theirs.sendall(b"x")
        assert timed.recv(10) == b"x"
        clock.now += 0.3
    theirs.sendall(b"x")
    clock.now += 0.2
    with pytest.raises(TimeoutError):
        timed.recv(10)
    with pytest.raises(TimeoutError):
        timed.recv_into(bytearray(10))
    assert ours.gettimeout() == 1.0
    timed.sendall(b"PING")  # another command has time of its own
    buffer = bytearray(10)
    assert timed.recv_into(buffer) == 1
    ours.settimeout(0)  # a look that does not wait is no answer that takes long
    clock.now += 10
    with pytest.raises(BlockingIOError):
        timed.recv(10)


def test_a_long_answer_may_take_long(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    clock = Clock()
    timed = TimedSocket(ours, 1.0, clock)
    for _ in range(20):
        theirs.sendall(b"x" * 60_000)
        size = 0
        while size < 60_000:
            size += len(timed.recv(60_000))
        clock.now += 60_000 / RATE
    assert timed.fileno() == ours.fileno()


def test_a_connection_has_such_a_socket(pair: tuple[socket.socket, socket.socket]) -> None:
    class Plain:
        socket_timeout = 2.0

        def _connect(self) -> Any:
            return pair[0]

    assert isinstance(punctual(Plain)()._connect(), TimedSocket)
