"""Real Redis servers that stand together, on loopback: a Cluster of three masters with a replica each, and a server
with a replica that three Sentinels watch."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import redis
from tests.kit.stores.support import server_program
from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

SLOTS = 16_384
BUS = 10_000  # a node talks to other nodes at its port and this many more
MASTERS = 3
LONG = 60.0  # seconds for nodes to find each other: they gossip once a second
SERVICE = "held"


@dataclass(slots=True)
class Node:
    """One server on a port, which can be killed."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def client(self) -> Any:
        return redis.Redis(port=self.port, socket_timeout=10)

    def info(self, name: str) -> Any:
        with self.client as client:
            return client.info().get(name)

    def answers(self) -> bool:
        try:
            with self.client as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def stop(self) -> None:
        """End it at once, with what it has not sent on yet."""
        self.process.kill()
        self.process.wait()


def free_port() -> int:
    """Return a port that is free, with the one for the bus."""
    while True:
        port = random.randrange(20_000, 30_000)
        with ExitStack() as stack:
            try:
                for one in (port, port + BUS):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", one))
            except OSError:
                continue
            return port


@contextmanager
def nodes(number: int, folder: Path, *options: str) -> Iterator[list[Node]]:
    with ExitStack() as stack:
        made = []
        for _ in range(number):
            port = free_port()
            home = folder / str(port)
            home.mkdir()
            command = [server_program(), "--port", str(port), "--bind", "127.0.0.1", "--dir", os.fspath(home)]
            command += ["--save", "", "--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0", *options]
            node = Node(port, subprocess.Popen(command, stdout=subprocess.DEVNULL))
            stack.callback(node.stop)
            made.append(node)
        assert until(lambda: all(node.answers() for node in made))
        yield made


@dataclass(slots=True)
class Cluster:
    """Six nodes, of which the last three are replicas of the first three."""

    nodes: list[Node]

    @property
    def url(self) -> str:
        return f"redis+cluster://{','.join(f'127.0.0.1:{node.port}' for node in self.nodes[:2])}"

    @property
    def live(self) -> list[Node]:
        return [node for node in self.nodes if node.process.poll() is None]

    @property
    def masters(self) -> list[Node]:
        return [node for node in self.live if node.info("role") == "master"]

    def masters_of(self, *names: str) -> list[Node]:
        """The nodes that have the slots of these keys."""
        by_port = {node.port: node for node in self.nodes}
        with redis.RedisCluster(port=self.live[0].port, host="127.0.0.1") as client:
            return [by_port[client.get_node_from_key(name).port] for name in names]

    def is_whole(self) -> bool:
        def is_ok(node: Node) -> bool:
            with node.client as client:
                return bool(client.execute_command("CLUSTER INFO")["cluster_state"] == "ok")

        return all(map(is_ok, self.live))

    def empty(self) -> None:
        for node in self.masters:
            with node.client as client:
                client.flushall()

    def form(self) -> None:
        """Give each of the first three a third of the slots, and each of the others one of them to replicate."""
        first = self.nodes[0]
        for number, node in enumerate(self.nodes):
            with node.client as client:
                client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
                if number < MASTERS:
                    slots = range(SLOTS * number // MASTERS, SLOTS * (number + 1) // MASTERS)
                    client.execute_command("CLUSTER ADDSLOTS", *slots)
                client.execute_command("CLUSTER MEET", "127.0.0.1", first.port)
        assert until(lambda: all(self._known(node) == len(self.nodes) for node in self.nodes), LONG)
        for master, replica in zip(self.nodes[:MASTERS], self.nodes[MASTERS:], strict=True):
            with master.client as client:
                name = client.execute_command("CLUSTER MYID")
            with replica.client as client:
                client.execute_command("CLUSTER REPLICATE", name)
        assert until(lambda: all(one.info("master_link_status") == "up" for one in self.nodes[MASTERS:]), LONG)
        assert until(self.is_whole, LONG)

    def _known(self, node: Node) -> int:
        with node.client as client:
            return len(client.execute_command("CLUSTER NODES"))


@contextmanager
def cluster() -> Iterator[Cluster]:
    options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "1500", "--cluster-replica-validity-factor", "0")
    with tempfile.TemporaryDirectory(prefix="pen") as folder, nodes(2 * MASTERS, Path(folder), *options) as made:
        formed = Cluster(made)
        formed.form()
        yield formed


@dataclass(slots=True)
class Watched:
    """A server with a replica, and three Sentinels."""

    servers: list[Node]
    sentinels: list[Node]

    @property
    def url(self) -> str:
        return f"redis+sentinel://{','.join(f'127.0.0.1:{one.port}' for one in self.sentinels)}/{SERVICE}/0"

    @property
    def master(self) -> Node:
        with self.sentinels[0].client as client:
            port = int(client.sentinel_get_master_addr_by_name(SERVICE)[1])
        return next(node for node in self.servers if node.port == port)

    def sees_replica(self) -> bool:
        def seen(node: Node) -> bool:
            with node.client as client:
                state = client.sentinel_masters()[SERVICE]
                return bool(state["num-slaves"] == 1 and state["num-other-sentinels"] == 2)

        return all(map(seen, self.sentinels))


@contextmanager
def watched() -> Iterator[Watched]:
    with tempfile.TemporaryDirectory(prefix="pen") as written, ExitStack() as stack:
        folder = Path(written)
        servers = stack.enter_context(nodes(2, folder))
        with servers[1].client as client:
            client.replicaof("127.0.0.1", str(servers[0].port))
        assert until(lambda: servers[1].info("master_link_status") == "up", LONG)
        sentinels = [stack.enter_context(_sentinel(folder, servers[0].port)) for _ in range(3)]
        formed = Watched(servers, sentinels)
        assert until(formed.sees_replica, LONG)
        yield formed


@contextmanager
def _sentinel(folder: Path, watched_port: int) -> Iterator[Node]:
    port = free_port()
    file = folder / f"sentinel-{port}.conf"  # Sentinels write to it
    file.write_text(
        f"port {port}\nbind 127.0.0.1\ndir {folder}\nsentinel monitor {SERVICE} 127.0.0.1 {watched_port} 2\n"
        f"sentinel down-after-milliseconds {SERVICE} 1500\nsentinel failover-timeout {SERVICE} 5000\n"
    )
    process = subprocess.Popen([server_program(), os.fspath(file), "--sentinel"], stdout=subprocess.DEVNULL)
    node = Node(port, process)
    try:
        assert until(node.answers)
        yield node
    finally:
        node.stop()
