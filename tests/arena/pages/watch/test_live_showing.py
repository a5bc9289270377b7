"""A rated match that spectators see while it is played, and how it lands on its end."""

import gzip
from datetime import timedelta

import orjson
import pytest
from django.core.cache import cache
from django.test import Client
from django.utils.timezone import now

from arena.contests.ladders.models import Entry, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.showing import LIVE_AFTER, list_live_matches
from arena.matches.models import Attempt, Match
from arena.matches.services import claim_match, queue_match, record_heartbeat
from arena.pages.matches.replay import LAST_STEP, PUBLIC_ONLOOKER, play_to
from arena.pages.watch.showing import choose_live_match, describe_live
from arena.people.accounts.models import User
from arena.runner.match import LegProgress
from engine.core import Json
from tests.conftest import make_deal_and_salts

DECISIONS = 60


@pytest.fixture
def record(record_of) -> Json:
    return record_of(5)


@pytest.fixture
def told(queued: Match, record: Json) -> Attempt:
    """Sixty decisions of the second leg of a match of the best group, which has been played for a while."""
    Entry.objects.update(group=1)
    attempt = claim_match(match_id=queued.pk, worker="mill")
    Attempt.objects.update(started_at=now() - LIVE_AFTER)
    Match.objects.filter(pk=queued.pk).update(deal=record["deal"], options=record["options"])
    record_heartbeat(attempt=attempt, underway=LegProgress(2, record["actions"][:DECISIONS], (1, 0)))
    return attempt


def fetch_frames(attempt: Attempt, leg: int = 2) -> Json:
    answer = Client().get(f"/matches/{attempt.match_id}/legs/{leg}/live.json")
    assert answer["Cache-Control"] == "no-store"
    return answer.json()


def test_a_match_that_is_played_is_shown_first_and_no_end_of_it_is_told(told):
    page = Client().get("/")
    showing = page.context["showing"]
    assert (showing.row.match.pk, showing.leg, showing.end) == (told.match_id, 2, None)
    assert showing.when == "" and "hero-end" not in page.text and page.context["live"] == 1
    assert page.context["also_live"] == []
    assert showing.start < showing.last and page.context["scene"].onlooker == PUBLIC_ONLOOKER
    seats = page.context["seats"]
    assert [seat.participant.version.bot.name for seat in seats] == ["Heron", "Kingfisher"]


def test_its_steps_are_those_that_everybody_may_see(told, record):
    frames = fetch_frames(told)
    so_far = {**record, "actions": record["actions"][:DECISIONS], "result": None}
    assert len(frames["frames"]) == play_to(so_far, LAST_STEP, PUBLIC_ONLOOKER).last + 1
    assert "why" not in frames["slots"] and frames["waiting"].endswith("is thinking.")
    hands = [frames["parts"][frame[frames["slots"].index("hand-0")]] for frame in frames["frames"]]
    assert all("data-card" not in hand and "card back" in hand for hand in hands)


def test_more_steps_come_as_the_worker_tells_of_them(told, record):
    before = len(fetch_frames(told)["frames"])
    record_heartbeat(attempt=told, underway=LegProgress(2, record["actions"][: DECISIONS + 8], (1, 0)))
    assert len(fetch_frames(told)["frames"]) > before


def test_while_another_leg_is_played_nothing_is_sent_but_a_word(told):
    assert fetch_frames(told, 1) == {"slots": [], "parts": [], "frames": [], "waiting": "The next leg is live."}


def test_only_matches_of_the_top_that_last_are_shown_live(told, start):
    assert choose_live_match() == told.match_id
    start(1, (2400, 1300))
    start(2, (2300, 1200))
    Entry.objects.filter(version__bot__name="Heron").update(rating=1250)
    cache.clear()
    assert choose_live_match() is None and len(list_live_matches()) == 3
    Entry.objects.filter(version__bot__name__startswith="Bot").delete()
    cache.clear()
    assert choose_live_match() == told.match_id
    Attempt.objects.update(started_at=now() - LIVE_AFTER + timedelta(seconds=5))
    cache.clear()
    assert choose_live_match() is None


