"""Make the folder that the tests and the documentation of an example use: ``python -m tests.kit.examples.samples``."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.kit.examples.samples", description=__doc__)
    parser.add_argument("example", choices=["code", "memory", "security", "unity", "vault"])
    parser.add_argument("folder", type=Path, help="the folder to make")
    options = parser.parse_args()
    import_module(f"tests.kit.examples.samples.{options.example}").make_sample(options.folder)
