"""Start a worker process for conversions, as ``sandbox/worker/boot.py`` starts one for queries."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Convert texts that come on the pipes that this process was given, until they are closed."""
    os.environ.clear()
    sys.path.extend(sys.argv[1 : sys.argv.index("--")])
    from penstock.query.parse import serve  # noqa: PLC0415  # the path to it is known only now
    from penstock.query.sandbox.worker import confine  # noqa: PLC0415

    incoming, outgoing = confine.take_pipes()
    serve.warm_up()
    sys.path.clear()
    confine.give_up_rights()
    serve.serve(incoming, outgoing, confine.allow, confine.rest)


if __name__ == "__main__":
    main()
