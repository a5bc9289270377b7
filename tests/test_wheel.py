"""The wheel alone, in an environment without the site: what an author installs."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from arena.bots.models import BotVersion
from arena.bots.teams import issue_token
from arena.people.accounts.models import User
from tests.servers import free_port
from tests.story.installation import COMMAND_TIMEOUT_S

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL_PACKAGES = {"arena", "engine", "pennant"}
MAX_HELP_S = 0.15
pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run("hatchling", "build", "-t", "wheel", "-d", str(folder))
    (wheel,) = folder.glob("pennant_arena-*.whl")
    return wheel


@pytest.fixture(scope="module")
def environment(wheel: Path) -> Path:
    """A fresh environment with the wheel and what it depends on."""
    return install(wheel, "environment")


def install(wheel: Path, name: str, *extras: str) -> Path:
    environment = wheel.parent / name
    wanted = [part for extra in extras for part in ("--extra", extra)]
    uv("sync", "--frozen", "--no-dev", "--no-install-project", *wanted, UV_PROJECT_ENVIRONMENT=str(environment))
    uv("pip", "install", "--no-deps", "--python", str(environment / "bin" / "python"), str(wheel))
    return environment


def run(module: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=True, capture_output=True)


def uv(*arguments: str, **variables: str) -> None:
    done = subprocess.run(
        ["uv", *arguments], cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def pennant(
    environment: Path, folder: Path, *arguments: str | Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the installed command in a folder, without the variables by which Python would find the checkout."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    command = [str(environment / "bin" / "pennant"), *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, env={**known, **variables}, capture_output=True, text=True, check=False, timeout=120
    )


def test_the_package_index_would_take_wheel_and_source(tmp_path: Path) -> None:
    run("hatchling", "build", "-d", str(tmp_path))
    built = sorted(str(path) for path in tmp_path.iterdir())
    assert [Path(path).suffix for path in built] == [".whl", ".gz"]
    uv("tool", "run", "twine", "check", "--strict", *built)


def test_the_top_level_has_three_packages_and_no_site(environment: Path) -> None:
    (packages,) = environment.glob("lib/python*/site-packages")
    (record,) = packages.glob("pennant_arena-*.dist-info/RECORD")
    names = {
        line.split("/")[0] for line in record.read_text().splitlines() if "/" in line and not line.startswith("..")
    }
    assert {name for name in names if not name.endswith(".dist-info")} == TOP_LEVEL_PACKAGES
    assert not [name for name in ("django", "celery", "psycopg", "numpy") if (packages / name).exists()]


def test_matches_are_played_and_verified(environment: Path, tmp_path: Path) -> None:
    played = pennant(environment, tmp_path, "play", "random", "greedy", "--seed", "5", "--out", "games")
    assert played.returncode == 0, played.stderr
    verified = pennant(environment, tmp_path, "verify", *sorted((tmp_path / "games").glob("*.json")))
    assert verified.stdout.count("ok ") == 2, verified.stdout


@pytest.mark.django_db(transaction=True)
def test_a_bot_is_submitted(environment: Path, tmp_path: Path, live_server: LiveServer, ana: User) -> None:
    (tmp_path / "bot.py").write_text("from pennant_kit import run\nrun(lambda message: message['legal'][0])")
    _, token = issue_token(owner=ana, name="a script")
    arguments = ("submit", "bot.py", "--bot", "heron", "--game", "battleline")
    done = pennant(environment, tmp_path, *arguments, PENNANT_URL=live_server.url, PENNANT_TOKEN=token)
    assert done.returncode == 0, done.stderr
    assert "heron v1" in done.stdout
    assert BotVersion.objects.get().bot.slug == "heron"


def test_help_is_there_at_once(environment: Path, tmp_path: Path) -> None:
    """In processor time, the least of several: the machine may be busy."""
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert pennant(environment, tmp_path, "--help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(spent) < MAX_HELP_S


def test_an_arena_runs_without_a_checkout(wheel: Path, tmp_path: Path) -> None:
    environment = install(wheel, "server", "server")
    command = [environment / "bin" / "pennant-arena", "up", "--port", str(free_port()), "--matches", "2", "--exit"]
    known = {"PATH": os.environ["PATH"], "PENNANT_DATA": str(tmp_path / "data"), "PENNANT_SHOWN_TOURNAMENTS": "off"}
    done = subprocess.run(
        command, cwd=tmp_path, env=known, capture_output=True, text=True, check=False, timeout=COMMAND_TIMEOUT_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 of 2 matches rated" in done.stdout


def test_an_author_is_told_what_an_arena_needs(environment: Path, tmp_path: Path) -> None:
    done = subprocess.run([environment / "bin" / "pennant-arena"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "Running an arena needs more packages: install pennant-arena[server].\n"


@pytest.mark.parametrize("name", ["engine", "arena"])
def test_a_file_that_hides_a_package_gets_a_sentence(environment: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").touch()
    done = pennant(environment, tmp_path, "--help", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert (
        done.stderr
        == f"{tmp_path}/{name}.py has the name of a package that Pennant needs: rename it, as in my_{name}.py\n"
    )
