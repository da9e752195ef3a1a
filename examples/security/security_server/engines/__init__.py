"""The engines. Read ``base`` first; ``bandit`` and ``secrets`` each say how one is called and read, ``sarif`` reads the
reports of any other, which the settings name.

``secrets_worker`` runs detect-secrets in a process of its own, because that library's command tells hashes of secrets,
asks web services whether they are valid, and looks for git.
"""

from __future__ import annotations

from typing import Final

from security_server.engines.bandit import BANDIT
from security_server.engines.base import Engine, Outcome
from security_server.engines.secrets import SECRETS

ENGINES: Final = {engine.name: engine for engine in (BANDIT, SECRETS)}

__all__ = ["ENGINES", "Engine", "Outcome"]
