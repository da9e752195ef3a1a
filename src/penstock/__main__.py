"""``python -m penstock``: the same as the ``penstock`` command."""

import sys

from penstock.cli import main

sys.exit(main())
