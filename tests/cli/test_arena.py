"""The commands that ask an arena, as an author's script runs them: processes on one side, a real arena on the other."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from click.testing import CliRunner, Result
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from arena.bots.models import Bot, BotVersion
from arena.bots.services import create_bot
from arena.bots.teams import issue_token
from arena.cli import EXIT_MACHINE, main
from arena.contests.comparisons.models import Comparison
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.contests.ladders.services.seasons import (
    close_season,
    end_group_season,
    enter_group_ladder,
    open_group_ladder,
)
from arena.matches.models import Match
from arena.matches.play import play_attempt
from arena.matches.services import claim_match
from arena.matches.workers import this_worker
from arena.operations import tasks
from arena.operations.acts import leave_group
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from arena.runner.match import MatchReport, play_match
from arena.runner.sandbox.base import Sandbox
from tests.cli.running import PENNANT, PROJECT_ROOT, SAMPLES
from tests.conftest import EXITS_AT_ONCE, MakeVersion

pytestmark = pytest.mark.django_db(transaction=True)

Done = subprocess.CompletedProcess[str]
README = PROJECT_ROOT / "bots" / "README.md"
DEADLINE_S = 120


@pytest.fixture
def kingfisher(ana: User) -> Bot:
    return create_bot(owner=ana, name="Kingfisher", game="battleline")


@pytest.fixture
def environment(live_server: LiveServer, ana: User, kingfisher: Bot) -> dict[str, str]:
    """Of a script that acts for ana."""
    _, text = issue_token(owner=ana, name="a script")
    return {"PENNANT_URL": live_server.url, "PENNANT_TOKEN": text}


@pytest.fixture
def work(bare: Sandbox) -> Callable[[], None]:
    """All that the arena's workers would do now. Of the many matches of a comparison the first is played, and the
    others end as that did."""
    known: dict[bool, MatchReport] = {}

    def play(match: Match) -> None:
        reports = known if hasattr(match, "comparison_match") else {}
        attempt = claim_match(match_id=match.pk, worker=this_worker())
        assert attempt is not None
        assert play_attempt(
            attempt=attempt,
            play=lambda spec, beat: reports.get(True) or reports.setdefault(True, play_match(spec, bare, beat)),
        )
        tasks.settle_match(match.pk)

    def once() -> None:
        for version in BotVersion.objects.on_trial():
            tasks.check_version(version.pk)
        while match := Match.objects.queued().first():
            play(match)
        for comparison in Comparison.objects.running():
            tasks.play_comparison(comparison.pk)

    return once


@pytest.fixture
def ask(environment: dict[str, str], work: Callable[[], None]) -> Callable[..., Done]:
    """Run a command to its end, while the arena works."""

    def run(*arguments: str | Path, cwd: Path = PROJECT_ROOT) -> Done:
        command = [*PENNANT, *map(str, arguments)]
        room = {**os.environ, **environment, "COLUMNS": "160", "PYTHONPATH": str(PROJECT_ROOT)}
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, cwd=cwd, env=room, **streams) as asking:
            deadline = time.monotonic() + DEADLINE_S
            while asking.poll() is None:
                if time.monotonic() > deadline:
                    asking.kill()
                work()
                time.sleep(0.05)
            out, errors = asking.communicate()
        return Done(command, asking.returncode, out, errors)

    return run


def test_a_version_is_uploaded_judged_and_shown(
    ask: Callable[..., Done], quickly: Callable[..., Result], ladder: Ladder, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "bot.py").write_text("from mind import choose\nfrom pennant_kit import run\nrun(choose)")
    (folder / "mind.py").write_text(
        "def choose(message):\n"
        "    if len(message['view']['flags']) == 5:\n"
        "        raise ValueError('no value function')\n"
        "    return message['legal'][0]"
    )
    done = ask("submit", folder, "--bot", "kingfisher", "--wait")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("kingfisher v1 is accepted.\nadvanced: passed\nshort: not on this ladder. Crash in")
    assert "ValueError: no value function" in done.stdout and done.stdout.endswith("/kingfisher/v/1/\n")
    assert set(BotVersion.objects.get().files) == {"bot.py", "mind.py"}
    again = quickly("submit", folder, "--bot", "kingfisher", "--json")
    assert json.loads(again.stdout)["number"] == 1 and BotVersion.objects.count() == 1
    shown = quickly("status", COLUMNS="160")
    assert (
        "kingfisher" in shown.stdout
        and "v1 accepted" in shown.stdout
        and "1500 ± 588 ? 0" in " ".join(shown.stdout.split())
    )
    (entry,) = json.loads(quickly("status", "kingfisher", "--json").stdout)[0]["entries"]
    assert (entry["version"], entry["state"]) == (1, "active")

    broken = tmp_path / "bot.py"
    broken.write_bytes(EXITS_AT_ONCE)
    rejected = ask("submit", broken, "--bot", "kingfisher", "--wait")
    assert rejected.returncode == 1
    assert rejected.stdout.startswith("kingfisher v2 is rejected.\nFailed to start in leg 1 of its trial.")


NEVER_CLAIMS = b"""
from pennant_kit import run

