"""A server that answers wrongly, twice, never, or with what is no answer: one answer reaches the client, and the next
call works."""

from __future__ import annotations

import signal

from tests.kit import processes as hygiene
from tests.kit.answers import head_of
from tests.kit.gateway import ODD, Running, python

left_nothing = hygiene.nothing_is_left_behind

NOISE = {
    "words": "Listening on port 80",
    "half an object": '{"jsonrpc":"2.0","id":',
    "binary": "\x00\x01\xff\xfe\x80\x1b[31m",
    "a number": "17",
    "a string": '"text"',
    "an object that is no message": '{"level": "info", "msg": "started"}',
    "an object with an id alone": '{"jsonrpc": "2.0", "id": 1}',
    "an array of numbers": "[1, 2, 3]",
    "an array cut short": '[{"jsonrpc":"2.0"',
    "deep nesting": "[" * 5_000,
    "nothing": "",
    "blanks": "   \t ",
    "invalid UTF-8 in a message": '{"jsonrpc":"2.0","method":"\xff\xfe"}',
}


def test_a_line_that_is_no_message_is_kept_from_the_client() -> None:
    with Running() as gateway:
        for noise in NOISE.values():
            assert gateway.text("noise", text=noise) == "after the noise"
            assert gateway.text("echo", text="next") == "next"


def test_a_line_that_is_no_message_goes_to_stderr_under_the_servers_name() -> None:
    with Running() as gateway:
        gateway.text("noise", text="Listening on port 80")
        assert gateway.says("not JSON-RPC: Listening on port 80\n")
        gateway.open()
        gateway.text("noise", text="a second line")
        assert gateway.says("odd printed a line to stdout that is not JSON-RPC: a second line\n")


def test_noise_before_the_first_answer_harms_nobody() -> None:
    with Running(python(ODD, "noise")) as gateway:
        assert gateway.open()["serverInfo"]["name"] == "odd"
        assert gateway.text("echo", text="next") == "next"
        assert gateway.says("Welcome to the odd server!")


def test_log_gives_only_the_length_of_a_long_line_that_is_not_a_message() -> None:
    with Running() as gateway:
        assert gateway.text("noise", text="x" * 3_000_000) == "after the noise"
        assert gateway.says("not JSON-RPC: 3,000,000 bytes, not shown")
        assert gateway.text("echo", text="next") == "next"
        gateway.close()
        gateway.wait()
        assert "xxx" not in gateway.stderr


def test_log_does_not_quote_a_result_whose_server_dies_in_the_middle_of_it() -> None:
    with Running() as gateway:
        key = gateway.ask_tool("half", code=4, text="PATIENT RECORD")
        assert gateway.error(key) == "the server exited with code 4"
        assert gateway.wait() == 4
        assert "PATIENT RECORD" not in gateway.stderr
        assert "bytes, not shown" in gateway.stderr


def test_a_last_message_without_its_newline_is_a_message() -> None:
    with Running() as gateway:
        assert gateway.call("no_newline") == {"content": []}
        assert gateway.wait() == 0


def test_a_second_answer_is_dropped_and_told_of() -> None:
    with Running() as gateway:
        assert gateway.text("twice") == "first"
        assert gateway.text("echo", text="next") == "next"
        assert gateway.says("answered request 1 that is not open; the answer was dropped")


def test_an_answer_to_nobody_is_dropped_and_told_of() -> None:
    with Running() as gateway:
        assert gateway.text("unknown") == "mine"
        assert gateway.says('the server answered request "never asked" that is not open')
        assert gateway.text("echo", text="next") == "next"


def test_an_answer_after_a_cancel_is_dropped() -> None:
    with Running() as gateway:
        key = gateway.ask_tool("keep")
        gateway.cancel(key)
        assert gateway.text("echo", text="next") == "next"  # the server answers in order, so the late one was there
        assert not [one for one in gateway.messages() if one.get("id") == key]


def test_a_large_answer_after_a_cancel_is_dropped_and_not_held() -> None:
    with Running() as gateway:
        key = gateway.ask_tool("records", rows=20_000)
        gateway.cancel(key)
        assert gateway.text("echo", text="next") == "next"
        held = head_of(gateway.text("fetch_cached_response", action="list"))
        assert len([one for one in gateway.messages() if one.get("id") == key]) <= 1
        assert held["total"] <= 1


def test_a_server_that_hangs_is_given_up_after_the_timeout_and_the_next_call_works() -> None:
    with Running(python(ODD), "--call-timeout", "1") as gateway:
        keys = [gateway.ask_tool("keep") for _ in range(3)]
        assert gateway.text("echo", text="meanwhile") == "meanwhile"
        for key in keys:
            words = gateway.error(key)
            assert words == "the server has not answered keep for 1 seconds; raise call_timeout if it needs longer"
        assert gateway.text("echo", text="next") == "next"


def test_a_server_that_reads_no_more_is_given_up_after_the_timeout() -> None:
    """The gateway's own write to it is stuck, and the client is answered all the same."""
    with Running(python(ODD), "--call-timeout", "1") as gateway:
        gateway.text("stop_reading")
        key = gateway.ask_tool("size", text="x" * 3_000_000)
        assert "has not answered size for 1 seconds" in gateway.error(key)
        gateway.signal(signal.SIGTERM)


def test_a_flood_on_stderr_passes_and_holds_up_nothing() -> None:
    with Running() as gateway:
        assert gateway.text("flood", megabytes=3) == "flooded"
        assert gateway.text("echo", text="next") == "next"
        gateway.close()
        gateway.wait()
        assert gateway.stderr.count("x" * 99 + "\n") == 30_000


def test_a_client_that_never_reads_stderr_is_not_held_up_by_noise() -> None:
    with Running(reads_stderr=False) as gateway:
        assert gateway.text("babble", lines=5_000) == "after the babble"
        assert gateway.text("echo", text="next") == "next"
