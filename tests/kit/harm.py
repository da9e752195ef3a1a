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
    """We have not grown by as many bytes as ``growth``."""
    gc.collect()
    before = psutil.Process().memory_info().rss
    yield
    gc.collect()
    grown = psutil.Process().memory_info().rss - before
    assert grown < growth, (grown, growth)


def short_error(ask: Callable[[], object]) -> str:
    """What the caller did wrong, in an error that is short and says what to do."""
    with pytest.raises(CallerError) as caught:
        ask()
    assert len(str(caught.value).encode()) < 1_000, caught.value
    assert caught.value.do, caught.value
    return caught.value.what
