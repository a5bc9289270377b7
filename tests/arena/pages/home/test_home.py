"""The figures for Prometheus, read as Prometheus reads them, and who may read them."""

import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from datetime import timedelta
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.request import urlopen

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now
from prometheus_client.parser import text_string_to_metric_families
from pytest_django.live_server_helper import LiveServer

from arena.bots.models import BotVersion
from arena.bots.teams import issue_token
from arena.contests.challenges.services import create_challenge
from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.matches.livegames.models import LiveGame
from arena.matches.livegames.playing import PersonSeat, Sitting, start_live_game
from arena.matches.livegames.position import LivePlayer
from arena.matches.models import Attempt, Match, WorkerStatus
from arena.matches.queue import KINDS
from arena.matches.runner_process import RunnerProcess
from arena.matches.services import claim_match, fail_attempt, queue_match, queue_trial
from arena.matches.slots import Purpose
from arena.matches.workers import SandboxStatus
from arena.operations import tasks
from arena.people.accounts.models import User
from arena.runner.data_files import STARTERS_FOLDER
from arena.runner.languages import LANGUAGES, STARTER_LANGUAGES
from arena.runner.sandbox.base import LEVELS, LanguageStatus, Layer, Report
from engine.message import Message, gettext_noop, join_messages, literal, message
from tests.arena.contests.ladders.conftest import store_match
from tests.conftest import MakeVersion, Play, make_deal_and_salts
from tests.full import default_and_full

PATH = "/metrics"
Figures = dict[tuple[str, ...], float]


def read(client: Client | None = None) -> Figures:
    """Every figure by its name without prefix, and the values of its labels in the order of their names."""
    answer = (client or Client()).get(PATH)
    assert answer.status_code == 200 and answer["Content-Type"].startswith("text/plain; version=0.0.4")
    assert "no-cache" in answer["Cache-Control"]
    families = list(text_string_to_metric_families(answer.text))
    assert all(family.documentation for family in families)
    samples = [sample for family in families for sample in family.samples]
    assert all(sample.name.startswith("pennant_") for sample in samples)
    return {
        (sample.name.removeprefix("pennant_"), *dict(sorted(sample.labels.items())).values()): sample.value
        for sample in samples
    }


def test_an_empty_arena_has_all_figures(db: None):
    figures = read()
    for kind in (*KINDS, "other"):
        assert figures["matches_queued", kind] == figures["queue_oldest_age_seconds", kind] == 0
    assert figures["matches_running",] == 0
    assert [figures["matches_ended_last_hour", state] for state in ("finished", "void")] == [0, 0]
    assert [figures["attempts_ended_last_hour", ending] for ending in ("lost", "failed")] == [0, 0]
    assert [figures["workers", level] for level in "ACD"] == [0, 0, 0]
    assert not [name for name in figures if name[0].startswith(("ladder_", "match_duration"))]


def test_every_purpose_of_a_match_has_its_kind():
    assert sorted(purpose for purposes in KINDS.values() for purpose in purposes) == sorted(Purpose)


def test_queued_matches_are_told_apart_by_what_they_are_played_for(
    versions: Sequence[BotVersion], ladder: Ladder, make_version: MakeVersion
):
    plain = queue_match(versions=versions, game="battleline", edition="standard")
    Match.objects.filter(pk=plain.pk).update(created_at=now() - timedelta(minutes=5))
    queue_trial(version=make_version(versions[0].bot.owner, "Newcomer", state=BotVersion.State.ON_TRIAL))
    for version in versions:
        enter_version(ladder=ladder, version=version)
    create_challenge(owner=versions[0].bot.owner, version=versions[0], opponent=versions[1])
    ladder_matches = len(queue_ladder_matches(ladder=ladder))
    figures = read()
    queued = {kind: figures["matches_queued", kind] for kind in (*KINDS, "other")}
    assert queued == {
        **{"trial": 1, "ladder": ladder_matches, "comparison": 0, "tournament": 0, "challenge": 1, "other": 1}
    }
    assert ladder_matches > 0
    assert 300 <= figures["queue_oldest_age_seconds", "other"] < 400
    assert figures["queue_oldest_age_seconds", "challenge"] < 60


