"""Tournaments: what scripts plan, enter and read."""

from datetime import timedelta

import pytest
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.services.forecasting import store_forecast
from arena.contests.tournaments.settings import Settings
from arena.people.accounts.models import User
from tests.arena.api.played import Script
from tests.arena.contests.tournaments.world import (
    begin,
    make_tournament,
    pass_checks,
    play_round,
    start_worker,
)

CUP = "/tournaments/autumn-cup/"
PLAN = {"title": "Autumn Cup", "game": "battleline"}
READ = ["", "entrants/", "rounds/", "standings/", "crosstable/", "deals/", "deals/matches/"]


class Hand(Script):
    """A script that changes the Autumn Cup."""

    def does(self, path: str, **body: object) -> dict:
        """What is answered when it is done."""
        answer = self.post(f"{CUP}{path}", body)
        assert answer.status_code in (200, 201), answer.content
        return answer.json()

    def refused(self, path: str, **body: object) -> tuple[int, str]:
        answer = self.post(f"{CUP}{path}", body)
        return answer.status_code, answer.json()["error"]["code"]


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
    assert other["variant"] == "Standard, a random seat moves first"
    assert Hand(otto).patch(address, {"game": "battleline"}).json()["changed_options"] == {}


def test_a_rated_tournament_changes_no_options(olga: User):
    refused = Hand(olga).post("/tournaments/", PLAN | {"is_rated": True, "options": {"tactics": 0}})
    assert refused.status_code == 400 and "edition's unchanged rules" in refused.json()["error"]["message"]


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
        ({"settings": {"format": "arena"}}, "settings.format"),
        ({"settings": "swiss"}, "settings"),
        ({"settings": {"format": "swiss-knockout", "knockout_size": 65}}, "65 bots can't advance to the knockout"),
        ({"entries_close_at": "2020-01-01T00:00:00Z"}, "The deadline is in the past."),
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


def test_a_plan_says_how_long_it_takes_at_most(otto: User):
    start_worker()
    script = Hand(otto)
    told = script.post("/tournaments/", PLAN).json()
    assert told["seconds_left"] is None and told["whole_clock_seconds"] > 3600
    fewer = script.patch(CUP, {"max_entrants": 8}).json()
    assert 0 < fewer["whole_clock_seconds"] < told["whole_clock_seconds"]


def test_why_there_is_no_forecast_is_told(olga: User, bots: list[Bot]):
    tournament = begin(bots)
    assert Hand().read(CUP)["forecast_reason"] == "", "nobody has looked yet"
    store_forecast(tournament=tournament)
    told = Hand().read(CUP)
    assert told["forecast"] is None and told["forecast_after_round"] == 0
    assert told["forecast_reason"] == ("No forecast yet: the ratings are too uncertain to tell the bots apart.")


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
    assert (told["seconds_left"], told["seconds_left_reason"]) == (None, "No machine is playing matches.")
    start_worker()
    told = script.read(CUP)
    assert 0 < told["seconds_left_low"] < told["seconds_left"] < told["seconds_left_high"]
    assert told["seconds_left"] == (told["seconds_left_low"] + told["seconds_left_high"]) / 2
    assert (told["whole_clock_seconds"], told["seconds_left_reason"]) == (None, "")
    in_list = script.read("/tournaments/")["results"][0]
    assert {in_list[name] for name in told if name.startswith("seconds_left")} == {None, ""}
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


def test_a_version_on_trial_enters_and_organisers_enter_late_ones_with_a_reason(olga: User, ana: User, make_version):
    first = make_version(ana, "Kingfisher").bot
    make_version(ana, "Heron")
    make_version(ana, "Wren", state=BotVersion.State.ON_TRIAL)
    make_tournament([first])
    author, organiser = Hand(ana), Hand(olga)
    entered = author.does("entrants/", bot="wren")
    assert (entered["state"], entered["entered_late"], entered["skipped_version"]) == ("on_trial", False, None)
    organiser.does("start/")
    assert author.refused("entrants/", bot="heron", reason="Ill.") == (409, "conflict")
    assert organiser.refused("entrants/", bot="heron") == (400, "refused")
    assert organiser.does("entrants/", bot="heron", reason="The bus was late.")["entered_late"]
    said = Hand().read(f"{CUP}decisions/")["results"][0]
    assert (said["act"], said["reason"]) == ("entry.late", "The bus was late.")
    assert author.refused("trials/leave-out/", reason="Now.") == (403, "not_yours")
    assert organiser.refused("trials/leave-out/") == (400, "refused")
    organiser.does("trials/leave-out/", reason="The lesson ends.")
    left = {one["version"]["bot"]: one for one in Hand().read(f"{CUP}entrants/")["results"]}["wren"]
    assert (left["state"], left["skipped_version"]) == ("failed", 1)
    assert left["state_reason"] == "Version 1 was left out: its trial wasn't finished."


