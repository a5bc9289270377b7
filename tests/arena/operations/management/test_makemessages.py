"""The catalogue of a game from outside the tree."""

import shutil
import subprocess
import sys
from pathlib import Path

import polib
import pytest

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = ROOT / "docs" / "example-game" / "goofspiel"
CATALOGUE = Path("locale", "hu", "LC_MESSAGES", "django.po")


def list_texts(path: Path) -> set[tuple[str | None, str]]:
    return {(entry.msgctxt, entry.msgid) for entry in polib.pofile(str(path))}


def test_texts_that_the_site_has_are_left_to_the_site(tmp_path: Path) -> None:
    if shutil.which("xgettext") is None:
        pytest.skip("gettext is not installed (no xgettext on the path)")
    folder = tmp_path / "goofspiel"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "pages.py").open("a") as pages:
        pages.write('\nTEXTS = [_("Rules"), _("A text that nobody else has")]\n')
    command = [sys.executable, "manage.py", "makemessages", "--game", str(folder), "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, check=True)
    own, site = list_texts(folder / CATALOGUE), list_texts(ROOT / "arena" / "core" / CATALOGUE)
    assert (None, "A text that nobody else has") in own and (None, "Rules") in site
    assert own & site == set()
    assert own - list_texts(EXAMPLE / CATALOGUE) == {(None, "A text that nobody else has")}
