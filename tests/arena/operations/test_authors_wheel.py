"""The wheel that an arena hands out: built once, of what runs here, and found by installers."""

import re
import subprocess
import sys
from zipfile import ZipFile

import pytest
from django.urls import reverse

from arena.core.release import arena_version
from arena.operations.management.prepare import build_authors_wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_authors_wheel(tmp_path_factory.mktemp("install"))


def test_a_wheel_of_the_command_is_built_once(wheel):
    built_at = wheel.stat().st_mtime_ns
    assert wheel.name == f"pennant_arena-{arena_version()}-py3-none-any.whl"
    assert build_authors_wheel(wheel.parent) == wheel and wheel.stat().st_mtime_ns == built_at
    names = ZipFile(wheel).namelist()
    assert {"engine/core.py", "pennant/samples/greedy/bot.py", "arena/docs/operating.md"} <= set(names)
    assert not [name for name in names if name.startswith(("tests/", "bots/"))]


def test_it_is_built_again_when_the_files_are_others(wheel):
    (wheel.parent / "built-from").write_text("something else")
    built_at = wheel.stat().st_mtime_ns
    assert build_authors_wheel(wheel.parent).stat().st_mtime_ns > built_at
    assert len(list(wheel.parent.glob("*.whl"))) == 1


def test_the_page_links_to_the_wheel_with_its_hash(db, client, wheel, settings):
    settings.WHEEL_DIR = wheel.parent
    page = client.get(reverse("install"))
    (link,) = re.findall(r'href="([^"]+\.whl#sha256=[0-9a-f]{64})"', page.content.decode())
    address, _, digest = link.partition("#sha256=")
    assert digest == page.context["sha256"]
    assert client.get(address).getvalue() == wheel.read_bytes()
    assert client.get(reverse("wheel", args=["pennant_arena-0.0.0-py3-none-any.whl"])).status_code == 404


def test_without_a_wheel_the_page_says_so(db, client, tmp_path, settings):
    settings.WHEEL_DIR = tmp_path
    page = client.get(reverse("install"))
    assert page.status_code == 200 and page.context["wheel"] is None


@pytest.mark.full
def test_what_was_installed_from_a_wheel_is_packed_again(wheel, tmp_path):
    """An arena that runs from a wheel has no checkout to build from."""
    venv = tmp_path / "venv"
    subprocess.run(["uv", "venv", "-q", "--python", sys.executable, venv], check=True)
    python = venv / "bin" / "python"
    subprocess.run(["uv", "pip", "install", "-q", "--no-deps", "--python", python, wheel], check=True)
    code = "import sys; from pathlib import Path; "
    code += "from arena.operations.management.prepare import build_authors_wheel as b;"
    packed = tmp_path / "packed"
    subprocess.run([python, "-c", f"{code} print(b(Path(sys.argv[1])))", packed], cwd=tmp_path, check=True)
    (again,) = packed.glob("*.whl")
    first, second = ZipFile(wheel), ZipFile(again)
    assert set(first.namelist()) == set(second.namelist()) and first.testzip() is None
    same = [name for name in first.namelist() if not name.endswith("RECORD")]
    assert all(first.read(name) == second.read(name) for name in same)
    subprocess.run(["uv", "pip", "install", "-q", "--no-deps", "--reinstall", "--python", python, again], check=True)
