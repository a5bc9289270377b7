"""Tournaments: what scripts read of rounds, results and deals."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.bots.models import Bot
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.settings import Settings
from arena.matches.models import LegSeat, Match
from arena.people.accounts.models import User
from engine.registry import find_game
from engine.season import Season, commitment
from tests.arena.api.test_tournaments import CUP, READ, Hand
from tests.arena.contests.tournaments.world import (
    begin,
    finish,
    make_bots,
    make_tournament,
    pass_checks,
    play_out,
    play_round,
    waiting,
)


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


def test_causes_are_told_to_owners_and_organisers_alone(db):
    tournament = begin(make_bots(3), Settings(format="round-robin"))
    match = waiting(tournament)[0]
    finish(match, [1, 2])
    loser = match.participants.get(points=0.0)
    seat = LegSeat.objects.get(leg__match=match, leg__number=2, participant=loser)
    seat.verdict, seat.stderr = "crash", "\n".join(f"line {number}" for number in range(1, 31))
    seat.fault = {"message": "the bot exited with code 3", "sent": "SENT", "request": {"view": "CARDS"}}
    seat.save()
    owner = loser.version.bot.owner
    told = {}
    for name, script in (("owner", Hand(owner)), ("organiser", Hand(tournament.organiser)), ("public", Hand())):
        (told[name],) = script.read("/tournaments/autumn-cup/faults/")["results"]
        assert "SENT" not in str(told[name]) and "CARDS" not in str(told[name])
        assert "line 3\n" not in told[name]["log"]
    assert told["owner"] == told["organiser"]
    assert told["owner"]["message"] == "the bot exited with code 3" and told["owner"]["log"].endswith("line 30")
    assert told["public"] == told["owner"] | {"message": "", "log": ""}
    assert (told["public"]["bot"], told["public"]["round"], told["public"]["leg"]) == (loser.version.bot.slug, 1, 2)
    assert told["public"]["verdict"] == "crash"
