from dataclasses import replace

import pytest

from arena.runner.languages import LANGUAGES
from arena.runner.sandbox import NoSandbox, Sandbox, find_bwrap
from arena.runner.sandbox.bwrap import BwrapSandbox
from arena.runner.sandbox.stage import within_reach


@pytest.fixture(scope="session")
def workshop() -> BwrapSandbox:
    """A sandbox with all languages of this machine, whether they work in it or not."""
    try:
        box = find_bwrap()
    except NoSandbox as missing:
        pytest.skip(f"no sandbox: {missing}")
    assert isinstance(box, BwrapSandbox)
    looked = {key: language.find() for key, language in LANGUAGES.items()}
    return replace(box, languages={key: within_reach(found) for key, found in looked.items() if found})


def installed(box: Sandbox, key: str) -> str:
    if key not in box.languages:
        pytest.skip(f"not on this machine: {LANGUAGES[key].advice}")
    return key
