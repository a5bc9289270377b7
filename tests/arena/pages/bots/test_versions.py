import hashlib
import io
import re
import zipfile
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from arena.bots.models import Bot, BotVersion
from arena.bots.services import add_version, create_bot, reject_build, store_build, submit_version
from arena.contests.ladders.models import Entry
from arena.contests.ladders.services.entering import enter_version, pause_entry
from arena.matches.models import LegSeat, Match, Trial, WorkerStatus
from arena.matches.services import (
    apply_trial_result,
    claim_match,
    fail_attempt,
    queue_match,
    queue_trial,
    record_heartbeat,
)
from arena.operations import tasks
from arena.pages.bots import versions
from arena.pages.bots.versions import FirstBytes
from arena.runner.archive import USUAL_LIMITS, Upload
from arena.runner.match import LegProgress
from arena.runner.program import Program
from engine.message import literal, message
from tests.conftest import EXITS_AT_ONCE, FIRST_LEGAL, make_deal_and_salts

ILLEGAL = FIRST_LEGAL.replace(b'message["legal"][0]', b'"play R99 1"')


def program(content: bytes = FIRST_LEGAL, name: str = "bot.py") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def zipped(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return buffer.getvalue()


def new_bot(client: Client, source: SimpleUploadedFile | None, name: str = "Kingfisher"):
    data = {"name": name, "game": "battleline"} | ({"source": source} if source else {})
    return client.post("/bots/new/", data)


@pytest.mark.parametrize("address", ["/bots/new/", "/bots/kingfisher/upload/"])
def test_uploading_needs_an_account(address, ana, make_version):
    make_version(ana, "Kingfisher")
    assert Client().get(address)["Location"] == f"/accounts/login/?next={address}"
    assert Client().post(address, {"source": program()})["Location"].startswith("/accounts/login/")
    assert BotVersion.objects.count() == 1


def test_the_form_says_what_it_takes(reader, ana):
    page = reader(ana).get("/bots/new/").text
    assert "Maximum 4 MiB" in page
    assert 'enctype="multipart/form-data"' in page


def test_an_upload_leads_to_its_version_and_wakes_a_worker(reader, ana, messages, django_capture_on_commit_callbacks):
    client = reader(ana)
    with django_capture_on_commit_callbacks(execute=True):
        answer = new_bot(client, program())
    assert answer["Location"] == "/bots/kingfisher/v/1/"
    assert Trial.objects.get().match.state == "queued", "it needs no message to be on trial"
    assert len(messages()) == 2
    page = client.get(answer["Location"]).text
    assert "Version 1 uploaded." in page
    with django_capture_on_commit_callbacks(execute=True):
        content = zipped(**{"bot.py": "pass", ".github/workflows/try.yml": "on: push"})
        answer = client.post("/bots/kingfisher/upload/", {"source": program(content, "b.zip")})
    assert answer["Location"] == "/bots/kingfisher/v/2/"
    assert "Left out: .github/workflows/try.yml." in client.get(answer["Location"]).text


def test_the_same_files_again_lead_to_the_version_that_has_them(
    reader, ana, make_version, messages, django_capture_on_commit_callbacks
):
    make_version(ana, "Kingfisher")
    make_version(ana, "Kingfisher", b"pass")
    client = reader(ana)
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post("/bots/kingfisher/upload/", {"source": program()})
    assert answer["Location"] == "/bots/kingfisher/v/1/"
    assert "These files are identical to version 1, so nothing was added." in client.get(answer["Location"]).text
    assert BotVersion.objects.count() == 2 and not messages()


def test_a_language_that_is_built_wakes_a_worker_to_build_it(reader, ana, messages, django_capture_on_commit_callbacks):
    client = reader(ana)
    with django_capture_on_commit_callbacks(execute=True):
        answer = new_bot(client, program(b"int main(){}", "kingfisher.c"))
    assert [b"check_next" in message.read_bytes() for message in messages()] == [True, False]
    page = client.get(answer["Location"])
    assert [stage.state for stage in page.context["stages"]] == [
        "done",
        "done",
        "now",
        "ahead",
        "ahead",
        "ahead",
        "ahead",
    ]
    assert "Building" in page.text and "no machine builds C at the moment" in page.text
    assert "data-hx-trigger" in page.text


def test_a_language_that_no_machine_runs_is_refused_and_not_listed(reader, ana):
    languages = [{"key": "python", "version": "3.11.2"}, {"key": "rust", "version": None}]
    WorkerStatus.objects.create(worker="w", level="A", report={"languages": languages})
    client = reader(ana)
    answer = new_bot(client, program(b"fn main() {}", "k.rs"))
    assert answer.status_code == 400 and not Bot.objects.exists()
    assert "No machine here runs Rust right now. Available: Python." in answer.text
    page = client.get("/bots/new/").text
    assert "3.11.2" in page and "bot.js" in page and "bot.rs" not in page


def test_a_spent_quota_is_said_above_the_form(reader, ana, settings):
    settings.MAX_BOTS_PER_OWNER = 0
    answer = new_bot(reader(ana), program())
    assert answer.status_code == 400
    assert "the maximum. Upload new versions" in str(answer.context["form"].non_field_errors())


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (None, "This field is required."),
        (program(b""), "The file is empty."),
        (program(b" \n"), "The file is empty."),
        (program(b"#" * (USUAL_LIMITS.packed_bytes + 1)), "The file is too big"),
        (program(b"#" * (3 * USUAL_LIMITS.packed_bytes)), "The file is too big"),
        (program(b"hello", "bot.txt"), "neither a program nor a zip"),
        (program(zipped(**{"main.py": "pass"}), "bot.zip"), "no bot.py, "),
        (program(zipped(**{"..__bot.py": "pass"}), "bot.zip"), "points outside it"),
    ],
)
def test_a_bad_upload_is_refused_in_words_and_nothing_else_is_lost(reader, ana, source, sentence):
    answer = new_bot(reader(ana), source, name="My <Bot>")
    assert answer.status_code == 400
    assert sentence in answer.text
    assert 'value="My &lt;Bot&gt;"' in answer.text
    assert not Bot.objects.exists() and not BotVersion.objects.exists()


