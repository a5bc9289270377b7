"""Messages of tournaments are told in the reader's language."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils.translation import gettext, override

from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.services.entering import disqualify, enter, withdraw
from arena.contests.tournaments.services.organising import (
    NotPlayable,
    TournamentPlan,
    cancel,
    close_entries,
    create,
    open_entries,
    pause,
    replay_rounds,
    resume,
)
from arena.contests.tournaments.services.playing import format_ordinal
from arena.contests.tournaments.settings import InvalidSettings, Settings
from arena.core.errors import ArenaError
from arena.core.messages import render_message
from arena.people.notices.models import Notice
from arena.runner.program import FAULT_NAMES
from engine.message import Message
from tests.arena.contests.tournaments.world import make_bots, make_tournament, pass_checks, play_out


def check_hungarian(message: Message) -> None:
    """Every template, of nested messages too, has a translation."""
    with override("hu"):
        assert gettext(message.template) != message.template
        assert render_message(message)
    for value in message.values.values():
        if isinstance(value, Message):
            check_hungarian(value)


@pytest.mark.parametrize(("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th")])
def test_a_place_is_an_ordinal(number: int, text: str) -> None:
    assert str(format_ordinal(number)) == text
    with override("hu"):
        assert render_message(format_ordinal(number)) == f"{number}."


@pytest.mark.parametrize(
    "plan",
    [
        TournamentPlan("Cup", "battleline", "standard", Settings(rounds=0)),
        TournamentPlan("Cup", "battleline", "standard", Settings(matches_per_pairing=26)),
        TournamentPlan("Cup", "battleline", "standard", Settings(max_tiebreak_matches=26)),
        TournamentPlan("Cup", "battleline", "standard", Settings(seats=5)),
        TournamentPlan("Cup", "battleline", "standard", Settings(groups=1)),
        TournamentPlan("Cup", "battleline", "standard", Settings(format="tables", seats=3)),
        TournamentPlan("Cup", "battleline", "standard", max_entrants=1),
        TournamentPlan("Cup", "battalion", "standard", Settings(seats=3)),
        TournamentPlan(" ", "battleline", "standard"),
    ],
)
def test_plans_that_can_not_be_played(plan: TournamentPlan) -> None:
    with pytest.raises(NotPlayable) as caught:
        plan.check()
    check_hungarian(caught.value.message)


def test_settings_that_the_entrants_can_not_play() -> None:
    for settings, entrants in ((Settings(), 1), (Settings(format="groups"), 3)):
        with pytest.raises(InvalidSettings) as caught:
            settings.check(entrants)
        check_hungarian(caught.value.message)


def refused(do: Callable[..., Any], **given: Any) -> Message:
    with pytest.raises(ArenaError) as caught:
        do(**given)
    return caught.value.message


def test_what_can_not_be_done(db, ana) -> None:
    bots = make_bots(3)
    tournament = make_tournament(bots[:2])
    organiser = tournament.organiser
    whole = {"tournament": tournament, "organiser": organiser}
    check_hungarian(refused(open_entries, **whole))
    check_hungarian(refused(resume, **whole))
    check_hungarian(refused(pause, **whole))
    check_hungarian(refused(replay_rounds, **whole, number=1, reason=""))
    check_hungarian(refused(open_entries, tournament=tournament, organiser=ana))
    check_hungarian(refused(create, organiser=ana, plan=TournamentPlan("Cup", "battleline", "standard")))
    check_hungarian(refused(enter, tournament=tournament, bot=bots[2], user=ana))
    Tournament.objects.update(max_entrants=2)
    check_hungarian(refused(enter, tournament=tournament, bot=bots[2], user=bots[2].owner))
    entrant = Entrant.objects.get(bot=bots[0])
    check_hungarian(refused(disqualify, entrant=entrant, organiser=organiser, reason=" "))
    withdraw(entrant=entrant, user=organiser)
    check_hungarian(refused(withdraw, entrant=entrant, user=organiser))
    cancel(**whole)
    check_hungarian(refused(cancel, **whole))
    check_hungarian(refused(enter, tournament=tournament, bot=bots[2], user=bots[2].owner))


def test_authors_are_told_of_their_bots(db) -> None:
    bots = make_bots(3)
    tournament = make_tournament(bots)
    pass_checks(tournament, failing=bots[2:])
    close_entries(tournament=tournament, organiser=tournament.organiser)
    pass_checks(tournament)
    tournament.refresh_from_db()
    play_out(tournament)
    notices = Notice.objects.filter(event__startswith="tournament.").exclude(user=tournament.organiser)
    assert len(notices) == 5


@pytest.mark.parametrize("name", FAULT_NAMES.values(), ids=str)
def test_every_fault_of_a_check_has_a_name(name: Message) -> None:
    check_hungarian(name)
