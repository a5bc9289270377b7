"""The build id changes with every file that can change a page."""

import shutil
import tomllib
from pathlib import Path

import pytest

from arena.core.release import DISTRIBUTION, HASHED_PACKAGES, REPOSITORY_ROOT, arena_version, hash_folders


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("release")
    for package in HASHED_PACKAGES:
        shutil.copytree(
            REPOSITORY_ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    return root


def hash_packages(root: Path) -> str:
    return hash_folders([root / package for package in HASHED_PACKAGES])


def test_a_copy_has_the_same_id(copy: Path) -> None:
    assert hash_packages(copy) == hash_packages(REPOSITORY_ROOT)


@pytest.mark.parametrize(
    "name",
    [
        "arena/pages/templatetags/pennant.py",
        "arena/core/messages.py",
        "arena/core/locale/hu/LC_MESSAGES/django.po",
        "engine/games/battleline/position.py",
        "templates/base.html",
    ],
)
def test_a_changed_file_changes_the_id(copy: Path, name: str) -> None:
    before = hash_packages(copy)
    with (copy / name).open("ab") as file:
        file.write(b"\n")
    assert hash_packages(copy) != before


def test_bytecode_does_not_change_the_id(copy: Path) -> None:
    before = hash_packages(copy)
    (copy / "engine" / "core.pyc").write_bytes(b"compiled")
    assert hash_packages(copy) == before


def test_the_version_is_that_of_the_distribution() -> None:
    project = tomllib.loads((REPOSITORY_ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == DISTRIBUTION
    assert arena_version() == project["version"]
