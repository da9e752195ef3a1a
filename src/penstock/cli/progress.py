"""Show a progress bar on stderr."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from penstock.cli.output import console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def reading(name: str, size: int) -> Iterator[Callable[[int], None]]:
    """Show how much of ``size`` bytes was read. Call the function that the block gets with each part's size."""
    columns = (TextColumn("reading {task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=size)
        yield lambda part: progress.advance(task, part)
