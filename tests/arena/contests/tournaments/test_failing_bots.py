"""A tournament with bots that crash, keep silent or leave, played for real."""

import pytest

from arena.bots.services import add_version, create_bot
from arena.contests.tournaments.models import Entrant, PairingSeat, Tournament
from arena.contests.tournaments.services.entering import withdraw
from arena.contests.tournaments.services.matches import read_standings
from arena.contests.tournaments.services.organising import close_entries
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.matches.models import LegSeat, Match
from arena.operations import tasks
from tests.arena.contests.tournaments.world import make_tournament
from tests.conftest import FIRST_LEGAL

CRASHES = FIRST_LEGAL.replace(
    b'if message["type"] == "hello"', b'if message["type"] == "turn": 1 / 0\n    if message["type"] == "hello"'
)
SILENT = FIRST_LEGAL.replace(b'elif message["type"] == "turn"', b'elif message["type"] == "answered"')
BOTS = {"Good": b"", "Better": b"# 2", "Best": b"# 3", "Leaver": b"# 4", "Crasher": CRASHES, "Silent": SILENT}


def enter_all(house):
    """Past their checks, as if they had failed only later."""
    bots = []
    for name, source in BOTS.items():
        bots.append(create_bot(owner=house, name=name, game="battleline"))
        whole = source if name in ("Crasher", "Silent") else FIRST_LEGAL + source
        add_version(bot=bots[-1], files={"bot.py": whole}, state="accepted")
    tournament = make_tournament(bots, Settings(rounds=2), edition="short")
    tournament.entrants.update(state=Entrant.State.READY)
    close_entries(tournament=tournament, organiser=tournament.organiser)
    return tournament


def play_everything(tournament, play):
    while match := Match.objects.queued().first():
        play(match)
        tasks.settle_match(match.pk)
        tasks.play_tournament(tournament.pk)


@pytest.mark.django_db
def test_it_ends_by_itself_with_the_right_verdicts(house, play):
    tournament = enter_all(house)
    advance_tournament(tournament=tournament)
    leaver = Entrant.objects.get(bot__name="Leaver")
    withdraw(entrant=leaver, user=house)
    tasks.play_tournament(tournament.pk)
    play_everything(tournament, play)
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINISHED
    verdicts = set(LegSeat.objects.values_list("participant__version__bot__name", "verdict"))
    expected = {name: "ok" for name in ("Good", "Better", "Best")} | {"Crasher": "crash", "Silent": "timeout"}
    assert dict(verdicts) == expected and len(verdicts) == len(expected)
    assert not Match.objects.filter(state=Match.State.VOID, void_reason="").exists()
    left = PairingSeat.objects.filter(entrant=leaver)
    assert [(seat.points, seat.pairing.played) for seat in left] == [(0.0, False)]
    names = dict(Entrant.objects.values_list("number", "bot__name"))
    by_name = {names[standing.number]: standing for standing in read_standings(tournament)}
    assert by_name["Leaver"].is_out and by_name["Leaver"].points == 0
    assert max(by_name[name].points for name in ("Crasher", "Silent")) <= 1
    assert max(by_name.values(), key=lambda one: one.points).number in (1, 2, 3)
