"""The script that a worker process is started with, in a Python without site-packages: they are its arguments.

It runs as ``python -I -S boot.py FOLDER... -- FORM...`` with an empty environment; a form of a plug-in is named by its
place. Everything is imported here, before the
process gives up the right to open files.
"""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Serve jobs on the pipes that this process was given as its input and output, until they are closed."""
    for name in list(os.environ):  # Python itself sets LC_CTYPE, and jq shows all there is as $ENV
        del os.environ[name]  # From Python 3.14 on, clear() leaves a null pointer, on which jq crashes.
    end = sys.argv.index("--")
    sys.path.extend(sys.argv[1:end])
    from penstock.query.sandbox.worker import confine, serve  # noqa: PLC0415  # the path to it is known only now

    if forms := sys.argv[end + 1 :]:
        from penstock.query.plugin_forms import add_places  # noqa: PLC0415

        add_places(forms)
    sys.path.clear()
    incoming, outgoing = confine.take_pipes()
    serve.warm_up()
    gc.disable()  # until the worker rests
    confine.give_up_rights()
    serve.serve(incoming, outgoing, confine.allow, confine.rest)


if __name__ == "__main__":
    main()
