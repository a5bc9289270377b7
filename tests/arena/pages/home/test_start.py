"""The first steps: what they tell, and that every command on them does what it says, from an empty folder on."""

import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.request import urlopen

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from arena import tasks
from arena.accounts.models import User
from arena.bots.models import BotVersion
from arena.bots.tokens import issue_token
from arena.ladders.models import Entry, Ladder
from arena.matches.models import Match, WorkerStatus
from arena.matches.runner_process import RunnerProcess
from arena.matches.sandbox_status import SandboxStatus
from arena.pages.home.start import STARTER_LANGUAGES
from arena.runner.data_files import STARTERS_FOLDER
from arena.runner.languages import LANGUAGES
from arena.runner.sandbox.levels import LanguageStatus, Report
from tests.full import default_and_full

ROOT = Path(__file__).resolve().parents[4]
COMMANDS = re.compile(r'<pre class="program code"[^>]*>(.*?)</pre>', re.DOTALL)
INSTALLS = ("pip install uv", "uv tool install ")
"""Lines that aren't run here: they get what this machine has already, from the internet."""
DEADLINE_S = 240


def blocks_of(page: str) -> list[str]:
    return [unescape(block) for block in COMMANDS.findall(page)]


def test_the_page_says_what_one_has_to_know(db, settings):
    settings.SOURCE_URL = "https://git.example/pennant"
    page = Client().get("/start/").text
    assert "git clone https://git.example/pennant" in page and 'href="/install/"' in page
    assert 'href="/start/protocol.md"' in page and 'href="/api/v1/docs/"' in page and 'href="/viewer/"' in page
    assert "stderr" in page and "256 MiB" in page and "30000 ms" in page
    assert "bot.java" not in page and "Bot.java" in page and "node bot.js" in page


def test_without_a_known_source_the_command_is_handed_out_all_the_same(db, settings):
    settings.SOURCE_URL = ""
    page = Client().get("/start/").text
    assert "git clone" not in page and "uv tool install --find-links http://testserver/install/ pennant-arena" in page


def test_the_protocol_is_the_guide_for_authors(db):
    answer = Client().get("/start/protocol.md")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.getvalue() == (ROOT / "bots" / "README.md").read_bytes()


def test_the_languages_that_run_here_are_listed_with_their_versions(db):
    report = Report(
        "A",
        "bwrap",
        (),
        (LanguageStatus("go", "Go", "1.19.8", None), LanguageStatus("c", "C", None, LANGUAGES["c"].advice)),
        None,
        60.0,
    )
    WorkerStatus.objects.create(worker="mill", level="A", report=report.as_json())
    page = Client().get("/start/").text
    assert "bot.go" in page and "1.19.8" in page
    assert "bot.c<" not in page


@pytest.mark.parametrize("language", STARTER_LANGUAGES)
def test_a_starter_is_a_zip_with_its_entry_at_the_top(db, language):
    answer = Client().get(f"/start/{language}.zip")
    with zipfile.ZipFile(BytesIO(answer.content)) as archive:
        names = set(archive.namelist())
    assert names == {path.name for path in (STARTERS_FOLDER / language).iterdir()}
    assert {LANGUAGES[language].entry, "README.md"} <= names
    assert answer.content == Client().get(f"/start/{language}.zip").content


def test_there_is_no_starter_in_other_languages(db):
    assert Client().get("/start/go.zip").status_code == 404
    assert Client().get("/start/no-such.zip").status_code == 404
    assert "python.zip" in Client().get("/start/?language=go").text


@pytest.fixture
def work(runner: RunnerProcess, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """All that the arena's worker would do now."""
    runner.examine()
    monkeypatch.setattr(tasks, "sandbox_status", SandboxStatus(runner))

    def once() -> None:
        for version in BotVersion.objects.filter(state=BotVersion.State.BUILDING):
            tasks.build_version(version.pk)
        for version in BotVersion.objects.on_trial():
            tasks.check_version(version.pk)
        while Match.objects.queued().exists():
            tasks.play_next()

    return once


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("language", default_and_full(STARTER_LANGUAGES[:1], STARTER_LANGUAGES[1:]))
def test_the_commands_lead_from_an_empty_folder_to_a_rated_bot(
    language: str,
    live_server: LiveServer,
    ana: User,
    ladder: Ladder,
    work: Callable[[], None],
    tmp_path: Path,
) -> None:
    if language not in tasks.sandbox_status.runner.languages:
        pytest.skip(f"no {language} here")
    _, token = issue_token(owner=ana, name="the first")
    with urlopen(f"{live_server.url}/start/?language={language}") as answer:
        page = answer.read().decode()
    lines = "\n".join(blocks_of(page)).splitlines()
    script = "\n".join(line for line in lines if not line.startswith(INSTALLS)).replace("pnt_…", token)
    assert live_server.url in script and "pennant submit" in script
    done = run(script, tmp_path, work)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "my-first-bot v1 is accepted." in done.stdout
    assert BotVersion.objects.get().state == "accepted" and Entry.objects.get().ladder == ladder
    assert list((tmp_path / "played").glob("*.json")) and (tmp_path / "mybot" / LANGUAGES[language].entry).exists()


def run(script: str, folder: Path, work: Callable[[], None]) -> subprocess.CompletedProcess[str]:
    """Run it as a shell would, in a folder of its own with the command on the path, while the arena works."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    room = {**os.environ, "PATH": path, "COLUMNS": "160"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=room, **streams) as shell:
        deadline = time.monotonic() + DEADLINE_S
        while shell.poll() is None:
            if time.monotonic() > deadline:
                shell.kill()
            work()
            time.sleep(0.1)
        out, errors = shell.communicate()
    return subprocess.CompletedProcess(script, shell.returncode, out, errors)
