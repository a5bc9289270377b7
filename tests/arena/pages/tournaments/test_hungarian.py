"""The pages of a tournament are wholly Hungarian for who reads Hungarian."""

from collections.abc import Callable, Iterator

import pytest
from django.core.cache import cache
from django.utils.translation import override

from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.entering import disqualify, enter, withdraw
from arena.contests.tournaments.services.organising import (
    TournamentPlan,
    close_entries,
    create,
    open_entries,
    pause,
    replay_rounds,
    resume,
)
from arena.contests.tournaments.settings import Settings
from tests.arena.contests.tournaments.world import begin, make_bots, make_organiser, pass_checks, play_out, play_round
from tests.arena.pages.test_language import english_parts as english_parts
from tests.arena.pages.test_language import find_untranslated
from tests.full import one_of_each

FORMATS = {
    "swiss": 4,
    "round-robin": 4,
    "double-round-robin": 3,
    "single-elimination": 5,
    "double-elimination": 5,
    "groups": 6,
    "tables": 4,
}
"""The number of bots, by format, with which its pages show everything that they can show."""
ALIKE = {
    "round-robin": "swiss",
    "double-round-robin": "swiss",
    "double-elimination": "single-elimination",
    "swiss-knockout": "groups",
}
"""The format whose pages are made of the same parts, by format; by default the first of those is read."""


def addresses(tournament: Tournament) -> Iterator[str]:
    own = tournament.get_absolute_url()
    yield from ("/tournaments/", own, f"{own}print/", f"{own}enter/", f"{own}organise/")
    if tournament.state == Tournament.State.DRAFT:
        yield "/tournaments/new/"
    if not tournament.has_started and not tournament.is_over:
        yield f"{own}edit/"
    for number in sorted(set(tournament.rounds.values_list("number", flat=True))):
        yield f"{own}rounds/{number}/"


@pytest.fixture
def visit(reader) -> Iterator[Callable[[Tournament], str]]:
    """All pages as its organiser gets them in Hungarian, who sees whatever there is."""

    def read(tournament: Tournament) -> str:
        tournament.refresh_from_db()
        cache.clear()
        olga = reader(tournament.organiser)
        answers = [olga.get(address, headers={"Accept-Language": "hu"}) for address in addresses(tournament)]
        assert [answer for answer in answers if '<html lang="hu"' not in answer.text] == []
        return "".join(answer.text for answer in answers)

    with override("en", deactivate=True):
        yield read


@pytest.mark.parametrize("key", one_of_each(FORMATS, lambda key: ALIKE.get(key, key)))
def test_the_pages_are_hungarian(db, key: str, visit, english_parts) -> None:
    tournament = begin(make_bots(FORMATS[key]), Settings(format=key, matches_per_pairing=3))
    organiser = tournament.organiser
    withdraw(entrant=tournament.entrants.get(number=1), user=organiser, reason="")
    shown = visit(play_round(tournament))
    pause(tournament=tournament, organiser=organiser)
    replay_rounds(tournament=tournament, organiser=organiser, number=1, reason="")
    shown += visit(tournament)
    resume(tournament=tournament, organiser=organiser)
    tournament.refresh_from_db()
    shown += visit(play_out(play_round(tournament)))
    assert find_untranslated(shown, english_parts) == []


def test_pages_before_the_first_round_are_hungarian(db, visit, english_parts) -> None:
    bots = make_bots(3, owner=make_organiser())
    draft = create(
        organiser=make_organiser(), plan=TournamentPlan("Cup", "battleline", "standard", max_entrants_per_author=3)
    )
    shown = visit(draft)
    open_entries(tournament=draft, organiser=draft.organiser)
    for bot in bots:
        enter(tournament=draft, bot=bot, user=bot.owner)
    shown += visit(draft)
    pass_checks(draft, failing=bots[:1])
    disqualify(entrant=draft.entrants.get(bot=bots[1]), organiser=draft.organiser, reason="x")
    close_entries(tournament=draft, organiser=draft.organiser)
    shown += visit(draft)
    pass_checks(draft)
    shown += visit(draft)
    assert draft.state == Tournament.State.PAUSED
    assert find_untranslated(shown, english_parts) == []
