"""The vault server: ``python examples/vault/server.py`` speaks MCP over standard input and output."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from server_parts.start import start

if __name__ == "__main__":
    sys.exit(start("vault"))