def test_a_new_tournament_invites_the_entrants_of_another(olga: User, otto: User, bots: list[Bot]):
    make_tournament(bots[:2])
    plan = {"title": "Winter Cup", "game": "battleline", "invites_entrants_of": "autumn-cup"}
    assert Script(otto).post("/tournaments/", plan).status_code == 403
    slug = Script(olga).post("/tournaments/", plan).json()["slug"]
    address = f"/tournaments/{slug}/invitations/"
    invited = Script(olga).read(address)["results"]
    expected = [(bot.slug, False, None) for bot in bots[:2]]
    assert [(one["bot"], one["has_entered"], one["told_at"]) for one in invited] == expected
    Script(olga).post(f"/tournaments/{slug}/open/")
    own = Script(bots[0].owner)
    assert [one["bot"] for one in own.read(address)["results"]] == [bots[0].slug]
    assert Script().read(address)["results"] == []
    assert own.post(f"/tournaments/{slug}/entrants/", {"bot": bots[0].slug}).status_code == 201
    assert own.read(address)["results"][0]["has_entered"]


def test_an_organiser_disqualifies_and_says_why(olga: User, bots: list[Bot]):
    make_tournament(bots)
    author, script = Hand(bots[0].owner), Hand(olga)
    assert script.refused("disqualify/", bot=bots[0].slug) == (400, "refused")
    told = script.does("disqualify/", bot=bots[0].slug, reason="Copied")
    assert (told["state"], told["state_reason"]) == ("disqualified", "Copied")
    assert author.refused("entrants/", bot=bots[0].slug) == (409, "conflict")
    told = author.read(f"{CUP}entrants/")["results"][0]
    assert (told["state"], told["state_reason"]) == ("disqualified", "Copied")


def test_pairings_are_decided_and_taken_back(olga: User, ana: User, bots: list[Bot]):
    tournament = begin(bots, Settings(format="swiss", rounds=2))
    script, address = Hand(olga), "rounds/1/boards/1/"
    (round,) = script.read(f"{CUP}rounds/")["results"]
    winner, other = (seat["bot"] for seat in round["pairings"][0]["seats"])
    decision = {"outcome": "win", "winner": other, "reason": "It rains."}
    assert [who.post(f"{CUP}{address}decide/", decision).status_code for who in (Hand(), Hand(ana))] == [401, 403]
    assert script.refused(f"{address}decide/", outcome="win", reason="It rains.") == (400, "invalid")
    assert script.refused(f"{address}decide/", outcome="even", winner=winner, reason="It rains.") == (400, "invalid")
    script.does(f"{address}decide/", **decision)
    (round,) = script.read(f"{CUP}rounds/")["results"]
    decided = round["pairings"][0]
    assert (decided["given_points"], decided["given_reason"], decided["played"]) == ([0.0, 1.0], "It rains.", False)
    assert script.refused(f"{address}decide/", **decision) == (409, "conflict")
    script.does(f"{address}undo/", reason="It stopped.")
    told = Hand().read(f"{CUP}decisions/")["results"]
    assert [(one["act"], one["by"], one["reason"]) for one in told[:2]] == [
        ("pairing.undo", "olga", "It stopped."),
        ("pairing.decide", "olga", "It rains."),
    ]
    assert tournament.state == Tournament.State.RUNNING


def test_finished_pairings_are_decided_and_rounds_drawn_before_are_named(olga: User, bots: list[Bot]):
    play_round(begin(bots, Settings(format="swiss", rounds=2)))
    script, address = Hand(olga), "rounds/1/boards/1/"

    def read() -> dict:
        found: dict = script.read(f"{CUP}rounds/?number=1")["results"][0]["pairings"][0]
        return found

    (loser,) = (seat["bot"] for seat in read()["seats"] if not seat["points"])
    assert (read()["decisions"], read()["stale_rounds"]) == ([], [])
    script.does(f"{address}decide/", outcome="win", winner=loser, reason="It rains.")
    (made,) = read()["decisions"]
    assert (made["reason"], sorted(made["given_points"]), read()["stale_rounds"]) == ("It rains.", [0.0, 1.0], [2])
    assert script.refused(f"{address}undo/") == (400, "refused")
    script.does(f"{address}undo/", reason="It stopped.")
    assert (read()["given_points"], read()["stale_rounds"], len(read()["decisions"])) == (None, [], 2)


def test_co_organisers_are_added_and_removed(otto: User, ana: User):
    script = Hand(otto)
    script.post("/tournaments/", PLAN)
    assert script.does("organisers/", username="ana") == {"username": "ana"}
    assert script.read(f"{CUP}organisers/")["results"] == [{"username": "ana"}]
    assert Hand(ana).does("open/")["state"] == "open"
    assert Hand(ana).refused("organisers/", username="otto")[0] == 403
    acts = Hand(ana).read(f"{CUP}decisions/")["results"]
    assert [one["act"] for one in acts] == ["entries.open", "organiser.add"]
    assert [one["act"] for one in Hand().read(f"{CUP}decisions/")["results"]] == ["entries.open"]
    Hand(ana).does("organisers/remove/", username="ana")
    assert Hand(ana).get(f"{CUP}organisers/").status_code == 403


def test_a_rehearsal_needs_sample_bots(otto: User):
    Hand(otto).post("/tournaments/", PLAN)
    refused = Hand(otto).post(f"{CUP}rehearse/", {})
    assert refused.status_code == 400 and "too few sample bots" in refused.content.decode()
    assert Hand(otto).post(f"{CUP}rehearse/end/", {}).status_code == 409