def test_what_is_not_needed_of_a_file_is_never_kept():
    handler = FirstBytes()
    handler.new_file("source", "bot.py", "text/x-python", 100 * 1024**2)
    for number in range(100):
        handler.receive_data_chunk(bytes(1024**2), number * 1024**2)
    assert handler.file_complete(100 * 1024**2).size == USUAL_LIMITS.packed_bytes + 1


def test_a_taken_name_is_said_at_the_name(reader, eva, ana, make_version):
    make_version(ana, "Kingfisher")
    answer = new_bot(reader(eva), program())
    assert answer.status_code == 400
    assert "A bot called Kingfisher already exists" in str(answer.context["form"].errors["name"])


def test_a_name_of_nothing_but_signs_is_refused(reader, ana):
    assert "letter or digit" in new_bot(reader(ana), program(), name="!!!").text


@pytest.fixture
def built(ana) -> BotVersion:
    """A version in C that waits to be built."""
    bot = create_bot(owner=ana, name="Kingfisher", game="battleline")
    return submit_version(owner=ana, bot=bot, files=Upload({"bot.c": b"int main(){}"}))[0]


def test_a_source_that_does_not_build_is_told_to_everybody_and_the_log_to_its_owner(built, reader, ana, eva):
    assert reject_build(version=built, detail=literal("no luck"), log="bot.c:1: <error>")
    own, strange = (reader(user).get("/bots/kingfisher/v/1/") for user in (ana, eva))
    for page in (own, strange):
        assert [stage.state for stage in page.context["stages"]] == ["done", "done", "failed", "failed"]
        assert "Rejected" in page.text and "data-hx-trigger" not in page.text
    assert "bot.c:1: &lt;error&gt;" in own.text and "Compiler output" not in strange.text


def test_a_built_version_waits_for_its_trial(built):
    assert store_build(version=built, program=Program("Kingfisher", 1, {"bot": b"\x7fELF"}, "c"), log="")
    assert stage_states(Client()) == ["done", "done", "done", "now", "ahead", "ahead", "ahead"]


def test_the_owner_downloads_the_files_and_nobody_looks_at_them(reader, ana, eva, make_version):
    make_version(ana, "Kingfisher", b"<script>alert(1)</script>")
    address = "/bots/kingfisher/v/1/source.zip"
    for user, offered in ((ana, True), (eva, False), (None, False)):
        assert (f'href="{address}"' in reader(user).get("/bots/kingfisher/v/1/").text) is offered
    answer = reader(ana).get(address)
    assert answer["Content-Type"] == "application/zip"
    assert answer["Content-Disposition"] == 'attachment; filename="kingfisher-v1.zip"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    assert hashlib.sha256(answer.content).hexdigest() == BotVersion.objects.get().sha256
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.read("bot.py") == b"<script>alert(1)</script>"


@pytest.fixture
def trial_of(ana, house, make_version):
    """A version of Ana's that waits for its trial against a sample of the house."""

    def queue(source: bytes) -> Trial:
        make_version(house, "random")
        version = make_version(ana, "Kingfisher", source, BotVersion.State.ON_TRIAL)
        return queue_trial(version=version).trial

    return queue