def test_ends_durations_and_failures_are_of_the_last_hour(versions: Sequence[BotVersion], play: Play):
    for _ in range(2):
        assert play(queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts()))
    Match.objects.update(started_at=now() - timedelta(seconds=100), finished_at=now() - timedelta(seconds=90))
    old = queue_match(versions=versions, game="battleline", edition="standard")
    Match.objects.filter(pk=old.pk).update(state=Match.State.VOID, finished_at=now() - timedelta(minutes=61))
    failing = queue_match(versions=versions, game="battleline", edition="standard")
    attempt = claim_match(match_id=failing.pk, worker="one")
    assert attempt is not None
    assert read()["matches_running",] == 1
    fail_attempt(attempt=attempt, error=literal("out of memory"))
    figures = read()
    assert figures["matches_ended_last_hour", "finished"] == 2 and figures["matches_ended_last_hour", "void"] == 0
    assert (
        figures["match_duration_seconds", "0.5"]
        == figures["match_duration_seconds", "0.99"]
        == pytest.approx(10, abs=0.1)
    )
    assert figures["attempts_ended_last_hour", "failed"] == 1 and figures["attempts_ended_last_hour", "lost"] == 0
    Attempt.objects.filter(ending="failed").update(ended_at=now() - timedelta(minutes=61))
    assert read()["attempts_ended_last_hour", "failed"] == 0


def test_workers_that_reported_lately_are_counted_by_level(db: None):
    for name, level, minutes in [("a", "A", 0), ("b", "A", 0), ("c", "C", 0), ("broken", "", 0), ("gone", "D", 5)]:
        WorkerStatus.objects.create(worker=name, level=level, seen_at=now() - timedelta(minutes=minutes))
    figures = read()
    assert [figures["workers", level] for level in ("A", "C", "D", "none")] == [2, 1, 0, 1]


def enter(ladder: Ladder, versions: Sequence[BotVersion]) -> list[Entry]:
    return [enter_version(ladder=ladder, version=version) for version in versions]


def test_a_ladder_lags_until_its_finished_matches_are_rated(versions: Sequence[BotVersion], ladder: Ladder):
    waiting = store_match(ladder, enter(ladder, versions), [[1, 2], [2, 1]]).match
    Match.objects.filter(pk=waiting.pk).update(finished_at=now() - timedelta(minutes=2))
    figures = read()
    assert figures["ladder_unrated_matches", "standard", "battleline"] == 1
    assert 120 <= figures["ladder_rating_lag_seconds", "standard", "battleline"] < 200
    while append_finished_matches(ladder=ladder):
        pass
    figures = read()
    assert figures["ladder_unrated_matches", "standard", "battleline"] == 0
    assert figures["ladder_rating_lag_seconds", "standard", "battleline"] == 0
    assert figures["ladder_unfitted_matches", "standard", "battleline"] == 1


def test_the_database_is_asked_as_often_for_many_matches_as_for_none(
    versions: Sequence[BotVersion], ladder: Ladder, django_assert_num_queries
):
    with django_assert_num_queries(10):
        read()
    entries = enter(ladder, versions)
    for minute in range(5):
        store_match(ladder, entries, [[1, 2], [2, 1]], minute=minute)
        queue_match(versions=versions, game="battleline", edition="standard")
        WorkerStatus.objects.create(worker=f"worker {minute}", level="A")
    with django_assert_num_queries(10):
        read()


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL reads small tables as a whole")
def test_what_ended_lately_is_found_by_an_index():
    with CaptureQueriesContext(connection) as asked:
        read()
    for table, index in [("matches_match", "match_by_end"), ("matches_attempt", "attempt_by_end")]:
        (sql,) = (one["sql"] for one in asked if f'FROM "{table}" WHERE' in one["sql"] and 'ed_at" >= ' in one["sql"])
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plan = " ".join(str(row[-1]) for row in cursor.fetchall())
        assert f"USING INDEX {index} " in plan


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "192.168.0.9", "::1", "fd00::7", "::ffff:10.0.0.1"])
def test_without_a_token_private_addresses_read_them(db: None, address: str):
    read(Client(REMOTE_ADDR=address))


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", ""])
def test_without_a_token_others_are_told_in_one_line(address: str):
    answer = Client(REMOTE_ADDR=address).get(PATH)
    assert answer.status_code == 403 and answer.text.count("\n") == 1
    assert "Only private addresses can read" in answer.text


def test_behind_a_proxy_the_address_is_that_of_the_client(db: None, settings):
    public = {"headers": {"X-Forwarded-For": "10.0.0.1, 8.8.8.8"}, "REMOTE_ADDR": "10.0.0.2"}
    settings.PROXIES = 1
    assert Client(**public).get(PATH).status_code == 403
    read(Client(headers={"X-Forwarded-For": "8.8.8.8, 10.0.0.1"}, REMOTE_ADDR="10.0.0.2"))
    settings.PROXIES = 0
    assert Client(**public).get(PATH).status_code == 403, "a proxy that isn't counted hides who asks"