run(lambda message: next((one for one in message["legal"] if not one.startswith("claim")), message["legal"][0]))
"""
"""It loses every leg, so that one match decides."""


def test_the_workflow_of_the_guide_hands_in_compares_and_promotes(
    ask: Callable[..., Done], ana: User, ladder: Ladder, kingfisher: Bot, make_version: MakeVersion, tmp_path: Path
) -> None:
    """What the guide says, run as it says it; only what installs things is left out."""
    before = make_version(ana, "Kingfisher", NEVER_CLAIMS)
    (text,) = re.findall(r"```yaml\n(.*?)```", README.read_text(), re.DOTALL)
    workflow = yaml.safe_load(text)
    (job,) = workflow["jobs"].values()
    assert {"PENNANT_URL", "PENNANT_TOKEN"} == set(job["env"]) and "push" in workflow[True]
    commands = [step["run"].split() for step in job["steps"] if step.get("run", "").startswith("pennant ")]
    (tmp_path / "my-folder").symlink_to(SAMPLES / "greedy")
    done = [ask(*command[1:], cwd=tmp_path) for command in commands]
    assert [command[1] for command in commands] == ["submit", "compare"]
    assert [one.returncode for one in done] == [0, 0], [one.stdout + one.stderr for one in done]
    assert "kingfisher v2 is accepted and on hold." in done[0].stdout
    assert "kingfisher v2 with kingfisher v1: better." in done[1].stdout
    assert "Now on the ladders." in done[1].stdout and " Elo, from +" in done[1].stdout
    comparison = Comparison.objects.get()
    assert comparison.baseline == before and comparison.promoted_at is not None
    assert [entry.version.number for entry in ladder.entries.active()] == [2]


@pytest.fixture
def quickly(environment: dict[str, str]) -> Callable[..., Result]:
    """Run a command that waits for nothing, in this process."""

    def run(*arguments: str | int | Path, **changes: str) -> Result:
        return CliRunner(env=environment | changes).invoke(main, [*map(str, arguments)])

    return run


@pytest.fixture
def queued(ladder: Ladder, ana: User, ben: User, make_version: MakeVersion, kingfisher: Bot) -> list[Match]:
    """About a ladder with two bots on it."""
    for owner, name in ((ana, "Kingfisher"), (ben, "Egret")):
        enter_version(ladder=ladder, version=make_version(owner, name))
    return queue_ladder_matches(ladder=ladder)


def test_records_are_fetched_and_a_season_that_is_over_is_dealt_again(
    quickly: Callable[..., Result],
    work: Callable[[], None],
    queued: list[Match],
    live_server: LiveServer,
    tmp_path: Path,
) -> None:
    match, *others = queued
    ladder = Ladder.objects.get()
    early = quickly("record", match.pk)
    assert early.exit_code == 2 and f"Match {match.pk} is queued" in early.stderr
    running = quickly("verify", "--season", "battleline/standard/1", "--save", tmp_path / "before.json")
    assert running.exit_code == 4, running.output
    assert running.stdout.startswith(f"not yet battleline/standard/1: {1 + len(others)} matches")

    work()
    assert not LadderMatch.objects.in_flight().exists()
    close_season(ladder=ladder)
    games = tmp_path / "games"
    legs = quickly("record", match.pk, "--out", games).stdout.splitlines()
    assert legs == [f"{games}/{match.pk}-{leg}.json" for leg in (1, 2)]
    ladder.refresh_from_db()
    over = quickly(
        "verify", "--season", f"{live_server.url}{ladder.get_absolute_url()}", *legs, tmp_path / "before.json"
    )
    assert over.exit_code == 0, over.output
    assert [line.split()[0] for line in over.stdout.splitlines()] == ["ok"] * 4
    one = quickly("record", match.pk, 2)
    assert json.loads(one.stdout) == json.loads((games / f"{match.pk}-2.json").read_text())


def test_members_alone_check_the_season_of_their_group(
    quickly: Callable[..., Result],
    ana: User,
    ben: User,
    make_version: MakeVersion,
    work: Callable[[], None],
    live_server: LiveServer,
) -> None:
    group = Group.objects.create(name="Class", slug="class")
    Membership.objects.create(group=group, user=ana, role="owner")
    Membership.objects.create(group=group, user=ben)
    ladder = open_group_ladder(group=group, by=ana, game="battleline", edition="standard", with_samples=False)
    for author, name in ((ana, "Own"), (ben, "Mate")):
        enter_group_ladder(ladder=ladder, bot=make_version(author, name).bot, by=author)
    queue_ladder_matches(ladder=ladder)
    work()
    end_group_season(ladder=ladder, by=ana)
    address = f"{live_server.url}/groups/class/ladders/battleline/standard/seasons/1/"
    checked = quickly("verify", "--season", address)
    assert checked.exit_code == 0, checked.output
    assert checked.stdout.startswith(f"ok {address}: 2 matches, every deal follows from the secret")
    elsewhere = quickly("verify", "--season", address, PENNANT_URL="https://arena.example")
    assert elsewhere.exit_code == 2 and "PENNANT_TOKEN is only for https://arena.example" in elsewhere.stderr
    Membership.objects.filter(user=ben).update(role="owner")
    leave_group(member=Membership.objects.get(user=ana), by=ana)
    assert "You aren't in a group with the address class" in quickly("verify", "--season", address).stderr


def test_a_bot_is_made_with_its_first_version_where_its_game_is_named(quickly: Callable[..., Result]) -> None:
    done = quickly("submit", SAMPLES / "random", "--bot", "night-heron", "--game", "battalion")
    assert done.exit_code == 0, done.stderr
    bot = Bot.objects.get(slug="night-heron")
    assert (bot.game, bot.versions.count()) == ("battalion", 1)
    again = quickly("submit", SAMPLES / "random", "--bot", "night-heron", "--game", "battalion")
    assert again.exit_code == 0 and bot.versions.count() == 1
    named = quickly("submit", SAMPLES / "random", "--bot", "Grey Heron", "--game", "battalion")
    assert named.exit_code == 2 and "--bot grey-heron" in named.stderr


def test_a_bot_is_named_as_its_folder_unless_told_otherwise(quickly: Callable[..., Result], tmp_path: Path) -> None:
    folder = tmp_path / "Grey Heron"
    shutil.copytree(SAMPLES / "random", folder)
    for path in (folder, folder / "bot.py"):
        done = quickly("submit", path, "--game", "battleline")
        assert done.exit_code == 0, done.stderr
    (tmp_path / "egret.py").write_bytes((folder / "bot.py").read_bytes())
    assert quickly("submit", tmp_path / "egret.py", "--game", "battleline").exit_code == 0
    assert sorted(Bot.objects.values_list("slug", flat=True)) == ["egret", "grey-heron", "kingfisher"]


def test_a_folder_named_in_any_script_makes_and_finds_the_bot_of_that_name(
    quickly: Callable[..., Result], tmp_path: Path
) -> None:
    for name, slug in (("北京队", "beijingdui"), ("O\u0308do\u0308n", "odon"), ("אריה", "ryh")):  # as macOS writes Ö
        folder = tmp_path / name
        shutil.copytree(SAMPLES / "random", folder)
        refused = quickly("submit", folder)
        assert (
            refused.exit_code == 2
            and "You don't have a bot called" in refused.stderr
            and "--bot SLUG" in refused.stderr
        )
        made = quickly("submit", folder, "--game", "battleline")
        assert made.exit_code == 0 and f"Its slug is {slug}." in made.stderr, made.stderr
        (folder / "bot.py").write_text((folder / "bot.py").read_text() + "\n# 2\n")
        assert quickly("submit", folder).exit_code == 0
        assert quickly("submit", SAMPLES / "random", "--bot", name).exit_code == 0
        assert Bot.objects.get(slug=slug).versions.count() == 2


def test_what_an_arena_refuses_is_said_in_its_words(
    quickly: Callable[..., Result], ben: User, kingfisher: Bot, tmp_path: Path
) -> None:
    create_bot(owner=ben, name="Egret", game="battleline")
    nothing = tmp_path / "bot.py"
    nothing.write_text("")
    refused = {
        ("submit", SAMPLES / "random", "--bot", "egret"): "Egret belongs to someone else",
        ("submit", SAMPLES / "random", "--bot", "nobody"): "To create it, name its game: --game",
        (
            "submit",
            SAMPLES / "random",
            "--bot",
            "new",
            "--game",
            "chess",
        ): "“chess” isn't one of: battleline",
        ("submit", nothing, "--bot", "kingfisher"): "The file is empty.",
        ("submit", tmp_path / "nowhere", "--bot", "kingfisher"): "nowhere is neither a file nor a folder",
        ("submit", tmp_path / "no.zip", "--bot", "kingfisher"): "No such file",
        ("compare", "kingfisher"): "has an accepted version",
        ("compare", "king fisher"): "isn't BOT or BOT/NUMBER",
        ("record", "9999"): "Match 9999 doesn't exist",
        ("status", "nobody"): "There's no bot with the address nobody. Your bots: kingfisher.",
        ("submit", nothing.with_name("kingfsher"), "--game", "battleline"): "kingfsher is neither a file nor a folder",
        ("download", "--ladder", "chess/gold"): "Choose one of: battleline/standard, ",
        ("verify", "--season", "battleline/standard/7"): "No such season",
    }
    for arguments, sentence in refused.items():
        done = quickly(*arguments)
        assert done.exit_code in (1, 2, 3) and isinstance(done.exception, SystemExit), arguments
        assert sentence in done.stderr, (arguments, done.stderr)
    stranger = quickly("status", PENNANT_TOKEN="pnt_wrong")
    assert stranger.exit_code == 3 and "token" in stranger.stderr
    nobody = quickly("status", PENNANT_TOKEN="")
    assert nobody.exit_code == 2 and "/tokens/ and set PENNANT_TOKEN" in nobody.stderr
    nowhere = quickly("status", PENNANT_URL="arena.example")
    assert nowhere.exit_code == 2 and "should begin with https://" in nowhere.stderr


def test_what_changes_nothing_says_so(quickly: Callable[..., Result], kingfisher: Bot) -> None:
    first = quickly("submit", SAMPLES / "random", "--bot", "kingfisher")
    assert first.exit_code == 0 and "Unchanged" not in first.stderr
    again = quickly("submit", SAMPLES / "random", "--bot", "kingfisher")
    assert again.exit_code == 0 and "Unchanged: version 1 has the same files" in again.stderr
    other = quickly("submit", SAMPLES / "brute", "--bot", "kingfisher", "--game", "battalion")
    assert other.exit_code == 2 and "kingfisher plays battleline, not battalion. Nothing was changed." in other.stderr
    slug = quickly("submit", SAMPLES / "brute", "--bot", "Grey Heron", "--game", "battalion")
    assert slug.exit_code == 2 and "isn't a slug" in slug.stderr and "--bot grey-heron?" in slug.stderr
    assert (Bot.objects.count(), kingfisher.versions.count()) == (1, 1)


def test_the_same_comparison_is_attached_to_and_a_refusal_is_not_called_not_better(
    quickly: Callable[..., Result],
    kingfisher: Bot,
    ana: User,
    make_version: MakeVersion,
) -> None:
    for number in range(2):
        make_version(ana, "Kingfisher", f"# {number}".encode())
    first = quickly("compare", "kingfisher/2", "kingfisher/1")
    assert first.exit_code == 0, first.output
    again = quickly("compare", "kingfisher", "--promote")
    assert again.exit_code == 0 and "is already running" in again.stderr and "without --promote" in again.stderr
    assert Comparison.objects.count() == 1
    refused = quickly("compare", "kingfisher/2", "kingfisher/2", "--wait")
    assert refused.exit_code == 3, refused.output
    unknown = quickly("status", PENNANT_TOKEN="pnt_wrong")
    assert unknown.exit_code == 3 and "/tokens/ and set PENNANT_TOKEN" in unknown.stderr


def test_a_group_is_shown_exported_and_deleted(ana: User, environment: dict[str, str], tmp_path: Path):
    def ask(*arguments: str, typed: str = "") -> Result:
        return CliRunner().invoke(main, ["group", "class-10b", *arguments], env=environment, input=typed)

    group = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=group, user=ana, role="owner", real_name="Anna Kovács")
    assert ask().output.endswith("/groups/class-10b/), members: 1, your role: owner\n")
    file = tmp_path / "class.zip"
    assert ask("--export", str(file)).exit_code == 0
    assert "Anna Kovács" in ZipFile(file).read("members.json").decode() and file.stat().st_mode & 0o077 == 0
    assert "already exists" in ask("--export", str(file)).output
    assert ask("--delete", typed="Class 9\n").exit_code == EXIT_MACHINE and Group.objects.exists()
    assert ask("--delete", "--confirm", "Class 10.b").exit_code == 0 and not Group.objects.exists()


def test_a_team_is_made_and_left(kingfisher: Bot, ben: User, environment: dict[str, str]):
    def ask(*arguments: str, token: str = "") -> Result:
        told = environment | ({"PENNANT_TOKEN": token} if token else {})
        return CliRunner().invoke(main, ["team", "kingfisher", *arguments], env=told)

    _, token = issue_token(owner=ben, name="his script")
    assert ask("--invite", "ben").output.splitlines() == ["ana (lead)", "ben (invited)"]
    assert ask("--accept", token=token).output.splitlines() == ["ana (lead)", "ben"]
    assert ask("--lead", "ben", token=token).exit_code == EXIT_MACHINE
    assert ask("--lead", "ben").output.splitlines() == ["ben (lead)", "ana"]
    assert ask("--remove", "ana").output == "You don't work on kingfisher.\n"
    assert [one["username"] for one in json.loads(ask("--json", token=token).output)] == ["ben"]
    assert "Choose one of" in ask("--accept", "--refuse").output


def test_the_command_on_a_replay_works_as_it_stands(
    ask: Callable[..., Done], environment: dict[str, str], ana: User, kingfisher: Bot, tmp_path: Path
) -> None:
    """Wherever it is typed: the version that played is fetched."""
    done = ask("submit", SAMPLES / "greedy", "--bot", "kingfisher", "--wait")
    assert done.returncode == 0, done.stderr
    match = Match.objects.get(trial__version__bot=kingfisher, state=Match.State.FINISHED, edition="standard")
    client = Client()
    client.force_login(ana)
    (command, *_) = client.get(f"/matches/{match.pk}/?leg=1").context["reruns"]
    words = f"{command.start} {command.until}".replace("http://testserver", environment["PENNANT_URL"]).split()
    asked = ask(*words[1:], cwd=tmp_path)
    assert asked.returncode == 0 and "0 of " in asked.stdout and " answers differ" in asked.stdout, asked.stderr
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PENNANT_")}
    told = subprocess.run([*PENNANT, *words[1:]], cwd=PROJECT_ROOT, env=alone, capture_output=True, text=True)
    assert told.returncode == 2 or "PENNANT" in told.stderr


def test_waiting_has_a_limit_and_shows_the_place(environment: dict[str, str], kingfisher: Bot) -> None:
    words = ("submit", str(SAMPLES / "greedy"), "--bot", "kingfisher")
    streams = {"cwd": PROJECT_ROOT, "env": {**os.environ, **environment}, "capture_output": True, "text": True}
    assert subprocess.run([*PENNANT, *words], **streams).returncode == 0
    for version in BotVersion.objects.on_trial():
        tasks.check_version(version.pk)  # its trial is queued, and nobody plays it
    told = subprocess.run([*PENNANT, *words, "--wait", "--wait-limit", "0.03"], **streams)
    assert told.returncode == EXIT_MACHINE and "--wait-limit MINUTES" in told.stderr
    assert "kingfisher v1: on trial, 0 before it" in told.stderr