def stage_states(client: Client) -> list[str]:
    return [stage.state for stage in client.get("/bots/kingfisher/v/1/").context["stages"]]


def test_the_stages_follow_the_trial(ana, house, make_version, play):
    client = Client()
    make_version(house, "random")
    version = make_version(ana, "Kingfisher", state=BotVersion.State.ON_TRIAL)
    assert stage_states(client) == ["done", "done", "now", "ahead", "ahead", "ahead"]
    match = queue_trial(version=version)
    assert "No worker has reported" in client.get("/bots/kingfisher/v/1/").text
    assert play(match)
    assert stage_states(client) == ["done"] * 5 + ["ahead"]
    match.refresh_from_db()
    apply_trial_result(match=match)
    assert stage_states(client) == ["done"] * 6
    assert "not on a ladder" in client.get("/bots/kingfisher/v/1/").text


def test_a_running_trial_is_the_present_stage(trial_of):
    attempt = claim_match(match_id=trial_of(FIRST_LEGAL).match_id, worker="w")
    assert stage_states(Client()) == ["done", "done", "done", "now", "ahead", "ahead"]
    record_heartbeat(attempt=attempt, underway=LegProgress(2, [], (1, 0)))
    assert stage_states(Client()) == ["done", "done", "done", "done", "now", "ahead"]
    assert "playing leg 2" in Client().get("/bots/kingfisher/v/1/").text


def test_a_trial_the_arena_failed_to_play_is_not_the_bots_fault(trial_of):
    match = trial_of(FIRST_LEGAL).match
    fail_attempt(attempt=claim_match(match_id=match.pk, worker="w"), error="broken")
    page = Client().get("/bots/kingfisher/v/1/").text
    assert "Not played yet: the server is busy. Next try at" in page and "broken" not in page


def test_a_version_entered_without_a_trial_has_no_trial_stages(house, make_version):
    make_version(house, "Kingfisher")
    assert stage_states(Client()) == ["done", "done"]


def test_polling_ends_when_the_version_is_judged(trial_of, play):
    headers = {"HX-Request": "true"}
    trial, trials = trial_of(FIRST_LEGAL), Trial.objects.exclude(edition="")
    polled = Client().get("/bots/kingfisher/v/1/", headers=headers)
    assert polled.status_code == 200 and "<html" not in polled.text
    again = Client().get("/bots/kingfisher/v/1/", headers=headers | {"If-None-Match": polled["ETag"]})
    assert again.status_code == 304
    assert "data-hx-trigger" in Client().get("/bots/kingfisher/v/1/").text
    assert play(trial.match)
    tasks.settle_match(trial.match_id)
    polled = Client().get("/bots/kingfisher/v/1/", headers=headers)
    assert polled.status_code == 200 and polled.text.count("queued") == trials.count() == 7
    fault = message("%(verdict)s in its trial leg.", verdict=message("Crash"))
    trials.filter(edition="short").update(has_passed=False, fault=fault, fault_detail=literal("ValueError: none"))
    assert "isn't on the ladder of Playing cards, short." in unescape(Client().get("/bots/kingfisher/").text)
    assert play(trials.get(edition="short").match)
    listed = Client().get("/bots/kingfisher/?matches=unrated").text
    assert re.search(r'result:\d+:kingfisher">[01]</span>–', listed)
    trials.filter(has_passed=None).update(has_passed=True)
    polled = Client().get("/bots/kingfisher/v/1/", headers=headers)
    assert polled.status_code == 286 and "Crash in its trial leg." in polled.text and "ValueError" not in polled.text
    assert "data-hx-trigger" not in Client().get("/bots/kingfisher/v/1/").text


@pytest.mark.parametrize("source", [EXITS_AT_ONCE, ILLEGAL], ids=["exits", "illegal"])
def test_a_fault_in_the_trial_is_told_to_everybody_and_its_details_to_the_owner(
    trial_of, play, reader, ana, ben, source
):
    trial = trial_of(source)
    assert play(trial.match)
    tasks.settle_match(trial.match_id)
    own, strange, nobody = (reader(user).get("/bots/kingfisher/v/1/").text for user in (ana, ben, None))
    for page in (own, strange, nobody):
        assert "Rejected" in page and "in leg 1 of its trial" in page
    for page in (strange, nobody):
        assert "Its log" not in page and "I give up" not in page and "What your bot sent" not in page
    if source == EXITS_AT_ONCE:
        assert "I give up" in own
    else:
        assert "play R99 1" in own and "Legal actions" in own and "Request" in own


