"""``python -m penstock.cli.relay FILE [SERVER...]``: servers of a client's file on standard input and output.

Nothing is stored here. ``penstock doctor`` starts a server that is reached by URL in this way, as if it were a command.
"""

from __future__ import annotations

import sys

from penstock.cli.client_servers import checked_servers
from penstock.cli.output import print_error
from penstock.errors import PenstockError
from penstock.gateway.upstreams.combined import gather


def command(file: str, *names: str) -> list[str]:
    """Return the command line of this module for these servers."""
    return [sys.executable, "-m", "penstock.cli.relay", file, *names]


if __name__ == "__main__":
    try:
        gather(checked_servers(sys.argv[1], sys.argv[2:]))
    except PenstockError as error:
        print_error(error)
        sys.exit(2)
