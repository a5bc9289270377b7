"""Bots that use packages play only where their set is, and are tried again where it changes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.bots.running import WorkerCapabilities
from arena.bots.services import create_bot, submit_version
from arena.core.errors import ArenaError
from arena.matches.models import Leg, Match, PackageTrial, WorkerStatus
from arena.matches.play import match_spec, play_attempt
from arena.matches.queue import place_in_queue
from arena.matches.services import claim_next, queue_match
from arena.matches.workers import find_offered_packages, parse_upload, read_capabilities
from arena.operations import tasks
from arena.people.accounts.models import User
from arena.people.notices.models import Notice
from arena.runner.bot_packages import install_packages
from arena.runner.data_files import PACKAGES_VARIABLE
from arena.runner.languages import PackageSet
from arena.runner.match import play_match
from arena.runner.sandbox.detection import find_unsandboxed
from engine.replay import record_hash, verify
from tests.arena.api.played import Script
from tests.conftest import FIRST_LEGAL, MakeVersion
from tests.runner.wheels import write_wheel

PLAYS = b"""# requirements: tiny
from pennant_kit import run
from tiny import choose

run(lambda told: choose(told["legal"]))
"""
GOOD = {"tiny/__init__.py": "def choose(legal):\n    return legal[0]\n"}
BAD = {"tiny/__init__.py": "def choose(legal):\n    raise TypeError('tiny has changed')\n"}


class Workers:
    """Machines with sets of packages, which they report and play with."""

    def __init__(self, top: Path, wheels: Path) -> None:
        self.top, self.wheels = top, wheels

    def install(self, version: str, files: dict[str, str] = GOOD, worker: str = "mill") -> PackageSet:
        folder = self.wheels / version
        folder.mkdir()
        write_wheel(folder, "tiny", version, files)
        found = replace(
            install_packages(folder, self.top, lambda _: None), installed_at=len(list(self.wheels.iterdir()))
        )
        return self.report(found, worker)

    def report(self, found: PackageSet | None, worker: str = "mill") -> PackageSet:
        languages = [{"key": "python", "version": "3.11.2"}]
        report: dict[str, Any] = {"level": "A", "languages": languages, "keeps_legs_apart": True}
        report["packages"] = found and found.as_json() | {"works": True}
        fields = {"level": "A", "report": report, "seen_at": now()}
        WorkerStatus.objects.update_or_create(worker=worker, defaults=fields)
        return found  # type: ignore[return-value]

    def capabilities(self, worker: str = "mill") -> WorkerCapabilities:
        return read_capabilities(WorkerStatus.objects.get(worker=worker))

    def play_next(self, worker: str = "mill") -> Match | None:
        attempt = claim_next(worker=worker, capabilities=self.capabilities(worker))
        if attempt is None:
            return None
        sandbox = find_unsandboxed()
        assert play_attempt(attempt=attempt, play=lambda spec, beat: play_match(spec, sandbox, beat))
        tasks.settle_match(attempt.match_id)
        return attempt.match


@pytest.fixture
def workers(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workers:
    monkeypatch.setenv(PACKAGES_VARIABLE, str(tmp_path / "packages"))
    (tmp_path / "wheels").mkdir()
    return Workers(tmp_path / "packages", tmp_path / "wheels")


@pytest.fixture
def bot(ana: User) -> Bot:
    return create_bot(owner=ana, name="Kingfisher", game="battleline")


def upload(bot: Bot, source: bytes = PLAYS) -> BotVersion:
    files = parse_upload(SimpleUploadedFile("bot.py", source))
    version, _ = submit_version(owner=bot.owner, bot=bot, files=files)
    return version


def accept(bot: Bot, workers: Workers) -> BotVersion:
    version = upload(bot)
    tasks.check_version(version.pk)
    while workers.play_next() is not None:
        pass
    version.refresh_from_db()
    assert version.state == BotVersion.State.ACCEPTED, str(version.state_detail)
    return version


def test_a_missing_package_is_refused_at_upload_and_a_present_one_is_kept(workers: Workers, bot: Bot) -> None:
    with pytest.raises(ArenaError, match="has no packages, but the bot requires tiny"):
        upload(bot)
    found = workers.install("1.5")
    with pytest.raises(ArenaError, match=r"scikit-learn isn't available on this arena; tiny 1.5 is\."):
        upload(bot, b"# requirements: scikit-learn\n")
    version = upload(bot)
    assert (version.packages, version.package_set) == ({"tiny": "1.5"}, found.hash)
    plain = upload(bot, FIRST_LEGAL)
    assert (plain.packages, plain.package_set) == ({}, "")


def test_it_plays_only_where_its_set_is_and_the_queue_says_so(workers: Workers, bot: Bot) -> None:
    found = workers.install("1.5")
    version = upload(bot)
    match = queue_match(versions=[version, version], game="battleline", edition="standard")
    workers.report(None)
    assert claim_next(worker="mill", capabilities=workers.capabilities()) is None
    assert "languages and packages" in place_in_queue(match).reason
    assert find_offered_packages() is None
    workers.report(found, "barn")
    assert find_offered_packages() == replace(found, folder=Path())
    assert place_in_queue(match).reason == "1 match ahead of it."  # its trial
    assert claim_next(worker="mill", capabilities=workers.capabilities()) is None
    assert claim_next(worker="barn", capabilities=workers.capabilities("barn")) is not None


def test_a_machine_whose_set_failed_its_test_has_none(workers: Workers) -> None:
    found = workers.install("1.5")
    status = WorkerStatus.objects.get()
    status.report["packages"] = found.as_json() | {"works": False}
    status.save()
    assert workers.capabilities().package_set == "" and find_offered_packages() is None


def test_records_and_the_api_name_the_packages(workers: Workers, bot: Bot, ana: User) -> None:
    workers.install("1.5")
    version = accept(bot, workers)
    record = Leg.objects.filter(match__trial__version=version).order_by("pk")[0].record_data
    assert record["seats"][0]["packages"] == {"tiny": "1.5"}
    verify(record)
    without = record | {"seats": [{key: one[key] for key in one if key != "packages"} for one in record["seats"]]}
    assert record_hash(record) == record_hash(without)
    script = Script(ana)
    assert script.get("/bots/kingfisher/versions/1/").json()["packages"] == {"tiny": "1.5"}
    (python,) = script.get("/languages/").json()
    assert python["packages"] == [{"name": "tiny", "version": "1.5"}]


def test_a_changed_set_tries_its_bots_again_while_their_matches_wait(workers: Workers, bot: Bot) -> None:
    first = workers.install("1.5")
    version = accept(bot, workers)
    waiting = queue_match(versions=[version, version], game="battleline", edition="standard")
    second = workers.install("2.0")
    assert workers.play_next() is None and workers.capabilities().package_set == second.hash != first.hash
    assert (tasks.try_packages_again(), tasks.try_packages_again()) == (1, 0)
    tried = PackageTrial.objects.get()
    assert match_spec(tried.match).programs[0].package_set == second.hash
    assert workers.play_next() == tried.match
    version.refresh_from_db()
    assert (version.packages, version.package_set) == ({"tiny": "2.0"}, second.hash)
    assert workers.play_next() == waiting
    assert Leg.objects.filter(match=waiting)[0].record_data["seats"][0]["packages"] == {"tiny": "2.0"}
    assert not Notice.objects.filter(text__icontains="packages").exists()


def test_a_bot_that_fails_with_the_new_set_loses_nothing_and_waits_for_the_old_one(workers: Workers, bot: Bot) -> None:
    first = workers.install("1.5")
    version = accept(bot, workers)
    waiting = queue_match(versions=[version, version], game="battleline", edition="standard")
    workers.install("2.0", BAD)
    assert tasks.try_packages_again() == 1
    assert workers.play_next() == PackageTrial.objects.get().match
    tried = PackageTrial.objects.get()
    assert tried.has_passed is False and str(tried.fault) == "Crash in leg 1 of its trial."
    assert "tiny has changed" in str(tried.fault_detail)
    version.refresh_from_db()
    assert (version.state, version.package_set) == (BotVersion.State.ACCEPTED, first.hash)
    assert workers.play_next() is None and tasks.try_packages_again() == 0
    notice = Notice.objects.latest("pk")
    assert "doesn't play with the packages that were installed: tiny 2.0" in str(notice.text)
    waiting.refresh_from_db()
    assert waiting.state == Match.State.QUEUED


def test_a_set_without_its_package_tries_nothing(workers: Workers, bot: Bot, make_version: MakeVersion) -> None:
    found = workers.install("1.5")
    version = accept(bot, workers)
    make_version(bot.owner, "Heron")
    workers.report(replace(found, hash="1" * 20, packages=()))
    assert tasks.try_packages_again() == 0
    version.refresh_from_db()
    assert version.state == BotVersion.State.ACCEPTED


def test_pages_name_packages_and_why_a_version_waits(workers: Workers, bot: Bot, client: Any) -> None:
    workers.install("1.5")
    version = accept(bot, workers)
    assert "tiny 1.5" in client.get(version.get_absolute_url()).content.decode()
    assert "Bots in Python can import tiny 1.5" in client.get("/start/").content.decode()
    client.force_login(bot.owner)
    assert '<span class="under">tiny 1.5</span>' in client.get("/bots/new/").content.decode()
    client.logout()
    workers.install("2.0", BAD)
    tasks.try_packages_again()
    assert "A trial with tiny 2.0, installed since" in client.get(version.get_absolute_url()).content.decode()
    workers.play_next()
    page = client.get(version.get_absolute_url()).content.decode()
    assert "It doesn't work with tiny 2.0" in " ".join(page.replace("&#x27;", "'").split())