def test_with_a_token_it_alone_decides(db: None, settings):
    settings.METRICS_TOKEN = "plain-token"
    for given in ({}, {"Authorization": "Bearer other"}, {"Authorization": "Token plain-token"}):
        answer = Client(headers=given).get(PATH)
        assert answer.status_code == 403 and answer.text.count("\n") == 1
        assert "plain-token" not in answer.text
    read(Client(headers={"Authorization": "Bearer plain-token"}, REMOTE_ADDR="8.8.8.8"))


def test_it_is_asked_without_https(db: None, settings):
    settings.SECURE_SSL_REDIRECT = True
    read()


def test_live_games_that_wait_for_a_bot_are_told_with_their_age(ana: User, house: User, make_version: MakeVersion):
    assert read()["live_oldest_wait_seconds",] == 0
    version = make_version(house, "first")
    for seats in ((PersonSeat.ME, version), (version, PersonSeat.ME)):
        start_live_game(player=LivePlayer(ana), sitting=Sitting("battleline", seats), address="")
    LiveGame.objects.update(decided_at=now() - timedelta(seconds=40))
    figures = read()
    assert (figures["live_games", "playing"], figures["live_games", "waiting_for_bot"]) == (2, 1)
    assert figures["live_oldest_wait_seconds",] == pytest.approx(40, abs=5)


ALL = LanguageStatus("python", "Python", "3.11.2", None)
NO_GO = LanguageStatus("go", "Go", None, LANGUAGES["go"].advice)
THREADS_LAYER = Layer("only threads", True, message(gettext_noop("it can start threads, but no processes or programs")))
OPEN = Layer("no network", False, message(gettext_noop("it reaches: %(found)s"), found=literal("vsock")))


INSTALL = message(gettext_noop("Bubblewrap not found. Install it (`apt install bubblewrap`)."))


def store_report(
    worker: str, level: str | None = "A", hint: Message | None = None, layers: tuple[Layer, ...] = (THREADS_LAYER,)
) -> WorkerStatus:
    """Store what a worker found on its machine."""
    report = Report(level, "bwrap" if level else "", layers, (ALL, NO_GO), hint, 61.0)
    return WorkerStatus.objects.create(
        worker=worker,
        level=level or "",
        sandbox=report.sandbox,
        hint=hint,
        report=report.as_json(),
        checked_at=now() - timedelta(minutes=5),
    )


def test_an_idle_arena_without_workers_says_so(db):
    page = Client().get("/queue/").text
    assert "No worker has reported" in page
    assert "No matches running" in page and "The queue is empty" in page


def test_a_missing_sandbox_is_told_with_what_to_do(db):
    store_report("mill", None, INSTALL)
    page = Client().get("/queue/").text
    assert "no sandbox works here" in page and "apt install bubblewrap" in page and "no level" in page


def test_one_working_sandbox_is_enough_to_play(db):
    store_report("mill", None, INSTALL)
    store_report("barn")
    page = Client().get("/queue/").text
    assert "no sandbox works here" not in page
    assert "mill" in page and "barn" in page


def test_a_worker_that_fell_silent_is_not_listed(db):
    WorkerStatus.objects.create(worker="mill", level="A", seen_at=now() - timedelta(minutes=2))
    assert "mill" not in Client().get("/queue/").text


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_is_explained_with_its_layers_and_languages(db, level):
    store_report("mill", level)
    page = Client().get("/queue/").text
    assert f"level {level}" in page and LEVELS[level] in unescape(page)
    assert THREADS_LAYER.name in page and str(THREADS_LAYER.what) in page
    assert "Python" in page and "3.11.2" in page and "apt install golang-go" in page
    assert "5\N{NO-BREAK SPACE}minutes ago" in page and "61 ms" in page


def test_a_layer_that_does_not_hold_stands_out(db):
    store_report("mill", None, INSTALL, (THREADS_LAYER, OPEN))
    page = Client().get("/queue/")
    assert [layer["name"] for layer in page.context["workers"][0].open_layers] == [OPEN.name]
    assert page.text.count(str(OPEN.what)) == 2  # at a glance, and in the table


def test_what_is_told_besides_a_level_is_no_alarm(db):
    store_report("mill", "A", None, (THREADS_LAYER, Layer("lateness", False, literal("the kernel doesn't measure"))))
    page = Client().get("/queue/").text
    assert "the kernel doesn&#x27;t measure" in page
    assert "chip bad" not in page and "chip warn" in page


def test_a_hint_is_in_the_language_of_the_reader(db):
    store_report("mill", None, join_messages(INSTALL, literal("Tried: bwrap.")))
    page = Client().get("/queue/", headers={"accept-language": "hu"}).text
    assert "Telepítsd" in page and "Tried: bwrap." in page and "Install it" not in page


