"""Tournaments: what scripts plan, enter and read."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.matches.models import Match
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.settings import Settings
from engine.registry import find_game
from engine.season import Season, commitment
from tests.arena.api.played import Script
from tests.arena.tournaments.world import (
    begin,
    make_bots,
    make_organiser,
    make_tournament,
    pass_checks,
    play_out,
    play_round,
)

CUP = "/tournaments/autumn-cup/"
PLAN = {"title": "Autumn Cup", "game": "battleline"}
READ = ["", "entrants/", "rounds/", "standings/", "crosstable/", "deals/", "deals/matches/"]


class Hand(Script):
    """A script that changes things, too."""

    def patch(self, path: str, body: object) -> object:
        return self.client.patch(f"/api/v1{path}", body, "application/json", headers=self.headers)

    def does(self, path: str, **body: object) -> dict:
        """What is answered when it is done."""
        answer = self.post(f"{CUP}{path}", body)
        assert answer.status_code in (200, 201), answer.content
        return answer.json()

    def refused(self, path: str, **body: object) -> tuple[int, str]:
        answer = self.post(f"{CUP}{path}", body)
        return answer.status_code, answer.json()["error"]["code"]


@pytest.fixture
def olga(db: None) -> User:
    return make_organiser()


@pytest.fixture
def otto(db: None) -> User:
    """He may organise, and is no staff."""
    otto = User.objects.create_user("otto")
    otto.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return otto


@pytest.fixture
def bots(db: None) -> list[Bot]:
    return make_bots(4)


def test_a_tournament_is_planned_with_what_is_usual_left_out(otto: User, ben: User):
    answer = Hand(otto).post("/tournaments/", PLAN)
    assert answer.status_code == 201, answer.content
    told = answer.json()
    assert (told["slug"], told["organiser"], told["state"], told["edition"]) == (
        "autumn-cup",
        "otto",
        "draft",
        "standard",
    )
    assert told["settings"]["format"] == "swiss" and told["settings"]["rounds"] is None
    assert told["html_url"].endswith("/tournaments/autumn-cup/") and len(told["commitment"]) == 64
    assert (told["entrants"], told["rounds_started"], told["rounds_planned"], told["forecast"]) == (0, 0, 7, None)
    full = PLAN | {
        "edition": "advanced",
        "settings": {"format": "single-elimination", "matches_per_pairing": 5},
        "entries_close_at": (now() + timedelta(days=1)).isoformat(),
        "max_entrants": 8,
    }
    told = Hand(otto).post("/tournaments/", full).json()
    assert (told["slug"], told["edition"], told["settings"]["matches_per_pairing"]) == ("autumn-cup-2", "advanced", 5)
    assert told["settings"]["max_tiebreak_matches"] == 2 and told["max_entrants"] == 8


def test_a_tournament_takes_rule_options_and_series(otto: User):
    body = PLAN | {"options": {"tactics": 0}, "settings": {"series": {"points": 15}}}
    told = Hand(otto).post("/tournaments/", body).json()
    assert (told["changed_options"], told["variant"]) == ({"tactics": 0}, "Standard, without tactics")
    assert told["settings"]["series"] == {"games": None, "points": 15}
    address = f"/tournaments/{told['slug']}/"
    assert Hand(otto).read(f"{address}deals/")["options"]["tactics"] == 0
    changed = Hand(otto).patch(address, {"options": told["options"] | {"tactics": 10}, "settings": {"series": None}})
    assert (changed.json()["changed_options"], changed.json()["settings"]["series"]) == ({}, None)
    other = Hand(otto).patch(address, {"game": "battalion", "options": {"start": "lot"}}).json()
    assert other["variant"] == "Standard, the first seat is drawn by lot"
    assert Hand(otto).patch(address, {"game": "battleline"}).json()["changed_options"] == {}


def test_a_rated_tournament_changes_no_options(olga: User):
    refused = Hand(olga).post("/tournaments/", PLAN | {"is_rated": True, "options": {"tactics": 0}})
    assert refused.status_code == 400 and "Choose no other rule options" in refused.json()["error"]["message"]


def test_who_may_not_organise_is_refused(otto: User, ana: User, make_version):
    assert Hand().post("/tournaments/", PLAN).status_code == 401
    refused = Hand(ana).post("/tournaments/", PLAN)
    assert refused.status_code == 403 and refused.json()["error"]["code"] == "not_yours"
    of_one_bot = Hand(otto, make_version(otto, "Wren").bot)
    assert of_one_bot.post("/tournaments/", PLAN).status_code == 403
    assert Hand(otto).post("/tournaments/", PLAN | {"is_rated": True}).status_code == 403
    assert not Tournament.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"title": ""}, "title"),
        ({"game": "chess"}, "game"),
        ({"edition": "windy"}, "there is no edition 'windy'"),
        ({"settings": {"format": "arena"}}, "settings.format"),
        ({"settings": {"matches_per_pairing": 26}}, "settings.matches_per_pairing"),
        ({"settings": {"seats": 3}}, "no tables of 3 seats"),
        ({"settings": "swiss"}, "settings"),
        ({"settings": {"knockout_size": 1}}, "settings.knockout_size"),
        ({"settings": {"format": "swiss-knockout", "knockout_size": 65}}, "65 bots can't advance to the knockout"),
        ({"entries_close_at": "2020-01-01T00:00:00Z"}, "The deadline has passed already."),
        ({"max_entrants_per_author": 10**12}, "max_entrants_per_author"),
    ],
)
def test_what_is_wrong_is_said(otto: User, wrong: dict, said: str):
    refused = Hand(otto).post("/tournaments/", PLAN | wrong)
    assert refused.status_code == 400 and said in refused.content.decode()
    assert not Tournament.objects.exists()


def test_the_setting_to_blame_is_named(otto: User):
    plan = PLAN | {"settings": {"format": "groups", "advance_per_group": 40}}
    refused = Hand(otto).post("/tournaments/", plan).json()["error"]
    assert refused["code"] == "not_playable"
    assert refused["fields"] == {"settings.advance_per_group": [refused["message"]]}


def test_both_phases_are_told(bots: list[Bot]):
    plan = Settings(format="swiss-knockout", rounds=2, knockout_size=2)
    tournament = play_round(play_round(begin(bots, plan)))
    address = f"/tournaments/{tournament.slug}/"
    told = Hand().read(address)
    assert told["rounds_planned"] == 3 and [one["key"] for one in told["phases"]] == ["swiss", "knockout"]
    assert [one["rounds_planned"] for one in told["phases"]] == [2, 1]
    assert [one["phase"] for one in Hand().read(f"{address}rounds/")["results"]] == [1, 1, 2]
    play_round(tournament)
    whole, first, last = (Hand().read(f"{address}standings/{query}") for query in ("", "?phase=1", "?phase=2"))
    assert [len(lines) for lines in (whole, first, last)] == [4, 4, 2]
    assert [line["played"] for line in whole][:2] == [3, 3] and {line["played"] for line in first} == {2}
    assert [line["place"] for line in last] == [1, 2]
    assert Hand().read(f"{address}standings/?group=A") == []


def test_drafts_are_for_their_organiser_and_the_staff(otto: User, olga: User, ana: User, make_version):
    Hand(otto).post("/tournaments/", PLAN)
    of_one_bot = Hand(otto, make_version(otto, "Wren").bot)
    for path in READ:
        assert [who.get(f"{CUP}{path}").status_code for who in (Hand(), Hand(ana), of_one_bot)] == [404] * 3, path
        assert [who.get(f"{CUP}{path}").status_code for who in (Hand(otto), Hand(olga))] == [200] * 2, path
    assert [len(who.read("/tournaments/")["results"]) for who in (Hand(), Hand(ana), Hand(otto))] == [0, 0, 1]
    for path in ("open/", "entrants/", "withdraw/", "disqualify/"):
        assert Hand(ana).post(f"{CUP}{path}", {"bot": "wren"}).status_code == 404, path


def test_terms_are_changed_one_by_one(otto: User, ana: User, bots: list[Bot]):
    script = Hand(otto)
    script.post("/tournaments/", PLAN | {"description": "For all"})
    told = script.patch(CUP, {"settings": {"matches_per_pairing": 7}, "max_entrants_per_author": 2}).json()
    assert (
        told["settings"]["matches_per_pairing"],
        told["settings"]["max_tiebreak_matches"],
        told["max_entrants_per_author"],
    ) == (7, 2, 2)
    assert (told["description"], told["title"]) == ("For all", "Autumn Cup")
    script.does("open/")
    script.does("entrants/", bot=bots[0].slug)
    assert script.patch(CUP, {"edition": "advanced"}).status_code == 409
    assert [who.patch(CUP, {}).status_code for who in (Hand(), Hand(ana))] == [401, 403]
    assert script.patch(CUP, {"settings": {"rounds": 0}}).status_code == 400


def test_lists_are_filtered(olga: User, bots: list[Bot]):
    begin(bots)
    make_tournament(title="Winter Cup")
    slugs = {
        query: [one["slug"] for one in Hand().read(f"/tournaments/?{query}")["results"]]
        for query in ("", "state=open", "state=running", "game=battleline", "game=battalion", "organiser=olga")
    }
    both = ["winter-cup", "autumn-cup"]
    assert slugs == {
        "": both,
        "state=open": ["winter-cup"],
        "state=running": ["autumn-cup"],
        "game=battleline": both,
        "game=battalion": [],
        "organiser=olga": both,
    }
    assert Hand().get("/tournaments/?state=lost").status_code == 400


def test_its_organiser_takes_it_from_the_draft_to_its_end(olga: User, ana: User, bots: list[Bot]):
    script = Hand(olga)
    script.post("/tournaments/", PLAN)
    assert script.does("open/")["state"] == "open"
    assert script.refused("open/") == (409, "conflict")
    for bot in bots:
        script.does("entrants/", bot=bot.slug)
    assert script.does("start/")["state"] == "checking"
    tournament = Tournament.objects.get()
    pass_checks(tournament)
    told = script.read(CUP)
    assert (told["state"], told["entrants"], told["rounds_started"], told["rounds_planned"]) == ("running", 4, 1, 3)
    assert told["seconds_left"] > 0 and script.read("/tournaments/")["results"][0]["seconds_left"] is None
    told = script.does("pause/", reason="A machine is down.")
    assert (told["state"], told["state_reason"]) == ("paused", "A machine is down.")
    assert script.does("resume/")["state"] == "running"
    for path in ("open/", "start/", "pause/", "resume/", "cancel/", "rounds/1/replay/"):
        assert (Hand().refused(path)[0], Hand(ana).refused(path)) == (401, (403, "not_yours")), path
    told = script.does("cancel/", reason="Snow")
    assert (told["state"], told["state_reason"]) == ("cancelled", "Snow") and told["finished_at"]
    assert script.refused("cancel/") == (409, "conflict")


def test_workers_are_woken(olga: User, bots: list[Bot], messages, django_capture_on_commit_callbacks):
    make_tournament()
    with django_capture_on_commit_callbacks(execute=True):
        Hand(olga).does("entrants/", bot=bots[0].slug)
    assert len(messages()) == 1
    with django_capture_on_commit_callbacks(execute=True):
        Hand(olga).does("start/")
    assert len(messages()) == 2


def test_an_author_enters_own_bots(ana: User, ben: User, make_version):
    kingfisher, heron = make_version(ana, "Kingfisher").bot, make_version(ben, "Heron").bot
    make_version(ana, "Kingfisher", b"print()")
    make_tournament(max_entrants_per_author=1)
    script = Hand(ana)
    told = script.does("entrants/", bot="kingfisher")
    assert (told["version"]["version"], told["updates_automatically"], told["state"], told["number"]) == (
        2,
        True,
        "checking",
        None,
    )
    told = script.does("entrants/", bot="kingfisher", version=1)
    assert (told["version"]["version"], told["updates_automatically"]) == (1, False)
    assert Hand().read(f"{CUP}entrants/")["results"] == [told]
    assert script.refused("entrants/", bot="heron") == (403, "not_yours")
    assert script.refused("entrants/", bot="kingfisher", version=9) == (404, "not_found")
    assert script.refused("entrants/", bot="nobody") == (404, "not_found")
    assert script.refused("entrants/") == (400, "invalid")
    assert Hand().refused("entrants/", bot="heron")[0] == 401
    wren = make_version(ana, "Wren").bot
    assert script.refused("entrants/", bot="wren") == (409, "conflict")
    assert Hand(ana, wren).refused("withdraw/", bot="kingfisher") == (403, "not_yours")
    assert Hand(ana, kingfisher).does("withdraw/", bot="kingfisher")["state"] == "withdrawn"
    assert Hand(ana, wren).does("entrants/", bot="wren")["state"] == "checking"
    assert script.refused("withdraw/", bot="heron") == (404, "not_found")
    assert not Entrant.objects.filter(bot=heron).exists()


def test_only_the_organiser_disqualifies_and_says_why(olga: User, bots: list[Bot]):
    make_tournament(bots)
    author, script = Hand(bots[0].owner), Hand(olga)
    assert author.refused("disqualify/", bot=bots[1].slug, reason="Mine is better") == (403, "not_yours")
    assert author.refused("disqualify/", bot=bots[0].slug, reason="Mine") == (403, "not_yours")
    assert author.refused("withdraw/", bot=bots[1].slug) == (403, "not_yours")
    assert script.refused("disqualify/", bot=bots[0].slug) == (400, "refused")
    told = script.does("disqualify/", bot=bots[0].slug, reason="Copied")
    assert (told["state"], told["state_reason"]) == ("disqualified", "Copied")
    assert author.refused("entrants/", bot=bots[0].slug) == (409, "conflict")
    told = author.read(f"{CUP}entrants/")["results"][0]
    assert (told["state"], told["state_reason"]) == ("disqualified", "Copied")


def test_what_a_bot_said_in_its_check_is_for_its_owner_and_the_organiser(olga: User, bots: list[Bot]):
    tournament = make_tournament(bots)
    pass_checks(tournament, failing=bots[:1])
    owner, other = bots[0].owner, bots[1].owner
    seen = {}
    for name, who in {"owner": Hand(owner), "organiser": Hand(olga), "other": Hand(other), "nobody": Hand()}.items():
        told = who.read(f"{CUP}entrants/")["results"][0]
        assert told["state"] == "failed" and Match.objects.get(pk=told["check_match"]).tournament_check
        assert told["state_reason"] == "Crash in its check."
        seen[name] = told["state_detail"]
    assert seen == {"owner": "It ended.", "organiser": "It ended.", "other": "", "nobody": ""}


def test_rounds_are_told_with_pairings_results_and_matches(bots: list[Bot]):
    play_round(begin(bots))
    first, second = Hand().read(f"{CUP}rounds/")["results"]
    assert (first["number"], first["is_latest_attempt"], second["finished_at"]) == (1, True, None)
    board = first["pairings"][0]
    assert (board["board"], board["is_over"], board["played"]) == (1, True, True)
    assert [seat["points"] for seat in board["seats"]] == [1.0, 0.0] and board["seats"][0]["bot"] == bots[0].slug
    assert [match["state"] for match in board["matches"]] == ["finished"]
    assert second["pairings"][0]["seats"][0]["points"] is None
    page = Hand().read(f"{CUP}rounds/", limit=1)
    assert [one["number"] for one in page["results"]] == [1] and "cursor=" in page["next"]
    assert [one["number"] for one in Hand().read(f"{CUP}rounds/", number=2)["results"]] == [2]
    assert Hand().get(f"{CUP}rounds/", limit=50).status_code == 400


def test_a_round_is_played_again(olga: User, bots: list[Bot]):
    tournament = play_round(begin(bots))
    told = Hand(olga).does("rounds/1/replay/", reason="A wrong version")
    assert told["rounds_started"] == 0
    pass_checks(tournament)
    assert [(one["number"], one["attempt"]) for one in Hand().read(f"{CUP}rounds/")["results"]] == [(1, 1)]
    rounds = Hand().read(f"{CUP}rounds/", all_attempts=True)["results"]
    assert [(one["number"], one["attempt"], one["is_latest_attempt"]) for one in rounds] == [
        (1, 0, False),
        (1, 1, True),
        (2, 0, False),
    ]
    assert rounds[0]["replay_reason"] == "A wrong version"
    assert Hand(olga).refused("rounds/2/replay/") == (409, "conflict")
    assert Hand(olga).post(f"{CUP}rounds/{10**30}/replay/").status_code == 409


def test_standings_have_all_tie_breaks_and_the_crosstable_every_meeting(bots: list[Bot]):
    make_tournament(title="Winter Cup")
    assert Hand().read("/tournaments/winter-cup/standings/") == []
    assert Hand().read("/tournaments/winter-cup/crosstable/")["results"] == []
    play_out(begin(bots, Settings(format="round-robin")))
    lines = Hand().read(f"{CUP}standings/")
    assert [(line["place"], line["bot"], line["points"]) for line in lines] == [
        (place, bot.slug, 4.0 - place) for place, bot in enumerate(bots, 1)
    ]
    assert {"direct", "buchholz", "buchholz_cut_1", "sonneborn_berger", "lot", "game_points"} <= lines[0].keys()
    table = Hand().read(f"{CUP}crosstable/")["results"]
    assert [line["number"] for line in table] == [1, 2, 3, 4]
    assert [(it["number"], it["points"]) for it in table[0]["meetings"]] == [
        (it["number"], 1.0) for it in table[0]["meetings"]
    ]
    assert sorted(it["number"] for it in table[0]["meetings"]) == [2, 3, 4]
    places = [one["place"] for one in Hand().read(f"{CUP}entrants/")["results"]]
    assert places == [1, 2, 3, 4]


def test_the_secret_of_its_deals_is_told_at_the_end_and_never_before(olga: User, bots: list[Bot]):
    tournament = begin(bots)
    script = Hand(olga)
    while tournament.state == "running":
        for path in [f"{CUP}{path}" for path in READ] + ["/tournaments/"]:
            assert tournament.secret not in script.get(path).content.decode(), path
        told = script.read(f"{CUP}deals/")
        assert (told["secret"], told["commitment"]) == (None, tournament.commitment)
        play_round(tournament)
    told = Hand().read(f"{CUP}deals/")
    assert commitment(told["secret"]) == tournament.commitment
    game, season = find_game("battleline"), Season(told["secret"], told["game"], told["edition"], told["season"])
    dealt = Hand().read(f"{CUP}deals/matches/")["results"]
    assert len(dealt) == 6
    for row in dealt:
        assert season.deal_hashes(game, told["options"], 2, row["number"]) == row["deal_hashes"]


def test_no_secret_of_what_is_called_off_or_still_in_play(olga: User, bots: list[Bot]):
    tournament = play_round(begin(bots))
    Hand(olga).does("cancel/")
    assert Hand().read(f"{CUP}deals/")["secret"] is None
    Tournament.objects.update(state="finished")
    assert Hand().read(f"{CUP}deals/")["secret"] == tournament.secret
    last = Match.objects.filter(pairing_match__isnull=False).last()
    Match.objects.filter(pk=last.pk).update(state="running")
    assert Hand().read(f"{CUP}deals/")["secret"] is None


def test_chances_are_told_once_there_are_any(bots: list[Bot]):
    begin(bots)
    hope = {"1": {"bot": "bot-1", "win": 0.5, "podium": 0.9, "place": 1.7}}
    Tournament.objects.update(forecast=hope, forecast_after_round=0)
    told = Hand().read(CUP)
    assert told["forecast"] == hope and told["forecast_after_round"] == 0


def test_what_is_known_is_not_sent_again(bots: list[Bot]):
    begin(bots)
    for path in READ:
        first = Hand().get(f"{CUP}{path}")
        again = Hand().client.get(f"/api/v1{CUP}{path}", headers={"If-None-Match": first["ETag"]})
        assert again.status_code == 304, path


def test_what_is_asked_does_not_grow_with_the_field(bots: list[Bot]):
    authors = [User.objects.create_user(f"more{number}") for number in range(4)]
    few = play_round(begin(bots))
    more = [*bots, *(bot for author in authors for bot in make_named(author))]
    many = play_round(begin(more))

    def count(tournament: Tournament, path: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            Hand().read(f"/tournaments/{tournament.slug}/{path}")
        return len(asked)

    assert {path: count(few, path) for path in READ} == {path: count(many, path) for path in READ}


def make_named(owner: User) -> list[Bot]:
    made = Bot.objects.create(owner=owner, name=f"Bot of {owner}", slug=f"bot-of-{owner}", game="battleline")
    newest = Bot.objects.exclude(pk=made.pk).first().versions.get()
    newest.pk, newest.bot, newest._state.adding = None, made, True
    newest.save()
    return [made]