def test_who_does_not_answer_the_handshake_fails_there(trial_of, play, reader, ana, ladder, make_version):
    enter_version(ladder=ladder, version=make_version(ana, "Kingfisher"))
    trial = trial_of(EXITS_AT_ONCE)
    assert play(trial.match)
    tasks.settle_match(trial.match_id)
    page = reader(ana).get("/bots/kingfisher/v/2/")
    states = {stage.name: stage.state for stage in page.context["stages"]}
    assert (states["Handshake"], states["Trial match"], states["Rejected"]) == ("failed", "ahead", "failed")
    assert "Version 1 keeps playing." in page.text and "Fix the bot, test it locally" in page.text
    assert "Fix the bot" not in Client().get("/bots/kingfisher/v/2/").text


def test_the_older_version_plays_on_meanwhile(trial_of, ladder, ana, make_version):
    enter_version(ladder=ladder, version=make_version(ana, "Kingfisher", b"pass"))
    trial_of(FIRST_LEGAL)
    assert "Version 1 keeps playing until this one passes its trial." in Client().get("/bots/kingfisher/v/2/").text


def test_the_owner_sees_which_files_changed(ana, eva, reader):
    bot = create_bot(owner=ana, name="Kingfisher", game="battleline")
    first = {"bot.py": b"import a", "a.py": b"1", "old.py": b""}
    second = {"bot.py": b"import a", "a.py": b"2", "new.py": b""}
    for files in (first, second):
        add_version(bot=bot, files=files, state=BotVersion.State.ACCEPTED)
    page = reader(ana).get("/bots/kingfisher/v/2/")
    assert {one["path"]: one["change"] for one in page.context["files"]} == {
        "a.py": "changed",
        "bot.py": "same",
        "new.py": "new",
        "old.py": "gone",
    }
    assert not any(one["change"] for one in reader(ana).get("/bots/kingfisher/v/1/").context["files"])
    for user in (eva, None):
        assert "old.py" not in reader(user).get("/bots/kingfisher/v/2/").text
    assert 'href="/bots/kingfisher/v/1/" rel="prev"' in page.text


def test_nothing_of_a_trial_is_told_while_it_runs(trial_of, reader, ana):
    trial = trial_of(FIRST_LEGAL)
    claim_match(match_id=trial.match_id, worker="w")
    assert "Its log" not in reader(ana).get("/bots/kingfisher/v/1/").text


def test_an_unknown_version_is_not_found(ana, make_version):
    make_version(ana, "Kingfisher")
    assert Client().get("/bots/kingfisher/v/2/").status_code == 404


def test_an_owner_lets_an_older_version_play_again(ladder, ana, eva, make_version, reader):
    older, newer = (make_version(ana, "Kingfisher") for _ in range(2))
    for version in (older, newer):
        enter_version(ladder=ladder, version=version)
    assert "Promote this version" in reader(ana).get("/bots/kingfisher/v/1/").text
    assert "Promote this version" not in reader(ana).get("/bots/kingfisher/v/2/").text
    assert "Promote this version" not in reader(eva).get("/bots/kingfisher/v/1/").text
    assert reader(eva).post("/bots/kingfisher/v/1/promote/").status_code == 403
    assert "Version 1 is now playing." in reader(ana).post("/bots/kingfisher/v/1/promote/", follow=True).text
    assert Entry.objects.active().get(ladder=ladder).version == older


def test_a_version_that_may_not_play_is_not_let_in(ladder, ana, make_version, reader):
    make_version(ana, "Kingfisher", state=BotVersion.State.REJECTED)
    assert "accepted" in reader(ana).post("/bots/kingfisher/v/1/promote/", follow=True).text
    assert not Entry.objects.exists()


def test_a_version_that_is_held_says_so(ladder, ana, make_version):
    version = make_version(ana, "Kingfisher")
    BotVersion.objects.filter(pk=version.pk).update(is_on_hold=True)
    for address in ("/bots/kingfisher/v/1/", "/bots/kingfisher/"):
        page = Client().get(address).text
        assert "on hold until its author promotes it" in page or "On hold" in page


def test_a_version_without_room_on_the_ladder_says_why(ladder, ana, make_version, reader, settings):
    settings.MAX_LADDER_BOTS_PER_OWNER = 1
    enter_version(ladder=ladder, version=make_version(ana, "Kingfisher"))
    make_version(ana, "Wren")
    BotVersion.objects.filter(bot__slug="wren").update(is_on_hold=True)
    why = "Pause one so that Wren v1 can play"
    assert why in Client().get("/bots/wren/v/1/").text
    assert why in Client().get("/api/v1/bots/wren/versions/1/").json()["hold_reason"]
    assert Client().get("/api/v1/bots/kingfisher/versions/1/").json()["hold_reason"] == ""


