from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from arena.runner.languages import LANGUAGES
from arena.runner.sandbox.base import NoSandboxError, Sandbox
from arena.runner.sandbox.bwrap import BwrapSandbox
from arena.runner.sandbox.files import make_readable
from tests.full import full_only, is_full_run
from tests.runner.sandboxes import find_bwrap

DEFAULT_LANGUAGES = ("python", "javascript", "c", "executable")
"""One language for each way of running a program."""


@pytest.fixture(scope="session")
def workshop() -> BwrapSandbox:
    """Return a sandbox with the installed ones of the tested languages."""
    try:
        box = find_bwrap()
    except NoSandboxError as missing:
        pytest.skip(f"no sandbox: {missing}")
    assert isinstance(box, BwrapSandbox)
    tested = LANGUAGES if is_full_run() else DEFAULT_LANGUAGES
    looked = {key: LANGUAGES[key].find() for key in tested}
    return replace(box, languages={key: make_readable(found) for key, found in looked.items() if found})


def installed(box: Sandbox, key: str) -> str:
    if key not in box.languages:
        pytest.skip(f"not on this machine: {LANGUAGES[key].advice}")
    return key


def by_language(keys: Iterable[str]) -> list[Any]:
    """Return the languages as parameters, of which all but DEFAULT_LANGUAGES run only with `--full`."""
    keys = list(keys)
    full = full_only(key for key in keys if key not in DEFAULT_LANGUAGES)
    return [key for key in keys if key in DEFAULT_LANGUAGES] + full
