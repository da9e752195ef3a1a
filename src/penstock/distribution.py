"""The name under which Penstock is installed. The import name is another word: ``penstock`` is taken on the index."""

from __future__ import annotations

HOME = ""  # the address of the project, once it has a public one; pyproject.toml has it as Homepage then
NAME = "penstock-mcp"  # without typing, which the gateway would wait for before it starts a server

# Packages that do not have a wheel for every Python and system: the module of each, and how Penstock works without it.
OPTIONAL = {
    "google-re2": ("re2", "Python's re runs regular expressions, under a time limit"),
    "PyYAML": ("yaml", "configuration files in YAML cannot be read"),
    "rapidyaml": ("ryml", "results in YAML are plain text"),
    "selectolax": ("selectolax", "results in HTML are plain text"),
}


def missing_features() -> list[str]:
    """Return a line for each optional package that is not installed, with what Penstock does without it."""
    from importlib.util import find_spec  # noqa: PLC0415  (a server waits for every import before it is started)

    return [
        f"without {package}: {instead}" for package, (module, instead) in OPTIONAL.items() if find_spec(module) is None
    ]


def install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f'pip install "{NAME}[{extra}]"'


def missing(extra: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """Return the error for a package that an extra would have brought, with the command that brings it."""
    return ModuleNotFoundError(f"the package {error.name} is not installed; {install(extra)}", name=error.name)


def outdated(module: str, package: str, oldest: int, error: ImportError) -> ImportError:
    """Return the error for a failed import of a package: one sentence if the package is older than our module needs.

    Each of these packages has an extra of the same name, which upgrades it.
    """
    from importlib.metadata import version  # noqa: PLC0415  (needed only after an import failed)

    installed = version(package)
    if int(installed.partition(".")[0]) >= oldest:
        return error
    return ImportError(
        f"{module} needs {package} {oldest} or later, but {installed} is installed; upgrade it with {install(package)}",
        name=package,
    )
