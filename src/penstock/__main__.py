"""``python -m penstock``: the command line without the console script."""

from penstock.cli import main

raise SystemExit(main())
