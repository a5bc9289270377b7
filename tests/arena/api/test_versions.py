import hashlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from arena.bots.models import Bot, BotVersion, Submission
from arena.bots.services import create_bot, record_trial_result, reject_build
from arena.contests.ladders.models import Entry, Ladder
from arena.matches.models import WorkerStatus
from arena.matches.services import queue_trial
from arena.operations import tasks
from arena.people.accounts.models import User
from arena.runner.archive import USUAL_LIMITS
from engine.message import literal
from tests.arena.api.played import TALKS, Script
from tests.conftest import FIRST_LEGAL, MakeVersion, Play

VERSIONS = "/api/v1/bots/kingfisher/versions/"
QUITS = TALKS.replace(b'print(json.dumps({"action": message["legal"][0]}), flush=True)', b"sys.exit(3)")


@pytest.fixture
def bot(ana: User) -> Bot:
    return create_bot(owner=ana, name="Kingfisher", game="battleline")


def upload(
    script: Script, content: bytes = FIRST_LEGAL, name: str = "bot.py", key: str | None = None, **fields: Any
) -> HttpResponse:
    headers = script.headers | ({"Idempotency-Key": key} if key is not None else {})
    data = {"program": SimpleUploadedFile(name, content), **fields}
    return script.client.post(VERSIONS, data, headers=headers)


def test_an_upload_is_the_newest_version_and_wakes_a_worker(
    ana: User, bot: Bot, messages: Callable[[], list[Path]], django_capture_on_commit_callbacks
):
    script = Script(ana, bot)
    with django_capture_on_commit_callbacks(execute=True):
        response = upload(script)
    assert response.status_code == 201 and len(messages()) == 2
    told = response.json()
    assert (told["bot"], told["number"], told["state"], told["is_final"]) == ("kingfisher", 1, "on_trial", False)
    assert (told["language"], told["size"], told["is_on_hold"]) == ("python", len(FIRST_LEGAL), False)
    assert told["trial"]["state"] == "queued", "it waits from the moment it is accepted"
    assert told["html_url"] == "http://testserver/bots/kingfisher/v/1/"
    assert told["url"] == f"http://testserver{VERSIONS}1/"
    assert told["uploaded_by"] == "ana"
    told["uploaded_by"] = None
    assert Script().read("/bots/kingfisher/versions/1/") == told
    told["trial"]["waiting"] = None
    assert Script().read("/bots/kingfisher/versions/")["results"] == [told]


def test_what_is_sent_again_under_its_key_leads_to_the_same_version(
    ana: User, bot: Bot, messages: Callable[[], list[Path]], django_capture_on_commit_callbacks, settings
):
    settings.MAX_VERSIONS_PER_DAY = 1
    script = Script(ana)
    with django_capture_on_commit_callbacks(execute=True):
        first = upload(script, key="build 7")
    with django_capture_on_commit_callbacks(execute=True):
        again = upload(script, key="build 7")
    assert (first.status_code, again.status_code) == (201, 200) and again.json() == first.json()
    assert BotVersion.objects.count() == 1 and len(messages()) == 2


@pytest.mark.parametrize("changes", [{"content": b"pass"}, {"hold": "true"}])
def test_a_key_is_for_one_upload(ana: User, bot: Bot, changes: dict):
    script = Script(ana)
    upload(script, key="build 7")
    response = upload(script, key="build 7", **changes)
    assert (response.status_code, response.json()["error"]["code"]) == (422, "key_reused")
    assert BotVersion.objects.count() == 1


def test_keys_of_two_people_have_nothing_to_do_with_each_other(ana: User, ben: User, bot: Bot):
    upload(Script(ana), key="1")
    Bot.objects.update(owner=ben)
    assert upload(Script(ben), b"pass", key="1").status_code == 201
    assert Submission.objects.count() == 2


def test_an_upload_that_was_refused_spends_no_key(ana: User, bot: Bot, settings):
    settings.MAX_VERSIONS_PER_DAY = 0
    assert upload(Script(ana), key="1").status_code == 429
    settings.MAX_VERSIONS_PER_DAY = 5
    assert upload(Script(ana), b"pass", key="1").status_code == 201


@pytest.mark.parametrize("key", ["x" * 101, "a\tb", "é"])
def test_a_key_is_a_short_line(ana: User, bot: Bot, key: str):
    response = upload(Script(ana), key=key)
    assert response.status_code == 400 and "Idempotency-Key" in response.json()["error"]["fields"]


def test_a_held_version_waits_to_be_promoted(ana: User, bot: Bot, ladder: Ladder):
    script = Script(ana)
    assert upload(script, hold="true").json()["is_on_hold"] is True
    record_trial_result(version=BotVersion.objects.get(), fault=None)
    assert not Entry.objects.exists()
    assert script.post("/bots/kingfisher/versions/1/promote/").json()["is_on_hold"] is False
    assert Entry.objects.get().version.number == 1


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"", "bot.py", "The file is empty."),
        (b"#" * (USUAL_LIMITS.packed_bytes + 1), "bot.py", "The file is too big"),
        (b"hello", "bot.txt", "neither a program nor a zip"),
        (b"PK\x03\x04", "bot.zip", "can't be read as a zip"),
        (b"fn main() {}", "bot.rs", "No machine here runs Rust right now."),
    ],
)
def test_a_bad_program_is_refused_at_its_field(ana: User, bot: Bot, content: bytes, name: str, sentence: str):
    languages = [{"key": "python", "version": "3.11.2"}, {"key": "rust", "version": None}]
    WorkerStatus.objects.create(worker="w", level="A", report={"languages": languages})
    response = upload(Script(ana), content, name)
    assert response.status_code == 400 and sentence in response.json()["error"]["fields"]["program"][0]
    assert not BotVersion.objects.exists()


