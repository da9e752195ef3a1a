"""The name under which Penstock is installed. The import name is another word: ``penstock`` is taken on the index."""

from __future__ import annotations

HOME = ""  # the address of the project, once it has a public one; pyproject.toml has it as Homepage then
NAME = "penstock-mcp"  # without typing, which the gateway would wait for before it starts a server


def install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f'pip install "{NAME}[{extra}]"'


def missing(extra: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """Return the error for a package that an extra would have brought, with the command that brings it."""
    return ModuleNotFoundError(f"the package {error.name} is not installed; {install(extra)}", name=error.name)
