"""What is removed each night, and above all what is not."""

from datetime import timedelta
from html import unescape
from io import StringIO

import pytest
from allauth.usersessions.models import UserSession
from django.conf import LazySettings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.utils.timezone import now

from arena.bots.models import Blob, BotVersion
from arena.bots.services import store_files
from arena.contests.challenges.services import create_challenge
from arena.contests.comparisons.services import ComparisonSettings, queue_comparison_matches, start_comparison
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.seasons import (
    build_deal_rows,
    build_season_document,
    close_season,
    derive_match_deal,
    list_dealt_matches,
)
from arena.matches.models import Leg, LegSeat, Match, WorkerStatus
from arena.matches.services import queue_match, queue_trial
from arena.operations.lifecycle import clean_up
from arena.operations.tasks import clean_up_all, settle_match
from arena.people.accounts.limits import RETENTION, count_sign_up
from arena.people.accounts.models import LimitedAction, User
from arena.people.notices.models import Delivery, Event, Notice
from arena.people.notices.services import add_webhook
from arena.runner.archive import PackedFiles
from engine.replay import check_hash, verify
from engine.season import record_problem, season_problems
from tests.conftest import EXITS_AT_ONCE, MakeVersion, Play

pytestmark = pytest.mark.django_db

LONG_AGO = timedelta(days=400)
SENTENCE = "This match's records were removed"


def removed(*, is_dry_run: bool = False) -> dict[str, int]:
    return {one.kind: one.rows for one in clean_up(is_dry_run=is_dry_run) if one.rows}


def age(match: Match) -> None:
    settle_match(match.pk)
    Match.objects.filter(pk=match.pk).update(finished_at=now() - LONG_AGO)


@pytest.fixture
def versions(ladder: Ladder, ana: User, ben: User, make_version: MakeVersion) -> list[BotVersion]:
    made = [make_version(ana, "Kingfisher", EXITS_AT_ONCE), make_version(ben, "Heron", EXITS_AT_ONCE)]
    for version in made:
        enter_version(ladder=ladder, version=version)
    return made


@pytest.fixture
def unrated(ana: User, versions: list[BotVersion], make_version: MakeVersion, play: Play) -> list[Match]:
    """A trial, a challenge and a match of a comparison, all long over."""
    trial = queue_trial(version=make_version(ana, "Egret", EXITS_AT_ONCE, BotVersion.State.ON_TRIAL))
    challenge = create_challenge(owner=ana, version=versions[0], opponent=versions[1]).match
    newer = make_version(ana, "Kingfisher", EXITS_AT_ONCE + b" # better")
    comparison = start_comparison(owner=ana, version=newer, baseline=versions[0], settings=ComparisonSettings())
    compared = queue_comparison_matches(comparison=comparison)[0]
    assert trial is not None
    matches = [trial, challenge, compared]
    for match in matches:
        assert play(match)
        age(match)
    return matches


@pytest.fixture
def rated(ladder: Ladder, versions: list[BotVersion], play: Play) -> Match:
    """The season's only match, long over, and the season with it."""
    deal, salts = derive_match_deal(ladder, 1, 2)
    match = queue_match(versions=versions, game=ladder.game, edition=ladder.edition, deal=deal, salts=salts)
    LadderMatch.objects.create(ladder=ladder, match=match, number=1)
    Ladder.objects.filter(pk=ladder.pk).update(last_number=1)
    assert play(match)
    age(match)
    append_finished_matches(ladder=ladder)
    ladder.refresh_from_db()
    close_season(ladder=ladder)
    ladder.refresh_from_db()
    return match


def test_records_of_unrated_matches_go_and_their_results_stay(unrated: list[Match]) -> None:
    promised = removed(is_dry_run=True)
    assert {kind for kind in promised if "records" in kind} == {
        "records of trials",
        "records of challenges",
        "records of comparisons",
    }
    assert not Leg.objects.filter(record=None, match__in=unrated).exists()
    assert removed() == promised and not removed()
    assert not Leg.objects.filter(match__in=unrated).exclude(record=None).exists()
    assert not Leg.objects.filter(match__in=unrated, record_hash="").exists()
    assert LegSeat.objects.filter(leg__match__in=unrated).exclude(verdict="ok").exists()


def test_records_are_kept_for_their_time(unrated: list[Match], settings: LazySettings) -> None:
    settings.UNRATED_RECORD_RETENTION_DAYS = LONG_AGO.days + 1
    assert set(removed()) == {"logs of bots"}