def test_a_program_comes_as_a_form_and_alone(ana: User, bot: Bot):
    script = Script(ana)
    assert script.post("/bots/kingfisher/versions/", {"program": "pass"}).status_code == 415
    assert script.client.post(VERSIONS, {"hold": "true"}, headers=script.headers).json()["error"]["fields"].keys() == {
        "program"
    }
    two = {"program": SimpleUploadedFile("bot.py", b"1"), "other": SimpleUploadedFile("bot.py", b"2")}
    response = script.client.post(VERSIONS, two, headers=script.headers)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "malformed")


def test_only_its_owner_or_a_token_for_it_uploads_to_a_bot(ana: User, ben: User, bot: Bot):
    other = create_bot(owner=ana, name="Heron", game="battleline")
    for script, status in ((Script(), 401), (Script(ben), 403), (Script(ana, other), 403)):
        assert upload(script).status_code == status
    assert not BotVersion.objects.exists()


def test_a_source_is_downloaded_by_its_owner(ana: User, make_version: MakeVersion):
    version = make_version(ana, "Kingfisher", b"secret = 1")
    script = Script(ana, version.bot)
    response = script.get("/bots/kingfisher/versions/1/source/")
    assert response["Content-Type"] == "application/octet-stream" and response["X-Content-Type-Options"] == "nosniff"
    assert 'attachment; filename="kingfisher-v1.zip"' == response["Content-Disposition"]
    assert hashlib.sha256(response.content).hexdigest() == version.sha256
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.read("bot.py") == b"secret = 1"
    headers = script.headers | {"If-None-Match": response["ETag"]}
    assert script.client.get(f"{VERSIONS}1/source/", headers=headers).status_code == 304


@pytest.fixture
def on_trial(ana: User, house: User, make_version: MakeVersion) -> Callable[[bytes], BotVersion]:
    """A version of Ana's whose trial waits to be played."""

    def queue(source: bytes) -> BotVersion:
        make_version(house, "random")
        version = make_version(ana, "Kingfisher", source, BotVersion.State.ON_TRIAL)
        assert queue_trial(version=version)
        return version

    return queue


def test_a_trial_is_followed_from_the_queue_to_its_end(on_trial, play: Play):
    match = on_trial(FIRST_LEGAL).trials.get().match
    waiting = Script().read("/bots/kingfisher/versions/1/")["trial"]
    assert (waiting["match"], waiting["state"]) == (match.pk, "queued")
    assert waiting["waiting"]["ahead"] == 0 and waiting["waiting"]["reason"]
    assert Script().read("/bots/kingfisher/versions/")["results"][0]["trial"]["waiting"] is None
    assert Script().read("/bots/kingfisher/versions/1/trial/")["legs"] == []
    assert play(match)
    tasks.settle_match(match.pk)
    told = Script().read("/bots/kingfisher/versions/1/")
    assert (told["state"], told["is_final"], told["trial"]["waiting"]) == ("accepted", True, None)
    trial = Script().read("/bots/kingfisher/versions/1/trial/")
    assert trial["state"] == "finished"
    assert [(leg["number"], leg["verdict"]) for leg in trial["legs"]] == [(1, "ok"), (2, "ok")]
    assert all(leg["decisions"] > 0 and leg["place"] in (1, 2) for leg in trial["legs"])


def test_why_a_version_was_rejected_is_told_to_everybody_and_its_words_to_its_owner(
    ana: User, ben: User, on_trial, play: Play
):
    version = on_trial(QUITS)
    match = version.trials.get().match
    assert Script(ana).read("/bots/kingfisher/versions/1/log/")["legs"] == []
    assert play(match)
    tasks.settle_match(match.pk)
    for script in (Script(), Script(ben)):
        told = script.read("/bots/kingfisher/versions/1/")
        assert (told["state"], told["state_reason"]) == ("rejected", "Crash in leg 1 of its trial.")
        assert told["state_detail"] == ""
        assert "diary" not in script.get("/bots/kingfisher/versions/1/trial/").content.decode()
    own = Script(ana).read("/bots/kingfisher/versions/1/")
    assert own["state_reason"] == "Crash in leg 1 of its trial." and own["state_detail"].startswith(
        "the bot exited with code"
    )
    first = Script(ana).read("/bots/kingfisher/versions/1/log/")["legs"][0]
    assert "the diary of this bot" in first["stderr"] and first["verdict"] == "crash" and first["fault"]["message"]
    for script, status in ((Script(), 401), (Script(ben), 403)):
        assert script.get("/bots/kingfisher/versions/1/log/").status_code == status


def test_what_a_compiler_said_is_for_the_owner(ana: User, ben: User, bot: Bot):
    upload(Script(ana), b"int main() {", "bot.c")
    assert reject_build(version=BotVersion.objects.get(), detail=literal("no luck"), log="bot.c:1: error: expected '}'")
    assert Script(ben).read("/bots/kingfisher/versions/1/")["state_reason"] == "It couldn't be built."
    assert Script(ana).read("/bots/kingfisher/versions/1/log/")["build_log"] == "bot.c:1: error: expected '}'"


def test_a_version_without_a_trial_has_none(ana: User, make_version: MakeVersion):
    make_version(ana, "Kingfisher")
    assert Script().get("/bots/kingfisher/versions/1/trial/").status_code == 404
    response = Script().get("/bots/kingfisher/versions/2/")
    assert response.json()["error"]["message"] == "Kingfisher has no version 2."
