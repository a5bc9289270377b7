"""Packages that an operator has installed: bots in Python find them, in every sandbox, and nothing else does."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.runner.bot_packages import (
    InstallError,
    PackagesMissingError,
    choose_packages,
    find_current_set,
    install_packages,
    list_requirements,
    remove_packages,
)
from arena.runner.data_files import PACKAGES_VARIABLE, find_current_hash, find_packages_folder
from arena.runner.languages import BotPackage, PackageSet
from arena.runner.program import Limits, Program
from arena.runner.sandbox import detection
from arena.runner.sandbox.base import PACKAGES_LAYER, NoSandboxError, Sandbox, SandboxError
from arena.runner.sandbox.detection import examine, find_unsandboxed, try_packages
from tests.runner.conftest import written
from tests.runner.landlock.ordinary_user import run_as_ordinary_user
from tests.runner.sandboxes import SANDBOXES
from tests.runner.wheels import TINY, write_installed_wheel, write_wheel

HELLO = b'{"type":"hello"}\n'
TELL = """
import json, sys
sys.stdin.readline()
import tiny, tiny.sums
try:
    open(tiny.__file__, "a")
    changed = True
except OSError:
    changed = False
print(json.dumps([tiny.ANSWER, tiny.sums.add(1, 2), sys.path[1:3], changed, "numpy" in sys.modules]), flush=True)
sys.stdin.read()
"""


def quietly(_: object) -> None:
    return


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    write_wheel(folder, "tiny", "1.5", TINY)
    return folder


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(PACKAGES_VARIABLE, str(tmp_path / "packages"))
    return tmp_path / "packages"


@pytest.fixture
def installed(wheels: Path, top: Path) -> PackageSet:
    return install_packages(wheels, top, quietly)


@pytest.fixture(params=SANDBOXES)
def box(request: pytest.FixtureRequest, installed: PackageSet) -> Iterator[Sandbox]:
    try:
        found, layer, told = try_packages(SANDBOXES[request.param]())
    except NoSandboxError as missing:
        pytest.skip(str(missing))
    assert layer is not None and layer.holds and told is not None and told["works"]
    yield found
    found.close()


def test_a_folder_of_wheels_becomes_a_set_named_after_its_files(installed: PackageSet, top: Path, wheels: Path) -> None:
    assert installed.versions == {"tiny": "1.5"} and installed.packages[0].imports == ("tiny",)
    assert find_current_set() == installed and find_current_hash() == installed.hash
    assert sorted(path.name for path in installed.folder.iterdir()) == ["tiny", "tiny-1.5.dist-info"]
    again = install_packages(wheels, top, quietly)
    assert again.hash == installed.hash
    assert (top / "current").resolve().name == installed.hash


def test_another_set_takes_its_place_and_the_one_before_stays(top: Path, installed: PackageSet, tmp_path: Path) -> None:
    names = []
    for version in ("2.0", "3.0"):
        folder = tmp_path / version
        folder.mkdir()
        write_wheel(folder, "tiny", version, TINY)
        names.append(install_packages(folder, top, quietly).hash)
    assert find_current_hash() == names[1]
    assert {path.name for path in (top / "sets").iterdir()} == set(names)
    assert remove_packages(top) and find_current_set() is None and not remove_packages(top)


def test_what_cannot_be_installed_is_said_and_changes_nothing(top: Path, installed: PackageSet, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    listed = tmp_path / "list.txt"
    listed.write_text("numpy==2.4.6\n")
    shadow = tmp_path / "shadow"
    shadow.mkdir()
    write_wheel(shadow, "sneaky", "1", {"random.py": "", "engine/__init__.py": ""})
    for source, said in (
        (bad, "has no wheels"),
        (tmp_path / "none", "There is no "),
        (listed, "has no hashes"),
        (shadow, "sneaky would take the place of Python's own or the kit's engine, random."),
    ):
        with pytest.raises(InstallError, match=said):
            install_packages(source, top, quietly)
    (bad / "tiny-1-py3-none-any.whl").write_bytes(b"no zip")
    with pytest.raises(InstallError, match="were not installed"):
        install_packages(bad, top, quietly)
    assert find_current_set() == installed
    assert {path.name for path in top.iterdir()} == {"sets", "current"}


@pytest.mark.parametrize("is_warm", [False, True])
def test_every_bot_sees_them_after_the_kit_and_cannot_change_them(
    box: Sandbox, installed: PackageSet, is_warm: bool
) -> None:
    program = replace(written(TELL), packages={"tiny": "1.5"}, package_set=installed.hash)
    if is_warm:
        box.fill_warm_pool("python", Limits(), 1, ("tiny",))
    for one in (program, written(TELL)):
        process = box.start(one, Limits())
        answer, number, path, changed, _ = json.loads(process.ask(HELLO, 5))
        process.close()
        assert (answer, number, changed) == (42, 3, False)
        assert path[0].endswith(("/kit", "library")) and path[1] == ("/packages" if box.level == "A" else path[1])


def test_a_bot_whose_set_is_another_is_not_played(box: Sandbox) -> None:
    with pytest.raises(SandboxError, match="are not on this machine"):
        box.start(replace(written(TELL), packages={"tiny": "1.4"}, package_set="0" * 20), Limits())


def test_a_bot_with_a_package_of_its_own_gets_that(box: Sandbox, installed: PackageSet) -> None:
    source = "import sys, tiny\nsys.stdin.readline()\nprint(tiny.ANSWER, flush=True)\nsys.stdin.read()\n"
    own = Program("own", 1, {"bot.py": source.encode(), "tiny.py": b"ANSWER = 7"})
    assert choose_packages(own.files, installed) == {}
    process = box.start(own, Limits())
    assert process.ask(HELLO, 5) == b"7"
    process.close()


def test_without_a_sandbox_they_are_there_too(installed: PackageSet) -> None:
    process = find_unsandboxed().start(written(TELL), Limits())
    assert json.loads(process.ask(HELLO, 5))[:2] == [42, 3]
    process.close()


def test_a_set_that_fails_its_test_is_told_and_shown_to_no_bot(top: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    write_wheel(broken, "broken", "1", {"broken/__init__.py": "raise ValueError('not here')\n"})
    install_packages(broken, top, quietly)
    box, report = examine({"python"})
    (layer,) = (layer for layer in report.layers if layer.name == PACKAGES_LAYER)
    assert box is not None and box.languages["python"].run.packages is None
    assert not layer.holds and "broken failed its test" in str(layer.what) and "not here" in str(layer.what)
    assert report.packages is not None and not report.packages["works"]
    assert report.level in ("A", "C", "D")


def test_a_set_that_fills_memory_is_told_apart(installed: PackageSet, monkeypatch: pytest.MonkeyPatch) -> None:
    for most, is_much in ((installed.size, False), (installed.size - 1, True)):
        monkeypatch.setattr(detection, "MUCH_MEMORY_BYTES", most)
        box, report = examine({"python"})
        assert box is not None and report.packages is not None
        is_told = is_much and box.level == "A"
        assert report.packages["takes_much_memory"] is is_told
        assert ("more than 150 MB" in str(report.layers[-1].what)) is is_told
        box.close()


def test_a_set_for_another_python_is_not_used(installed: PackageSet, top: Path) -> None:
    manifest = top / "sets" / installed.hash / "packages.json"
    manifest.write_text(manifest.read_text().replace('"python": "3', '"python": "2'))
    _, report = examine({"python"})
    assert report.packages is not None and not report.packages["works"]
    assert "install them again" in str(report.layers[-1].what)


USE_NUMPY = """
import numpy as np
from pennant_kit import run
seen = np.random.default_rng(3).integers(100, size=3)
run(lambda message: message["legal"][0])
"""


@pytest.mark.full
@pytest.mark.parametrize("level", ["A", "C", "D"])
def test_numpy_works_within_the_limits_at_every_level(level: str, tmp_path: Path, open_folder: Path) -> None:
    wheels, top = tmp_path / "wheels", open_folder / "packages"
    wheels.mkdir()
    write_installed_wheel(wheels, "numpy")
    install_packages(wheels, top, quietly)
    os.environ[PACKAGES_VARIABLE] = str(top)
    try:
        if level == "D":
            told = json.loads(run_as_ordinary_user("tests.runner.try_packages", str(top)))
        else:
            found, _, told = try_packages(SANDBOXES["bwrap" if level == "A" else "landlock"]())
            memory = found.languages["python"].packages_memory["numpy"]
            assert 5 < memory.held_mb < 40 and memory.set_aside_mb < 200
            found.close()
    finally:
        del os.environ[PACKAGES_VARIABLE]
    assert told["works"]


SET = PackageSet(
    "0" * 20,
    "3.11 x86_64",
    1,
    1,
    (BotPackage("numpy", "2.1.0", ("numpy",)), BotPackage("scikit-learn", "1.5.2", ("sklearn",))),
)


@pytest.mark.parametrize(
    ("files", "used"),
    [
        ({"bot.py": b"print()"}, []),
        ({"bot.py": b"# requirements: numpy\n"}, ["numpy"]),
        ({"bot.py": b"x = 1\n# Requirements: numpy >= 2, Scikit_Learn\r\n"}, ["numpy", "scikit-learn"]),
        ({"bot.py": b"", "requirements.txt": b"# mine\nnumpy~=2.1  # arrays\n\n"}, ["numpy"]),
        ({"bot.py": b"", "requirements.txt": b"numpy==2.1.0 \\\n    --hash=sha256:00\n"}, ["numpy"]),
        ({"bot.py": b"", "requirements.txt": b"numpy; python_version < '3'\n"}, []),
        ({"bot.py": b"def f():\n    from sklearn.svm import SVC\n"}, ["scikit-learn"]),
        ({"bot.py": b"import numpyro, os\n"}, []),
        ({"bot.py": b"import helper", "helper.py": b"import numpy.linalg as la\n"}, ["numpy"]),
        ({"bot.py": b"import numpy", "numpy/__init__.py": b""}, []),
        ({"bot.py": b"# requirements: humanize", "humanize/__init__.py": b""}, []),
        ({"bot.py": b"", "requirements.txt": b"PyYAML", "pyyaml-6.0.dist-info/METADATA": b""}, []),
    ],
)
def test_what_a_bot_uses_is_read_from_its_files(files: dict[str, bytes], used: list[str]) -> None:
    assert list(choose_packages(files, SET)) == used


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (b"pandas", "pandas isn't available on this arena; numpy 2.1.0 and scikit-learn 1.5.2 are."),
        (b"pandas, torch", "pandas, torch aren't available on this arena; numpy 2.1.0 and scikit-learn 1.5.2 are."),
        (b"numpy<2", "numpy<2 isn't available on this arena; numpy 2.1.0 and scikit-learn 1.5.2 are."),
        (b"numpy @ https://example.org/numpy.whl", "'numpy @ https://example.org/numpy.whl' isn't a package name"),
        (b"$(rm -rf)", "'$(rm -rf)' isn't a package name"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(said: bytes, answer: str) -> None:
    with pytest.raises(PackagesMissingError) as refused:
        choose_packages({"bot.py": b"# requirements: " + said}, SET)
    assert str(refused.value).startswith(answer)


def test_an_arena_without_packages_says_so() -> None:
    with pytest.raises(PackagesMissingError, match="has no packages, but the bot requires numpy"):
        choose_packages({"bot.py": b"# requirements: numpy"}, None)
    assert choose_packages({"bot.py": b"import numpy"}, None) == {}
    assert list_requirements({"bot.py": b"", "requirements.txt": b"\xff\xfe"[:0]}) == []


def test_the_folder_is_the_named_one_or_in_the_data_folder(tmp_path: Path) -> None:
    assert find_packages_folder({PACKAGES_VARIABLE: str(tmp_path)}) == tmp_path
    assert find_packages_folder({"PENNANT_DATA": str(tmp_path)}) == tmp_path / "packages"


@pytest.mark.skipif(shutil.which("uv") is None, reason="no uv")
def test_an_image_is_built_without_the_settings_of_a_site(wheels: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "arena.runner.bot_packages", str(wheels), str(tmp_path / "packages")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "tiny 1.5\nSet " in done.stdout and find_current_set(tmp_path / "packages") is not None
