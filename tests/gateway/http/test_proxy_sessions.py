"""What is remembered of an upstream's sessions, and for how long."""

from __future__ import annotations

from penstock.gateway.http.proxy_sessions import ProxySessions


def test_the_session_that_was_used_longest_ago_is_forgotten_first() -> None:
    sessions = ProxySessions(most=2)
    first, _ = sessions.of("a"), sessions.of("b")
    assert sessions.of("a") is first
    sessions.of("c")
    assert len(sessions) == 2
    assert sessions.of("a") is first


def test_an_ended_session_is_new_when_it_comes_again() -> None:
    sessions = ProxySessions()
    first = sessions.of("a")
    sessions.end("a")
    sessions.end("never seen")
    assert sessions.of("a") is not first


def test_requests_without_a_session_share_the_tools_and_nothing_else() -> None:
    sessions = ProxySessions()
    first, second = sessions.of(""), sessions.of("")
    assert first is not second
    assert first.facts is second.facts
    assert sessions.of("a").facts is not first.facts
    assert len(sessions) == 1