def test_a_verified_season_is_as_sound_as_before(ladder: Ladder, rated: Match, unrated: list[Match]) -> None:
    clean_up_all()
    document = build_season_document(ladder)
    document["matches"] = build_deal_rows(ladder, list(list_dealt_matches(ladder)))
    assert document["secret"] and not list(season_problems(document))
    for leg in rated.legs.all():
        verify(leg.record_data)
        check_hash(leg.record_data, leg.record_hash)
        assert record_problem(leg.record_data, document) is None


def test_pages_of_a_match_without_records_say_so(unrated: list[Match]) -> None:
    clean_up_all()
    for match in unrated:
        for path in ("", "?leg=2", "text/", "text/?format=txt", "sides/"):
            page = Client().get(f"/matches/{match.pk}/{path}")
            assert page.status_code == 200 and SENTENCE in unescape(page.text), path
        for path in ("records.zip", "legs/1/record.json", "legs/1/frames.json", "turn/1.svg", "turn/1/asked.json"):
            page = Client().get(f"/matches/{match.pk}/{path}")
            assert page.status_code == 404 and SENTENCE in unescape(page.text), path
        answer = Client().get(f"/api/v1/matches/{match.pk}/legs/1/record/")
        assert answer.status_code == 404 and SENTENCE in answer.json()["error"]["message"]
        assert Client().get(f"/api/v1/matches/{match.pk}/").status_code == 200
    page = Client().get(f"/matches/{unrated[0].pk}/", headers={"accept-language": "hu"})
    assert "eltávolítottuk" in page.text and SENTENCE not in page.text


def test_sessions_end_with_what_is_known_of_their_devices(ana: User, ben: User) -> None:
    stays, goes = Client(), Client()
    for client, user in ((stays, ana), (goes, ben)):
        client.force_login(user)
        client.get("/")
    assert UserSession.objects.count() == 2
    ended = Session.objects.filter(pk=goes.session.session_key)
    ended.update(expire_date=now() - timedelta(days=1))
    assert removed() == {"sessions": 1}
    UserSession.objects.update(last_seen_at=now() - timedelta(days=2))
    assert removed() == {"devices of ended sessions": 1}
    assert UserSession.objects.get().user == ana and stays.session.session_key == Session.objects.get().pk


def test_files_of_no_version_go(ana: User, make_version: MakeVersion) -> None:
    version = make_version(ana, "Kingfisher")
    binary = store_files(PackedFiles({"bot": b"built"}))
    version.binary = binary
    version.save()
    with transaction.atomic():
        store_files(PackedFiles({"bot.py": b"nobody's"}))
    assert removed() == {"files of no version": 1}
    assert {blob.pk for blob in Blob.objects.all()} == {version.source_id, binary.pk}


def test_old_messages_counters_and_workers_go(ana: User) -> None:
    webhook = add_webhook(owner=ana, url="http://1.1.1.1/", events=[Event.MATCH_FINISHED])
    for created_at in (now(), now() - LONG_AGO):
        Notice.objects.create(user=ana, event=Event.MATCH_FINISHED, created_at=created_at)
        WorkerStatus.objects.create(worker=str(created_at), seen_at=created_at)
        for state in Delivery.State.values:
            Delivery.objects.create(webhook=webhook, event=Event.PING, payload={}, state=state, created_at=created_at)
    for address in ("192.0.2.1", "192.0.2.2"):
        count_sign_up(address=address)
    LimitedAction.objects.filter(pk=LimitedAction.objects.earliest("pk").pk).update(at=now() - RETENTION * 2)
    assert removed() == {
        "deliveries to webhooks": 2,
        "notices": 1,
        "counted sign-ups and wrong passwords": 1,
        "reports of gone workers": 1,
    }
    assert Delivery.objects.filter(state=Delivery.State.WAITING).count() == 2


def test_many_rows_go_in_batches(ana: User) -> None:
    Notice.objects.bulk_create(Notice(user=ana, event=Event.PING, created_at=now() - LONG_AGO) for _ in range(1203))
    assert removed(is_dry_run=True) == removed() == {"notices": 1203}


def test_the_command_says_what_it_removes(unrated: list[Match]) -> None:
    told = StringIO()
    call_command("clean_up", "--dry-run", stdout=told)
    assert Leg.objects.filter(match__in=unrated).exclude(record=None).exists()
    first, *_, last = told.getvalue().splitlines()
    assert first.split()[0] == "1" and first.endswith("bytes  records of trials")
    assert last.startswith("Would free: ") and " 0 bytes" not in last
