"""The recorded games that come with the product, and when they give way to the arena's own matches."""

import gzip
import json
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils.timezone import now

from arena.cli.verifying import verify_files
from arena.contests.ladders.models import Entry, LadderMatch
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.showing import GOOD_MATCHES_WANTED, list_candidates, list_strong_entries, rotate
from arena.matches.models import Leg, Match
from arena.matches.recorded_games import RECORDED_GAMES_FOLDER, list_recorded_games, read_recorded_games
from arena.matches.services import queue_match
from arena.pages.matches.replay import PUBLIC_ONLOOKER
from engine.analysis.evaluators import has_evaluator
from engine.analysis.leg import COARSE
from engine.replay import record_hash, verify
from tests.arena.gone import game_gone
from tests.conftest import make_deal_and_salts
from tests.full import one_of_each

MAX_BYTES = 300_000
FILES = sorted(RECORDED_GAMES_FOLDER.iterdir())
SLUGS = [game.slug for game in read_recorded_games()]
EDITIONS = {game.slug: (game.record["game"], game.record["edition"]) for game in read_recorded_games()}


@pytest.fixture(autouse=True)
def _are_shown(settings):
    settings.RECORDED_GAMES = True
    cache.clear()


@pytest.fixture
def good_match(finished, versions) -> Match:
    """A finished match between two that have a rank, in the better half of those that have one."""
    Entry.objects.update(is_ranked=True)
    ranked = Entry.objects.get(version=versions[0])
    for entry in (ranked, Entry.objects.get(version=versions[1])):
        entry.rating = 1800.0
        entry.save()
    return finished


def play_more(match: Match, play, count: int) -> None:
    ladder = match.ladder_match.ladder
    versions = [participant.version for participant in match.participants.all()]
    for seed in range(count):
        another = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts(seed))
        LadderMatch.objects.create(ladder=ladder, match=another)
        assert play(another)
    append_finished_matches(ladder=ladder)


def test_there_are_about_a_dozen_within_300_kb():
    assert 12 <= len(FILES) <= 24 and sum(path.stat().st_size for path in FILES) <= MAX_BYTES
    assert {game.record["game"] for game in read_recorded_games()} == {"battleline", "battalion"}


@pytest.mark.parametrize("slug", SLUGS)
def test_each_is_verified_analysed_dated_and_says_why_it_was_chosen(slug):
    game = next(game for game in read_recorded_games() if game.slug == slug)
    verify(game.record)
    assert record_hash(game.record) == game.record_hash
    assert set(game.record["result"]["verdicts"]) == {"ok"} and game.played_on.isoformat() >= "2026-11-28"
    assert 0 <= game.why["lowest"] < 0.5 and 0 < game.why["turning_point"] < len(game.record["actions"])
    if has_evaluator(game.record["game"], game.record["edition"]):
        assert game.analysis["record_hash"] == game.record_hash and game.analysis.get("pass") != COARSE
        assert len(game.analysis["chances"]) == len(game.record["actions"]) + 1
    else:
        assert game.analysis is None


