"""Compile the catalogues of translations: the repository has their text alone.

Wheels and checkouts get them when they are built or installed, by the hook below; an arena makes them anew when it is
prepared, together with those of games from outside the tree.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polib
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def compile_catalogues(folders: Iterable[Path]) -> list[Path]:
    """Compile each catalogue below these folders that isn't as its text is now. Return the files that were written."""
    written = []
    for source in sorted(path for folder in folders for path in folder.rglob("LC_MESSAGES/*.po")):
        content, compiled = polib.pofile(str(source)).to_binary(), source.with_suffix(".mo")
        if not compiled.exists() or compiled.read_bytes() != content:
            # Pages may be reading the old one.
            new = compiled.with_name(f"{compiled.name}.{os.getpid()}")
            new.write_bytes(content)
            new.replace(compiled)
            written.append(compiled)
    return written


class CatalogueHook(BuildHookInterface[Any]):
    """Compile the site's catalogues when a wheel is built or a checkout is installed."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files, which git ignores, and have them packed."""
        compile_catalogues([Path(self.root, "arena", "core")])
        build_data["artifacts"].append("/arena/core/**/*.mo")
