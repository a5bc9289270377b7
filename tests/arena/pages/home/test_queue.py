from datetime import timedelta

import pytest
from django.test import Client
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.matches.models import Attempt, Match, WorkerStatus
from arena.matches.services import claim_match, queue_match
from arena.runner.languages import LANGUAGES
from arena.runner.sandbox.levels import LEVELS, LanguageStatus, Layer, Report
from engine.message import Message, gettext_noop, join_messages, literal, message

ALL = LanguageStatus("python", "Python", "3.11.2", None)
NO_GO = LanguageStatus("go", "Go", None, LANGUAGES["go"].advice)
THREADS_LAYER = Layer(
    "only threads", True, message(gettext_noop("it can start threads, and neither a process nor a program"))
)
OPEN = Layer("no network", False, message(gettext_noop("it reaches: %(found)s"), found=literal("vsock")))


INSTALL = message(gettext_noop("No bubblewrap was found: install it (`apt install bubblewrap`)."))


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
    assert "No match is being played" in page and "No match waits" in page


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
    assert f"level {level}" in page and LEVELS[level] in page
    assert THREADS_LAYER.name in page and str(THREADS_LAYER.what) in page
    assert "Python" in page and "3.11.2" in page and "apt install golang-go" in page
    assert "5\N{NO-BREAK SPACE}minutes ago" in page and "61 ms" in page


def test_a_layer_that_does_not_hold_stands_out(db):
    store_report("mill", None, INSTALL, (THREADS_LAYER, OPEN))
    page = Client().get("/queue/")
    assert [layer["name"] for layer in page.context["workers"][0].open_layers] == [OPEN.name]
    assert page.text.count(str(OPEN.what)) == 2  # at a glance, and in the table


def test_what_is_told_besides_a_level_is_no_alarm(db):
    store_report("mill", "A", None, (THREADS_LAYER, Layer("lateness", False, literal("the kernel doesn't count"))))
    page = Client().get("/queue/").text
    assert "the kernel doesn&#x27;t count" in page
    assert "chip bad" not in page and "chip warn" in page


def test_a_hint_is_in_the_language_of_the_reader(db):
    store_report("mill", None, join_messages(INSTALL, literal("Tried: bwrap.")))
    page = Client().get("/queue/", headers={"accept-language": "hu"}).text
    assert "telepítsd" in page and "Tried: bwrap." in page and "install it" not in page


def test_layers_and_advice_are_in_the_language_of_the_reader(db):
    store_report("mill", None, INSTALL, (THREADS_LAYER, OPEN))
    page = Client().get("/queue/", headers={"accept-language": "hu"}).text
    assert "csak szálak" in page and "elérhető számára: vsock" in page and "Go: apt install golang-go" in page
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
    assert "may play it" not in Client().get("/queue/").text  # without any machine, that is what is said
    store_report("mill", "D")
    assert "1 match waits for a machine that may play it" in Client().get("/queue/").text
    store_report("barn", "C")
    assert "may play it" not in Client().get("/queue/").text
    BotVersion.objects.filter(pk=versions[0].pk).update(language="go")
    assert "1 match waits for a machine that may play it" in Client().get("/queue/").text


def test_running_and_waiting_matches_are_told_apart(versions):
    running, waiting = (queue_match(versions=versions, game="battleline", edition="standard") for _ in range(2))
    claim_match(match_id=running.pk, worker="w")
    page = Client().get("/queue/")
    assert [row.match for row in page.context["running"]] == [running]
    assert [row.match for row in page.context["waiting"]] == [waiting]
    assert page.context["waiting_count"] == 1


def test_the_queue_is_shown_in_the_order_of_playing(versions):
    late = queue_match(versions=versions, game="battleline", edition="standard")
    urgent = queue_match(versions=versions, game="battleline", edition="standard", priority=10)
    assert [row.match for row in Client().get("/queue/").context["waiting"]] == [urgent, late]


def test_an_author_sees_how_long_hers_are_to_wait_and_why(versions, ana, ben, house, make_version):
    store_report("mill")
    sample = make_version(house, "random")
    first = queue_match(versions=[versions[1], sample], game="battleline", edition="standard")
    of_ana = queue_match(versions=[versions[0], sample], game="battleline", edition="standard")
    client = Client()
    assert "Your waiting matches" not in client.get("/queue/").text
    client.force_login(ana)
    page = client.get("/queue/")
    assert [(row.row.match, row.waiting.ahead) for row in page.context["own"]] == [(of_ana, 1)]
    assert "1 match is played before it." in page.text and "not known" in page.text
    claim_match(match_id=first.pk, worker="w")
    Match.objects.filter(pk=first.pk).update(state="finished", finished_at=now() + timedelta(seconds=30))
    page = client.get("/queue/").text
    assert "It is the next to be played." in page and "not known" not in page


def test_polling_brings_the_inner_part_only(db):
    part = Client().get("/queue/", headers={"HX-Request": "true"}).text
    assert "<html" not in part and "Waiting" in part


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
