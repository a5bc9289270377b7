"""The modules of a sample, imported as they find each other in the sandbox."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest


def import_modules(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """Yield all modules of a sample but the bot itself, and forget them afterwards."""
    names = [path.stem for path in folder.glob("*.py") if path.stem != "bot"]
    monkeypatch.syspath_prepend(folder)
    yield {name: import_module(name) for name in names}
    for name in names:
        sys.modules.pop(name)