def test_their_files_are_ones_that_the_command_verifies(capsys):
    with pytest.raises(SystemExit) as ended:
        verify_files.main([str(path) for path in FILES], standalone_mode=False)
    assert ended.value.code == 0 and capsys.readouterr().out.count("1 of 1 records") == len(FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_names_the_bots_by_the_hash_of_their_files(path):
    line = json.loads(gzip.decompress(path.read_bytes()))
    assert [bot["name"] for bot in line["bots"]] == [seat["name"] for seat in line["record"]["seats"]]
    assert all(len(bot["sha256"]) == 64 for bot in line["bots"]) and line["record"]["arena"]


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/watch/"])
def test_a_new_arena_shows_the_one_whose_turn_it_is_and_says_that_it_is_recorded(address):
    page = Client().get(address)
    showing = page.context["showing"]
    assert showing.key == rotate(SLUGS, now(), len(SLUGS))[0]
    assert "Recorded game" in page.text and "Now showing" not in page.text
    assert page.context["scene"].onlooker == PUBLIC_ONLOOKER and 0 < showing.start < showing.last
    assert len(page.context["up_next"]) == 3 and page.context["playlist"][0] == showing.key


@pytest.mark.django_db
def test_they_are_in_no_table_no_list_and_no_count():
    for slug in SLUGS:
        assert Client().get(f"/watch/recorded/{slug}/").status_code == 200
    assert not Match.objects.exists() and not Leg.objects.exists()
    assert "No bots on the ladders yet" in Client().get("/").text
    assert Client().get("/api/v1/matches/").json()["results"] == []
    for address in ("/matches/", "/bots/", "/ladders/", "/today/"):
        assert "Recorded game" not in Client().get(address).text and not any(slug in address for slug in SLUGS)


@pytest.mark.django_db
@pytest.mark.parametrize("slug", one_of_each(SLUGS, kind=EDITIONS.get))
def test_each_has_a_replay_of_its_own_with_its_analysis_and_its_record(slug):
    page = Client().get(f"/watch/recorded/{slug}/?turn=3&view=0")
    game = page.context["game"]
    assert (page.context["scene"].number, page.context["view"]) == (3, "0")
    assert bool(page.context["analysis"].get("balances")) is (game.analysis is not None)
    record = Client().get(f"/watch/recorded/{slug}/record.json")
    assert "attachment" in record["Content-Disposition"] and record.json() == game.record
    analysis = Client().get(f"/watch/recorded/{slug}/analysis.json")
    assert analysis.json() == game.analysis if game.analysis else analysis.status_code == 404
    frames = json.loads(gzip.decompress(Client().get(page.context["frames_url"]).content))
    assert len(frames["frames"]) == page.context["scene"].last + 1


@pytest.mark.django_db
def test_the_frames_that_everybody_sees_show_no_hand():
    page = Client().get(f"/watch/?recorded={SLUGS[0]}")
    assert page.context["showing"].key == SLUGS[0]
    frames = json.loads(gzip.decompress(Client().get(page.context["showing"].frames_url).content))
    assert (
        "data-card" not in "".join(part for part in frames["parts"] if 'class="hand' in part)
        and Client().get("/watch/?recorded=none").status_code == 404
    )


@pytest.mark.django_db
def test_without_the_setting_there_are_none(settings):
    settings.RECORDED_GAMES = False
    for address in ("/", "/watch/"):
        page = Client().get(address)
        assert page.context["showing"] is None and "Recorded game" not in page.text
    for end in ("", "record.json", "analysis.json", "frames.json"):
        assert Client().get(f"/watch/recorded/{SLUGS[0]}/{end}").status_code == 404
    assert Client().get(f"/watch/?recorded={SLUGS[0]}").status_code == 404


@pytest.mark.django_db
def test_those_of_a_game_that_is_gone_are_left_out():
    with game_gone("battalion"):
        assert {game.record["game"] for game in list_recorded_games()} == {"battleline"}


def test_matches_of_bots_without_a_rank_do_not_replace_them(finished, play):
    play_more(finished, play, GOOD_MATCHES_WANTED)
    assert len(list_candidates()) == GOOD_MATCHES_WANTED + 1 and list_strong_entries() == []
    assert Client().get("/").context["showing"].played_on


def test_twelve_matches_of_ranked_bots_in_the_better_half_replace_them(good_match, versions, play, make_version, ana):
    play_more(good_match, play, GOOD_MATCHES_WANTED - 1)
    Entry.objects.update(is_ranked=True)
    ladder = good_match.ladder_match.ladder
    for name in ("Wren", "Robin"):
        Entry.objects.create(ladder=ladder, version=make_version(ana, name), is_ranked=True, rating=900.0)
    own = set(Entry.objects.filter(version__in=versions).values_list("pk", flat=True))
    assert set(list_strong_entries()) == own
    showing = Client().get("/").context["showing"]
    assert showing.played_on is None and showing.row.match.state == Match.State.FINISHED
    cache.clear()
    Match.objects.filter(pk=good_match.pk).update(finished_at=now() - timedelta(days=8))
    assert Client().get("/").context["showing"].played_on


def test_a_match_that_is_asked_for_is_shown_nevertheless(finished):
    assert Client().get(f"/watch/?match={finished.pk}").context["showing"].row.match == finished


@pytest.mark.django_db
def test_the_pages_ask_nothing_of_the_database_for_a_recorded_game(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert Client().get(f"/watch/recorded/{SLUGS[0]}/").status_code == 200


def test_who_looks_on_without_a_seat_is_told_chances_with_open_cards():
    slug = next(game.slug for game in read_recorded_games() if game.analysis)
    hints = {view: Client().get(f"/watch/recorded/{slug}/?view={view}").text for view in ("all", "public", "0")}
    assert ["with all cards open" in page for page in hints.values()] == [True, True, False]
    assert ["based on what the player could see" in page for page in hints.values()] == [False, False, True]