def test_the_reason_of_a_live_match_is_the_places_of_its_bots_and_nothing_of_provisional_ones(told, start):
    top = start(1, (2400, 2300))
    cache.clear()
    assert describe_live(top.pk) == "Rated 2300 or higher"
    Entry.objects.filter(rating__gte=2300).update(is_ranked=True)
    cache.clear()
    assert describe_live(top.pk) == "First against second" == Client().get("/").context["showing"].reason


def test_other_live_matches_stand_beside_it_with_their_tables(told, start):
    top = start(1, (2400, 2300))
    cache.clear()
    page = Client().get("/")
    assert page.context["showing"].key == str(top.pk) and page.context["live"] == 2
    (also,) = page.context["also_live"]
    assert (also.match, [bot.name for bot in also.bots]) == (told.match_id, ["Kingfisher", "Heron"])
    assert also.picture.startswith("<svg") and "data-card" not in also.picture
    swapped = Client().get(f"/?match={told.match_id}")
    assert swapped.context["showing"].key == str(told.match_id)
    assert [one.match for one in swapped.context["also_live"]] == [top.pk]


def test_a_match_that_begins_again_is_not_shown(told):
    Match.objects.filter(pk=told.match_id).update(state="queued")
    assert Client().get(f"/matches/{told.match_id}/legs/2/live.json").status_code == 404
    cache.clear()
    assert Client().get("/watch/").context["showing"] is None


def test_once_it_is_over_all_steps_are_there_and_its_end_lands_on_the_last_turn(finished):
    answer = Client().get(f"/matches/{finished.pk}/legs/1/live.json", follow=True)
    frames = orjson.loads(gzip.decompress(answer.content))["frames"]
    assert answer.redirect_chain[0][0].startswith(f"/matches/{finished.pk}/legs/1/frames.json?view=public&tag=")
    page = Client().get(f"/watch/?match={finished.pk}&leg=1&turn=last")
    showing = page.context["showing"]
    assert showing.is_at_end and showing.start == showing.last == len(frames) - 1
    assert page.context["scene"].is_over and showing.end.other_leg == 2
    assert page.context["ending"] in page.text and any(part.change for part in showing.row.parts)


def test_the_end_waits_hidden_while_the_leg_is_shown(finished):
    page = Client().get(f"/watch/?match={finished.pk}")
    assert not page.context["showing"].is_at_end
    assert '<section class="hero-end" id="hero-end" aria-labelledby="hero-end-heading" hidden>' in page.text


@pytest.fixture
def start(told, record, ladder, make_version):
    """Start another match of two bots with these ratings, by its number, as one that has been played for a while."""

    def begin(number: int, ratings: tuple[float, float]) -> Match:
        owner = User.objects.create_user(f"author{number}")
        versions = [make_version(owner, f"Bot {number}-{rating:.0f}") for rating in ratings]
        for version, rating in zip(versions, ratings, strict=True):
            entry = enter_version(ladder=ladder, version=version)
            Entry.objects.filter(pk=entry.pk).update(rating=rating, group=1)
        match = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts(number))
        LadderMatch.objects.create(ladder=ladder, match=match)
        attempt = claim_match(match_id=match.pk, worker=f"mill {number}")
        record_heartbeat(attempt=attempt, underway=LegProgress(1, record["actions"][:DECISIONS], (0, 0)))
        Attempt.objects.update(started_at=now() - LIVE_AFTER)
        Match.objects.filter(pk=match.pk).update(deal=record["deal"], options=record["options"])
        return match

    return begin


def test_what_is_being_played_is_listed_by_the_weaker_bot_and_then_by_closeness(told, start):
    Entry.objects.update(rating=1500)
    one_sided, close, wide = start(1, (2400, 1200)), start(2, (1930, 1910)), start(3, (2000, 1905))
    order = [close.pk, wide.pk, told.match_id, one_sided.pk]
    assert [live.match for live in list_live_matches()] == order and choose_live_match() is None
    page = Client().get("/watch/")
    assert [one.url for one in page.context["playing_now"]] == [f"/matches/{match}/" for match in order]
    assert page.context["live"] == 4 and "best_of_week" not in page.context


def test_while_nothing_is_being_played_the_best_of_the_week_are_listed(finished):
    page = Client().get("/watch/")
    assert [one.url for one in page.context["best_of_week"]] == [f"/watch/?match={finished.pk}"]
    assert "Best matches of the week" in page.text and page.context["playing_now"] == []
