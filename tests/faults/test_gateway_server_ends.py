"""A server that ends, in whatever way, or stops taking part: everyone who waits is told how, and nothing is left."""

from __future__ import annotations

import select
import signal

import pytest

from tests.kit import processes as hygiene
from tests.kit.gateway import HASTY, ODD, Running, python
from tests.kit.waiting import PATIENCE, until

left_nothing = hygiene.nothing_is_left_behind


@pytest.mark.parametrize("number", [0, 77])
def test_a_server_that_exits_with_requests_pending_answers_them_all(number: int) -> None:
    with Running() as gateway:
        gateway.open()
        pending = [gateway.ask_tool("keep") for _ in range(5)]
        last = gateway.ask_tool("leave", code=number)
        for key in (*pending, last):
            assert gateway.error(key) == f"the server 'odd' exited with code {number}"
        assert gateway.wait() == number
        assert f"penstock: warning: the server 'odd' exited with code {number}\n" in gateway.stderr


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_server_that_a_signal_killed_answers_them_all(number: signal.Signals) -> None:
    with Running() as gateway:
        pending = gateway.ask_tool("keep")
        last = gateway.ask_tool("crash", signal=number)
        for key in (pending, last):
            assert gateway.error(key) == f"the server was killed by {number.name}"
        assert gateway.wait() == 128 + number


def test_a_server_killed_by_a_signal_without_a_name_says_its_number() -> None:
    unnamed = signal.SIGRTMIN + 3
    with Running() as gateway:
        assert gateway.error(gateway.ask_tool("crash", signal=unnamed)) == f"the server was killed by signal {unnamed}"
        assert gateway.wait() == 128 + unnamed


def test_requests_that_were_sent_behind_the_last_one_are_answered_too() -> None:
    """The server never read them, and the gateway perhaps not yet."""
    with Running() as gateway:
        request = (
            '{{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"{}","arguments":{{"code":5}}}}}}\n'
        )
        keys = range(1, 200)
        gateway.expect(*keys)
        gateway.send("".join(request.format(key, "leave" if key == 1 else "echo") for key in keys).encode())
        for key in keys:
            assert gateway.error(key) == "the server exited with code 5"
        assert gateway.wait() == 5


def test_a_large_answer_is_still_made_when_the_server_has_ended() -> None:
    with Running() as gateway:
        large = gateway.ask_tool("records", rows=10_000)
        last = gateway.ask_tool("leave", code=0)
        assert gateway.answer(large)["result"]["content"][0]["text"].startswith('{"type":"buffered_response"')
        assert gateway.error(last) == "the server exited with code 0"


def test_a_large_answer_is_still_made_when_the_client_has_said_its_last_word() -> None:
    with Running() as gateway:
        large = gateway.ask_tool("records", rows=10_000)
        gateway.close()
        assert gateway.answer(large)["result"]["content"][0]["text"].startswith('{"type":"buffered_response"')
        assert gateway.wait() == 0


def test_a_server_that_closes_its_output_and_lives_is_stopped() -> None:
    with Running(entry=HASTY) as gateway:
        pid = gateway.server()
        pending = gateway.ask_tool("keep")
        last = gateway.ask_tool("close_stdout")
        for key in (pending, last):
            assert gateway.error(key) == "the server closed its output, and was stopped"
        assert gateway.wait() == 128 + signal.SIGTERM
        assert hygiene.is_gone(pid)


def test_a_server_that_closes_its_input_and_lives_is_stopped() -> None:
    with Running(entry=HASTY) as gateway:
        pid = gateway.server()
        pending = gateway.ask_tool("keep")
        assert gateway.text("close_stdin") == "closed"
        later = gateway.ask_tool("echo", text="unread")
        for key in (pending, later):
            assert gateway.error(key) == "the server closed its input, and was stopped"
        assert gateway.wait() == 128 + signal.SIGTERM
        assert hygiene.is_gone(pid)


def test_a_server_that_ignores_the_end_of_its_input_and_sigterm_is_killed() -> None:
    with Running(python(ODD, "stubborn"), entry=HASTY) as gateway:
        pid = gateway.server()
        gateway.close()
        assert gateway.wait() == 128 + signal.SIGKILL
        assert hygiene.is_gone(pid)