def test_layers_and_advice_are_in_the_language_of_the_reader(db):
    store_report("mill", None, INSTALL, (THREADS_LAYER, OPEN))
    page = Client().get("/queue/", headers={"accept-language": "hu"}).text
    assert "csak szálak" in page and "ezeket eléri: vsock" in page and "Go: apt install golang-go" in page
    assert str(THREADS_LAYER.what) not in page and "it reaches" not in page


def test_a_report_with_plain_texts_is_still_readable(db):
    status = store_report("mill")
    status.report["layers"] = [{"name": "only threads", "holds": True, "what": "as it was written"}]
    status.report["languages"] = [{"key": "go", "title": "Go", "version": None, "advice": "apt install golang-go"}]
    status.save()
    page = Client().get("/queue/").text
    assert "as it was written" in page and "apt install golang-go" in page


def test_a_machine_whose_runner_failed_is_shown_without_layers(db):
    WorkerStatus.objects.create(worker="mill", hint=literal("It fails."), report={"level": None, "sandbox": ""})
    assert "It fails." in Client().get("/queue/").text


def test_a_level_for_the_house_only_is_told_with_what_to_do(db):
    store_report("mill", "D", literal("A better sandbox is possible."))
    page = Client().get("/queue/").text
    assert "Only sample bots" in page and "A better sandbox is possible." in page
    store_report("barn", "A")
    assert "Only sample bots" not in Client().get("/queue/").text


def test_a_match_that_no_machine_may_play_is_told(versions):
    queue_match(versions=versions, game="battleline", edition="standard")
    assert "can play it" not in Client().get("/queue/").text  # without any machine, that is what is said
    store_report("mill", "D")
    assert "1 match is waiting for a machine" in Client().get("/queue/").text
    store_report("barn", "C")
    assert "can play it" not in Client().get("/queue/").text
    BotVersion.objects.filter(pk=versions[0].pk).update(language="go")
    assert "1 match is waiting for a machine" in Client().get("/queue/").text


def test_running_and_waiting_matches_are_told_apart(versions):
    running, waiting = (queue_match(versions=versions, game="battleline", edition="standard") for _ in range(2))
    claim_match(match_id=running.pk, worker="w")
    page = Client().get("/queue/")
    assert [row.match for row in page.context["running"]] == [running]
    assert [row.match for row, _ in page.context["waiting"]] == [waiting]
    assert page.context["waiting_count"] == 1


def test_the_queue_is_shown_in_the_order_of_playing(versions):
    late = queue_match(versions=versions, game="battleline", edition="standard")
    urgent = queue_match(versions=versions, game="battleline", edition="standard", priority=10)
    assert [row.match for row, _ in Client().get("/queue/").context["waiting"]] == [urgent, late]


def test_an_author_sees_how_long_hers_are_to_wait_and_why(versions, ana, ben, house, make_version):
    store_report("mill")
    sample = make_version(house, "random")
    first = queue_match(versions=[versions[1], sample], game="battleline", edition="standard")
    of_ana = queue_match(versions=[versions[0], sample], game="battleline", edition="standard")
    client = Client()
    assert "Your queued matches" not in client.get("/queue/").text
    client.force_login(ana)
    page = client.get("/queue/")
    assert [(row["row"].match, row["waiting"].ahead) for row in page.context["own"]] == [(of_ana, 1)]
    assert "1 match ahead of it." in page.text and "unknown" in page.text
    claim_match(match_id=first.pk, worker="w")
    Match.objects.filter(pk=first.pk).update(state="finished", finished_at=now() + timedelta(seconds=30))
    page = client.get("/queue/").text
    assert "Next in the queue." in page and "not known" not in page


def test_polling_brings_the_inner_part_only(db):
    part = Client().get("/queue/", headers={"HX-Request": "true"}).text
    assert "<html" not in part and "Queued" in part


def test_a_table_that_a_reader_opened_stays_while_it_says_the_same(db):
    status = store_report("mill")
    before = Client().get("/queue/").context["workers"][0].fingerprint
    status.seen_at = now()
    status.save()
    assert Client().get("/queue/").context["workers"][0].fingerprint == before
    status.report["layers"][0]["holds"] = False
    status.save()
    assert Client().get("/queue/").context["workers"][0].fingerprint != before


def test_rated_matches_that_no_worker_plays_are_explained(db, settings):
    store_report("mill", "C")
    assert Client().get("/queue/").context["has_open_channel"]
    settings.ALLOW_OPEN_CHANNELS = True
    assert not Client().get("/queue/").context["has_open_channel"]


