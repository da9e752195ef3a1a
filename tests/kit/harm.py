"""What no hostile question may do: make us larger, or end in a long error, or in one without a remedy."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psutil
import pytest

from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def as_large_as_before(growth: int) -> Iterator[None]:
    """We have not grown by as many bytes as ``growth``; what only waits to be collected does not count."""
    before = _size()
    yield
    if _size() - before >= growth:
        gc.collect()  # only here: with all tests loaded it takes a tenth of a second
    grown = _size() - before
    assert grown < growth, (grown, growth)


def _size() -> int:
    size: int = psutil.Process().memory_info().rss
    return size


def short_error(ask: Callable[[], object]) -> str:
    """What the caller did wrong, in an error that is short and says what to do."""
    with pytest.raises(CallerError) as caught:
        ask()
    assert len(str(caught.value).encode()) < 1_000, caught.value
    assert caught.value.do, caught.value
    return caught.value.what