def test_a_stubborn_server_with_a_request_pending_is_killed_and_the_request_answered() -> None:
    with Running(python(ODD, "stubborn"), entry=HASTY) as gateway:
        pid = gateway.server()
        pending = gateway.ask_tool("keep")
        gateway.close()
        assert gateway.error(pending) == "the server was killed by SIGKILL"
        assert gateway.wait() == 128 + signal.SIGKILL
        assert hygiene.is_gone(pid)


def test_children_in_the_servers_group_end_with_it() -> None:
    """They hold its output open, which alone must not keep anyone waiting."""
    with Running() as gateway:
        children = [int(gateway.text("start", leaves=False, holds_output=holds)) for holds in (True, False)]
        last = gateway.ask_tool("leave", code=6)
        assert gateway.error(last) == "the server exited with code 6"
        assert gateway.wait() == 6
        assert until(lambda: all(map(hygiene.is_gone, children)))


def test_a_child_that_left_the_group_and_holds_the_output_keeps_nobody_waiting() -> None:
    with Running(entry=HASTY) as gateway:
        child = int(gateway.text("start", leaves=True, holds_output=True))
        try:
            pending = gateway.ask_tool("keep")
            last = gateway.ask_tool("leave", code=6)
            for key in (pending, last):
                assert gateway.error(key) == "the server exited with code 6"
            assert gateway.wait() == 6
        finally:
            hygiene.end(child)


def test_a_child_that_holds_the_output_keeps_no_client_that_leaves_waiting() -> None:
    with Running(entry=HASTY) as gateway:
        child = int(gateway.text("start", leaves=True, holds_output=True))
        try:
            gateway.close()
            assert gateway.wait() == 0
        finally:
            hygiene.end(child)


def test_the_end_of_its_input_ends_the_server_with_all_its_children() -> None:
    with Running() as gateway:
        pid = gateway.server()
        children = [int(gateway.text("start", leaves=False, holds_output=holds)) for holds in (True, False)]
        gateway.close()
        assert gateway.wait() == 0
        assert until(lambda: all(map(hygiene.is_gone, (pid, *children))))


@pytest.mark.parametrize(("number", "exits"), [(signal.SIGTERM, 21), (signal.SIGINT, 22)])
def test_a_signal_is_handed_on_and_the_exit_code_too(number: signal.Signals, exits: int) -> None:
    with Running(python(ODD, "polite")) as gateway:
        gateway.server()
        gateway.signal(number)
        assert gateway.wait() == exits


def test_a_signal_ends_a_server_that_does_not_care_for_it() -> None:
    with Running(python(ODD, "stubborn"), entry=HASTY) as gateway:
        pid = gateway.server()
        pending = gateway.ask_tool("keep")
        gateway.text("echo", text="both are there")
        gateway.signal(signal.SIGTERM)
        assert gateway.error(pending) == "the server was killed by SIGKILL"
        assert gateway.wait() == 128 + signal.SIGKILL
        assert hygiene.is_gone(pid)


def test_a_signal_ends_a_gateway_without_a_server() -> None:
    with Running(["no-such-program-anywhere"]) as gateway:
        assert gateway.says("no such program")
        gateway.signal(signal.SIGTERM)
        assert gateway.wait() in (127, -signal.SIGTERM)  # as far as it had come


def test_a_client_that_reads_nothing_does_not_keep_a_signal_from_ending_all() -> None:
    """The gateway's own write to it is stuck."""
    with Running(python(ODD), "--max-tokens", "100000", entry=HASTY, reads=False) as gateway:
        gateway.cancelled.update(gateway.ask_tool("letters", bytes=40_000) for _ in range(80))
        assert gateway.process.stdout is not None
        assert select.select([gateway.process.stdout], [], [], PATIENCE)[0]
        gateway.signal(signal.SIGTERM)
        assert gateway.wait() >= 0


@pytest.mark.parametrize("how", ["a signal", "the end of its input", "the death of the client"])
def test_a_server_that_takes_nothing_in_keeps_nothing_from_ending_all(how: str) -> None:
    """The gateway's own write to it is stuck."""
    with Running(entry=HASTY) as gateway:
        pid = gateway.server()
        gateway.text("stop_reading")
        gateway.cancelled.add(gateway.ask_tool("size", text="x" * 3_000_000))
        if how == "a signal":
            gateway.signal(signal.SIGTERM)
        elif how == "the end of its input":
            gateway.close()
        else:
            gateway.vanish()
        gateway.wait()
        assert hygiene.is_gone(pid)