def test_the_time_of_a_worker_that_its_bots_waited_is_shown(ana, make_version):
    version = make_version(ana, "sloth")
    store_report("mill")
    for name, waited in (("mill", 1.0), ("mill", 2.0), ("barn", 10.0)):
        match = queue_match(versions=[version, version], game="battleline", edition="standard")
        attempt = claim_match(match_id=match.pk, worker=f"{name}/1/2/3")
        Attempt.objects.filter(pk=attempt.pk).update(
            started_at=now() - timedelta(seconds=10), ended_at=now(), ending=Attempt.Ending.STORED
        )
        Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED)
        match.participants.update(elapsed_s=5.0, waited_s=waited)
    (worker,) = Client().get("/queue/").context["workers"]
    assert worker.waiting_share == pytest.approx(0.3, abs=0.01)


# The first steps: what they tell, and that every command on them does what it says, from an empty folder on.

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
    assert Client().get("/start/executable.zip").status_code == 404
    assert Client().get("/start/no-such.zip").status_code == 404
    assert "python.zip" in Client().get("/start/?language=executable").text


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


def test_the_front_page_stands_on_an_empty_site(db):
    page = Client().get("/")
    assert page.status_code == 200
    assert "No rated matches yet" in page.text


def test_the_front_page_shows_the_best_and_the_newest(finished, versions):
    page = Client().get("/").text
    assert f"/matches/{finished.pk}/" in page
    assert "Kingfisher" in page and "Heron" in page


def test_health_says_ok(db):
    answer = Client().get("/health/")
    assert answer.json() == {"status": "ok"}
    assert "no-cache" in answer["Cache-Control"]


def test_the_front_page_asks_as_much_for_many_matches_as_for_few(finished, versions, play, django_assert_num_queries):
    ladder = finished.ladder_match.ladder
    for seed in (1, 2):
        match = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts(seed))
        LadderMatch.objects.create(ladder=ladder, match=match)
        assert play(match)
        append_finished_matches(ladder=ladder)
        cache.clear()
        with django_assert_num_queries(31):
            Client().get("/")


def test_one_click_starts_a_game_and_then_goes_on_with_it(db, make_version, ana):
    assert Client().get("/").context["door"].version is None
    house = User.objects.create_user("house", is_house=True)
    brute = make_version(house, "brute")
    guest = Client()
    assert guest.get("/").context["door"].version == brute
    table = guest.post("/play/now/")
    game = LiveGame.objects.get()
    assert table.status_code == 302 and table["Location"] == game.get_absolute_url()
    assert [seat.version for seat in game.seats.exclude(version=None)] == [brute]
    assert guest.get("/").context["door"].game == game
    assert guest.post("/play/now/")["Location"] == game.get_absolute_url() and LiveGame.objects.count() == 1
    signed_in = Client()
    signed_in.force_login(ana)
    assert signed_in.get("/").context["door"].version == brute
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    assert (
        Client().post("/play/now/", headers=elsewhere).status_code == 403
        and Client().get("/play/now/").status_code == 405
    )


def test_who_signs_up_comes_back_or_is_shown_what_there_is_to_do(db):
    new = {"username": "carla", "password1": "fifteen quiet herons", "password2": "fifteen quiet herons"}
    assert "/accounts/signup/?next=%2Fbots%2F" in Client().get("/bots/").text
    assert 'href="/accounts/signup/"' in Client().get("/").text
    assert Client().post("/accounts/signup/", new | {"next": "/bots/"})["Location"] == "/bots/"
    client = Client()
    assert client.post("/accounts/signup/", new | {"username": "dora"})["Location"] == "/welcome/"
    page = client.get("/welcome/").text
    assert "Write a bot" in page and "Join a group" in page and Client().get("/welcome/").status_code == 302


def test_a_place_on_the_front_page_counts_every_bot_and_nobody_leads_while_the_first_is_provisional(finished):
    (top,) = Client().get("/").context["tops"]
    assert [row["place"] for row in top.rows] == [None, None] and top.leader is None
    assert top.note.endswith("is provisional, so no bot leads yet.")
    Entry.objects.update(is_ranked=True)
    (top,) = Client().get("/").context["tops"]
    assert [row["place"] for row in top.rows] == [1, 2] and "within the margin" in top.note
    Entry.objects.filter(pk=top.rows[0]["entry"].pk).update(rating=2800, deviation=20)
    (top,) = Client().get("/").context["tops"]
    assert top.leader == top.rows[0]["entry"] and top.note.endswith("leads.")
