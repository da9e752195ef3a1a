"""One connection over standard input and output, from the server's start to the exit code.

One thread reads the client, one the server; each blocks in its reads and writes, so that a slow side slows the other
down and nothing piles up. The main thread looks now and then for what those two cannot see.

It ends in one of these ways, and each of them ends the server with all its children:

    the client sends no more, or is gone   --> ``_client_left``: the server may finish what it was asked
    the server ends, or closes a side      --> ``_server_ended``: open requests fail with how it ended
    a signal                               --> handed on, then as if the client had left, with less patience
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, NoReturn

from penstock.gateway import pipes
from penstock.gateway.carry import Carrier
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.log import Log
from penstock.gateway.output import Output
from penstock.gateway.stdio.last_words import end_process
from penstock.gateway.stdio.relay import Relay
from penstock.gateway.stdio.workers import Workers
from penstock.gateway.upstreams.process import CannotStartError, exit_code, how_it_ended
from penstock.protocol.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.config.model import Config
    from penstock.gateway.upstreams.process import Child

STDIN: Final = 0
STDOUT: Final = 1
TICK: Final = 0.5  # seconds between two looks at requests that wait
GRACE: Final = 2.0  # seconds for a server to end by itself, and again after SIGTERM
FIRST_WORD: Final = 2.0  # seconds in which a client may still ask, to be told why there is no server
QUIET: Final = 0.02  # seconds without a word from the client, after which nothing more is on its way
LAST_WORK: Final = 30.0  # seconds for answers that are being made when one side ends


class StdioConnection:
    """A client on our standard input and output, and a server, or the reason why there is none."""

    def __init__(
        self,
        server: Child | CannotStartError,
        config: Config,
        command: Sequence[str],
    ) -> None:
        self._server = server
        rules = ConfigRules(config)
        self._log = Log(config.log_level)
        self._carrier = Carrier(rules, self._log, command)
        self._workers = Workers()
        self._exchange = Exchange(rules, now=time.monotonic, passed=self._carrier.passed)
        self._client = Output(STDOUT)
        self._upstream = None if isinstance(server, CannotStartError) else Output(server.stdin)
        self._relay = Relay(
            self._exchange,
            client=self._client,
            upstream=self._upstream,
            carrier=self._carrier,
            workers=self._workers,
            limit=lambda: config.max_result_bytes,
            client_gone=self._client_left,
            upstream_gone=self._server_is_deaf,
        )
        self._leaving = False  # the client has gone, or we were told to go
        self._told_to_go = False
        self._stopped = ""  # why the server was stopped by us
        self._deserted = 0  # looks at a client that has hung up, since it was last there
        self._heard = 0  # chunks of either side, when we looked last
        self._silent = 0  # looks at a server that has ended, since its output last had something to read
        self._ending = threading.Lock()
        self._finishing = threading.Lock()

    def run(self) -> NoReturn:
        """Relay until one side ends, and exit with the server's code. An error that nothing handles ends the process,
        whichever thread it is in."""
        threading.excepthook = lambda uncaught: end_process(uncaught.exc_value, self._kill)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._signalled)
        threading.Thread(target=self._read_server, name="penstock-server", daemon=True).start()
        # The client's thread is the last one, because it may end at once and start the end of the session.
        threading.Thread(target=self._read_client, name="penstock-client", daemon=True).start()
        self._carrier.count_now_and_then()
        while True:  # the thread that reads the server finishes; this one looks on, and takes the signals
            time.sleep(TICK)
            self._look()

    def _read_client(self) -> None:
        """Relay what the client says until it says no more."""
        self._relay.read_client(STDIN)
        self._client_left()

    def _client_left(self) -> None:
        """Begin the end: the client sends no more. The server is told by the end of its input, then by signals."""
        if not self._leaving:
            self._leaving = True
            _run_apart("penstock-part", self._part)

    def _part(self) -> None:
        if isinstance(self._server, CannotStartError):
            self._server_ended()
        if self._upstream is not None:
            self._upstream.close(GRACE)
        deadline = time.monotonic() + LAST_WORK
        while self._answers_matter() and time.monotonic() < deadline:
            if self._server.wait(TICK) is not None:
                break
        code = self._server.end(GRACE)
        # The thread that reads its output finishes, once the last answers are made and read.
        time.sleep(GRACE if self._told_to_go else LAST_WORK)
        self._finish(exit_code(code))

    def _answers_matter(self) -> bool:
        return bool(self._exchange.open_count) and not (
            self._told_to_go or self._client.closed or pipes.is_left(STDOUT)
        )

    def _server_is_deaf(self) -> None:
        """Stop a server that has closed its input, unless it is about to end."""
        if not (self._leaving or self._stopped or isinstance(self._server, CannotStartError)):
            self._stopped = "closed its input, and was stopped"
            _run_apart("penstock-end", partial(self._server.end, GRACE))

    def _read_server(self) -> None:
        """Relay what the server says, until it says no more."""
        if not isinstance(self._server, CannotStartError):
            pipes.widen(self._server.stdout)
            self._relay.read_upstream(self._server.stdout)
        self._server_ended()

    def _server_ended(self) -> NoReturn:
        """Fail the open requests, and those that are just coming, and finish. A second thread waits for the end."""
        with self._ending:
            how, code = self._how_it_ended()
            self._workers.idle(LAST_WORK)
            self._relay.carry_out(self._exchange.upstream_ended(how))
            if not (self._leaving or isinstance(self._server, CannotStartError)):
                self._log.note("warning", self._exchange.end_reason)
            self._last_words()
            # A request that came in the very moment of the end was written to no server.
            self._relay.carry_out(self._exchange.upstream_ended(how))
            self._workers.idle(LAST_WORK)  # what the gate was calling tools for is answered with what it has
            self._finish(code)

    def _how_it_ended(self) -> tuple[str, int]:
        """Return how the server ended, and the code to exit with. One that closed a side and lives is stopped."""
        if isinstance(self._server, CannotStartError):
            return f"cannot be reached: {self._server}", self._server.code
        by_itself = self._server.wait(GRACE) is not None
        code = self._server.end(GRACE)
        if not by_itself:
            return "closed its output, and was stopped", exit_code(code)
        return (self._stopped if self._stopped and code < 0 else how_it_ended(code)), exit_code(code)

    def _last_words(self) -> None:
        """Go on telling the client why it gets no answers, until it is quiet. If it has not asked anything yet, it may
        be about to."""
        deadline = time.monotonic() + FIRST_WORD
        while not self._leaving and time.monotonic() < deadline:
            if pipes.has_more(STDIN, QUIET):
                time.sleep(QUIET)  # the thread that reads it is at work
            elif self._exchange.has_spoken and self._relay.turn.acquire(timeout=GRACE):
                return  # nothing is in our hands, and the turn is never given back
        self._relay.turn.acquire(timeout=GRACE)

    def _look(self) -> None:
        """Give up on requests that were never answered; see that a client has gone which cannot be heard, because a
        server takes nothing in, and that a server has ended though another process holds its output."""
        self._relay.give_up()
        if self._heard == self._relay.heard and self._exchange.version and self._exchange.open_count:
            with suppress(Exception):  # What cannot be imported is reported by the call that needs it.
                self._carrier.prepare()  # The client waits for the server, which may be about to send a large result.
        self._heard = self._relay.heard
        if isinstance(self._server, CannotStartError):
            return
        self._deserted = self._deserted + 1 if pipes.is_left(STDIN) else 0
        if self._deserted and (pipes.is_left(STDOUT) or self._deserted * TICK > LAST_WORK):
            self._client_left()
        if self._server.poll() is not None:
            self._server.kill()
            self._silent = 0 if pipes.has_more(self._server.stdout) else self._silent + 1
            if self._silent * TICK > GRACE:
                self._server_ended()

    def _signalled(self, number: int, _: object) -> None:
        self._told_to_go = True
        if not isinstance(self._server, CannotStartError):
            self._server.signal(number)
        self._client_left()

    def _kill(self) -> None:
        if not isinstance(self._server, CannotStartError):
            self._server.kill()

    def _finish(self, code: int) -> NoReturn:
        """Write the counters and exit. A second thread waits here for the end."""
        with self._finishing:
            self._kill()
            counting = threading.Thread(target=self._carrier.leave, name="penstock-count", daemon=True)
            with suppress(RuntimeError):  # There is no memory for a thread, and the store may hang without one.
                counting.start()
            self._client.settle(GRACE)  # a line that is being written is written whole
            if counting.ident is not None:
                counting.join(GRACE)
            os._exit(code)


def _run_apart(name: str, work: Callable[[], object]) -> None:
    """Run work in a thread of its own, or in this one if the system has no memory for another."""
    try:
        threading.Thread(target=work, name=name, daemon=True).start()
    except RuntimeError:
        work()
