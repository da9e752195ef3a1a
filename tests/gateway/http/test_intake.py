"""How many requests, streams and bytes are let in at once."""

from __future__ import annotations

import pytest

from penstock.gateway.http.intake import Intake, RequestLimits
from penstock.web.asgi import RefusedError


def test_requests_beyond_the_limit_are_told_to_come_again() -> None:
    intake = Intake(RequestLimits(requests=1, streams=1))
    with intake.admitted(), intake.admitted(stream=True):
        with pytest.raises(RefusedError) as many, intake.admitted():
            pass
        with pytest.raises(RefusedError) as streams, intake.admitted(stream=True):
            pass
    assert (many.value.status, streams.value.status) == (429, 503)
    assert dict(many.value.headers)[b"retry-after"]
    with intake.admitted():
        assert intake.requests == 1
    assert (intake.requests, intake.streams) == (0, 0)


def test_bytes_beyond_the_limit_are_refused_unless_nobody_else_has_any() -> None:
    intake = Intake(RequestLimits(bytes=10))
    with intake.holding(50):
        with pytest.raises(RefusedError), intake.holding(1):
            pass
        assert intake.bytes == 50
    assert intake.bytes == 0


def test_who_comes_when_the_end_has_begun_is_told_so() -> None:
    intake = Intake()
    intake.draining = True
    with pytest.raises(RefusedError) as refused, intake.admitted():
        pass
    assert refused.value.status == 503
