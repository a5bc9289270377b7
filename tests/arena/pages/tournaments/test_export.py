import csv
import json

import pytest

from arena.bots.models import Bot
from arena.tournaments.models import PairingMatch
from arena.tournaments.services.organising import close_entries, replay_rounds
from arena.tournaments.services.playing import advance_tournament
from arena.tournaments.settings import Settings
from arena.tournaments.standings import TIE_BREAKS
from engine.season import commitment
from tests.arena.tournaments.world import begin, make_bots, make_tournament, pass_checks, play_out, play_round

pytestmark = pytest.mark.django_db


def lines(answer) -> list[dict[str, str]]:
    return list(csv.DictReader(answer.content.decode().splitlines()))


def test_the_standings_are_a_table_with_every_tie_break(ask):
    tournament = play_out(begin(make_bots(4)))
    answer = ask(tournament, "standings.csv")
    assert answer["Content-Type"].startswith("text/csv") and "autumn-cup.csv" in answer["Content-Disposition"]
    first = lines(answer)[0]
    assert (first["place"], first["bot"], first["score"], first["wins"]) == ("1", "Bot 1", "3.0", "3")
    assert {key for key, *_rest in TIE_BREAKS} <= first.keys()


def test_no_name_is_a_formula(ask):
    Bot.objects.filter(pk=make_bots(2)[0].pk).update(name="=1+1")
    tournament = begin(list(Bot.objects.order_by("pk")))
    assert "'=1+1" in {line["bot"] for line in lines(ask(tournament, "standings.csv"))}


def test_before_the_start_it_tells_who_has_entered(ask):
    tournament = make_tournament(make_bots(2))
    assert [(line["place"], line["bot"], line["state"]) for line in lines(ask(tournament, "standings.csv"))] == [
        ("", "Bot 1", "checking"),
        ("", "Bot 2", "checking"),
    ]


def test_all_of_it_is_to_be_had_as_json(ask):
    tournament = play_out(begin(make_bots(5), Settings(format="single-elimination", matches_per_pairing=3)))
    told = json.loads(ask(tournament, "tournament.json").content)
    assert told["state"] == "finished" and told["settings"]["matches_per_pairing"] == 3 and told["game"] == "battleline"
    assert commitment(told["secret"]) == told["commitment"] == tournament.commitment
    assert [one["place"] for one in told["entrants"] if one["bot"] == "bot-1"] == [1]
    assert len(told["rounds"]) == 3 and len(told["standings"]) == 5
    matches = [match["id"] for round in told["rounds"] for board in round["pairings"] for match in board["matches"]]
    assert sorted(matches) == sorted(PairingMatch.objects.values_list("match", flat=True))
    assert told["standings"][0]["number"] == 1 and told["standings"][0]["place"] == 1


def test_the_secret_and_open_results_are_not_told_before_the_end(ask):
    tournament = begin(make_bots(2))
    told = json.loads(ask(tournament, "tournament.json").content)
    board = told["rounds"][0]["pairings"][0]
    assert told["secret"] is None and board["points"] is None and board["matches"][0]["points"] is None


def test_rounds_that_count_no_more_are_told_as_such(ask):
    tournament = play_round(begin(make_bots(4)))
    replay_rounds(tournament=tournament, organiser=tournament.organiser, number=1, reason="A machine was slow.")
    advance_tournament(tournament=tournament)
    told = json.loads(ask(tournament, "tournament.json").content)["rounds"]
    assert [(one["number"], one["attempt"], one["is_latest_attempt"]) for one in told] == [
        (1, 0, False),
        (1, 1, True),
        (2, 0, False),
    ]
    assert told[0]["pairings"] and told[0]["replay_reason"] == "A machine was slow."
    deals = {match["deal"] for one in told for board in one["pairings"] for match in board["matches"]}
    assert len(deals) == sum(len(board["matches"]) for one in told for board in one["pairings"])


def test_what_a_bot_said_in_its_check_is_not_told(ask):
    bots = make_bots(3)
    tournament = make_tournament(bots)
    close_entries(tournament=tournament, organiser=tournament.organiser)
    pass_checks(tournament, failing=bots[:1])
    told = json.loads(ask(tournament, "tournament.json").content)
    assert {one["state_reason"] for one in told["entrants"]} == {"", "Crashed in its check."}
    assert [one["number"] for one in told["entrants"] if one["bot"] == "bot-1"] == [None]