def test_a_paused_bot_plays_on_no_ladder(ladder, ana, make_version):
    version = make_version(ana, "Kingfisher")
    pause_entry(entry=enter_version(ladder=ladder, version=version), owner=ana)
    assert "not on a ladder" in Client().get("/bots/kingfisher/v/1/").text


ADDRESS = "/bots/quitter/faults/"


@pytest.fixture
def broken(ana, ben, make_version, play) -> list[Match]:
    """Two matches of a bot of Ana's, whose first version doesn't start and whose second has its own rules."""
    heron, matches = make_version(ben, "Heron"), []
    for source in (EXITS_AT_ONCE, ILLEGAL):
        versions = [make_version(ana, "Quitter", source), heron]
        matches.append(queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts()))
        assert play(matches[-1])
    return matches


def listed(query: str = "") -> list[tuple[int, int, str]]:
    page = Client().get(ADDRESS + query).context["page"]
    return [(one.seat.leg.match_id, one.seat.leg.number, one.seat.verdict) for one in page["faults"]]


def test_faults_come_newest_first_and_are_chosen_by_kind_and_version(broken):
    first, second = (match.pk for match in broken)
    illegal = [(second, 1, "malformed"), (second, 2, "malformed")]
    start = [(first, 1, "start"), (first, 2, "start")]
    assert listed() == illegal + start
    assert listed("?kind=crash") == listed("?version=1") == start
    assert listed("?kind=illegal&version=2") == illegal
    assert listed("?kind=timeout") == listed("?version=9") == []
    assert "No faults match these filters." in Client().get(f"{ADDRESS}?kind=timeout").text
    assert Client().get(f"{ADDRESS}?kind=bad-luck").status_code == 400


def test_each_leads_to_its_step_in_the_replay(broken):
    match = broken[1].pk
    assert f"/matches/{match}/?leg=2&amp;turn=fault-1" in Client().get(ADDRESS).text


def test_the_cause_is_for_the_owner(broken, reader, ana, ben):
    own = reader(ana).get(ADDRESS).text
    assert "I give up" in own and "play R99 1" in own and "Legal actions" in own
    assert "Request" in own and "(n in the request)" in own
    for user in (ben, None):
        page = unescape(reader(user).get(ADDRESS).text)
        assert "Invalid answer" in page and "Didn't start" in page
        assert "I give up" not in page and "play R99" not in page and "Legal actions" not in page


def test_long_lists_are_paged_at_matches(broken, monkeypatch):
    monkeypatch.setattr(versions, "FAULTS_PER_PAGE", 3)
    first, second = (match.pk for match in broken)
    page = Client().get(ADDRESS)
    assert [one.seat.leg.match_id for one in page.context["page"]["faults"]] == [second, second]
    assert f"before={second}" in page.text
    assert [one[0] for one in listed(f"?before={second}")] == [first, first]
    assert Client().get(f"{ADDRESS}?before={second}").context["page"]["older"] is None


def test_only_so_many_matches_are_walked_for_one_page(broken, monkeypatch, play, make_version, ben, ana):
    monkeypatch.setattr(versions, "MAX_MATCHES_SCANNED", 1)
    monkeypatch.setattr("arena.matches.queries.MIN_LEGS_PER_MATCH", 0)
    second = broken[1].pk
    assert [one[0] for one in listed("?version=2")] == [second, second]
    assert [one[0] for one in listed("?version=2&before=1")] == []


def test_a_bot_without_faults_says_so(finished):
    assert "No crash, timeout or illegal action in 2 legs." in Client().get("/bots/kingfisher/faults/").text
    assert Client().get("/bots/nobody/faults/").status_code == 404


def test_a_match_that_is_not_over_tells_nothing(broken, reader, ana):
    Match.objects.update(state=Match.State.RUNNING)
    assert listed() == []
    assert "I give up" not in reader(ana).get(ADDRESS).text


def test_what_a_twin_would_tell_waits(broken, reader, ana, monkeypatch):
    monkeypatch.setattr(versions, "list_matches_with_deal_in_play", set)
    assert "I give up" not in reader(ana).get(ADDRESS).text


def test_a_fault_without_details_is_shown(broken, reader, ana):
    LegSeat.objects.update(fault=None, stderr="")
    assert "or deleted since" in reader(ana).get(ADDRESS).text
