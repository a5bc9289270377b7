"""What the services of tournaments say is told in the reader's language, and so are the pages that show it."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import polib
import pytest
from django.core.cache import cache
from django.utils.translation import override

from arena.notices.models import Notice
from arena.pages.phrases import services, tournaments
from arena.runner.verdict import Verdict
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.services.entering import disqualify, enter, withdraw
from arena.tournaments.services.organising import (
    NotPlayable,
    Plan,
    cancel,
    close_entries,
    create,
    open_entries,
    pause,
    rerun,
    resume,
)
from arena.tournaments.terms import BadTerms, Terms
from tests.arena.pages.spoken import calls, check_told, modules, never_said, raised, texts, without_form
from tests.arena.pages.test_language import CATALOGUE, remainders
from tests.arena.tournaments.world import (
    begin,
    make_bots,
    make_organiser,
    make_tournament,
    pass_checks,
    play_out,
    play_round,
)

ROOM = "arena/tournaments"
SERVICES = f"{ROOM}/services"
FORMS = (
    *(tournaments.ENTERING + tournaments.ORGANISING + tournaments.TERMS),
    *(tournaments.REASONS + tournaments.CHECKS + tournaments.NOTICES),
)
OF_PROGRAMS = ("There is no format", "There is no scoring", "There is no edition", "… ended without a winner")
"""What a page's form can't be answered with, and what never happens."""
FORMATS = {
    "swiss": 4,
    "round-robin": 4,
    "double-round-robin": 3,
    "single-elimination": 5,
    "double-elimination": 5,
    "groups": 6,
    "tables": 4,
}
"""By key so many bots that all there is to tell is told."""


def plain(sentence: str) -> str:
    """Sentences of notices have holes of their own kind, and their ends may be empty."""
    return re.sub(r"\{\w+\}", "…", sentence)


def reasons() -> Iterator[str]:
    yield from calls("halt", 1, SERVICES)
    yield from calls("call_off", 1, SERVICES)
    yield from calls("drop_waiting", 1, SERVICES)
    yield from calls("make_matches_void", 1, SERVICES)
    yield from calls("_tell_all", 2, SERVICES)


def test_whatever_a_tournament_says_has_a_form() -> None:
    errors = [text for text in raised(*modules(ROOM)) if text.endswith((".", ". …"))]
    found = {plain(text) for text in (*errors, *reasons()) if not text.startswith(OF_PROGRAMS)}
    assert len(found) > 30
    assert without_form(sorted(found), FORMS + services.ERRORS) == []


def test_there_is_no_form_of_what_no_tournament_says() -> None:
    spoken = [plain(text) for text in texts(ROOM)]
    assert never_said(FORMS, spoken + [text.removesuffix(" …") for text in spoken]) == []
    assert set(tournaments.STATES) == set(Tournament.State.values)


def test_every_verdict_of_a_check_is_told() -> None:
    for verdict in set(Verdict) - {Verdict.OK}:
        check_told(f"{verdict.capitalize()} in its check.")
        reason = f"{verdict.capitalize()} in its check. the bot exited with code 3"
        for rest in ("", " Upload a better version before the entries close."):
            assert len(check_told(f"Heron v2 failed its check for Autumn Cup. {reason}{rest}")) == 3


@pytest.mark.parametrize(
    "plan",
    [
        Plan("Cup", "battleline", "standard", Terms(rounds=0)),
        Plan("Cup", "battleline", "standard", Terms(pairs=26)),
        Plan("Cup", "battleline", "standard", Terms(extra=26)),
        Plan("Cup", "battleline", "standard", Terms(seats=5)),
        Plan("Cup", "battleline", "standard", Terms(groups=1)),
        Plan("Cup", "battleline", "standard", Terms(format="tables", seats=3)),
        Plan("Cup", "battleline", "standard", most_entrants=1),
        Plan("Cup", "battalion", "standard", Terms(seats=3)),
        Plan(" ", "battleline", "standard"),
    ],
)
def test_terms_that_nobody_could_play_by(plan: Plan) -> None:
    with pytest.raises(NotPlayable) as caught:
        plan.check()
    check_told(str(caught.value))


def test_terms_that_those_who_came_can_not_play_by() -> None:
    for terms, entrants in ((Terms(), 1), (Terms(format="groups"), 3)):
        with pytest.raises(BadTerms) as caught:
            terms.check(entrants)
        check_told(str(caught.value))


def refused(do: Callable[..., Any], **given: Any) -> str:
    with pytest.raises(Exception, match=r"\.$") as caught:
        do(**given)
    return str(caught.value)


def test_what_can_not_be_done(db, ana) -> None:
    bots = make_bots(3)
    tournament = make_tournament(bots[:2])
    organiser = tournament.organiser
    whole = {"tournament": tournament, "organiser": organiser}
    check_told(refused(open_entries, **whole))
    check_told(refused(resume, **whole))
    check_told(refused(pause, **whole))
    check_told(refused(rerun, **whole, number=1, reason=""))
    check_told(refused(open_entries, tournament=tournament, organiser=ana))
    check_told(refused(create, organiser=ana, plan=Plan("Cup", "battleline", "standard")))
    check_told(refused(enter, tournament=tournament, bot=bots[2], user=ana))
    Tournament.objects.update(most_entrants=2)
    check_told(refused(enter, tournament=tournament, bot=bots[2], user=bots[2].owner))
    entrant = Entrant.objects.get(bot=bots[0])
    check_told(refused(disqualify, entrant=entrant, organiser=organiser, reason=" "))
    withdraw(entrant=entrant, user=organiser)
    check_told(refused(withdraw, entrant=entrant, user=organiser))
    cancel(**whole)
    check_told(refused(cancel, **whole))
    check_told(refused(enter, tournament=tournament, bot=bots[2], user=bots[2].owner))


def test_authors_are_told_of_their_bots(db) -> None:
    bots = make_bots(3)
    tournament = make_tournament(bots)
    pass_checks(tournament, failing=bots[2:])
    close_entries(tournament=tournament, organiser=tournament.organiser)
    pass_checks(tournament)
    tournament.refresh_from_db()
    play_out(tournament)
    sentences = list(Notice.objects.filter(event__startswith="tournament.").values_list("text", flat=True))
    assert len(sentences) == 5
    for sentence in sentences:
        check_told(str(sentence).replace("It ended.", "the bot exited with code 3"))


def addresses(tournament: Tournament) -> Iterator[str]:
    own = tournament.get_absolute_url()
    yield from ("/tournaments/", "/tournaments/new/", own, f"{own}print/", f"{own}enter/", f"{own}organise/")
    if not tournament.has_started and not tournament.is_over:
        yield f"{own}edit/"
    for number in sorted(set(tournament.rounds.values_list("number", flat=True))):
        yield f"{own}rounds/{number}/"


@pytest.fixture(scope="module")
def catalogue() -> polib.POFile:
    return polib.pofile(str(CATALOGUE / "django.po"))


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


@pytest.mark.parametrize("key", FORMATS)
def test_the_pages_are_hungarian(db, key: str, visit, catalogue) -> None:
    tournament = begin(make_bots(FORMATS[key]), Terms(format=key, pairs=2))
    organiser = tournament.organiser
    withdraw(entrant=tournament.entrants.get(number=1), user=organiser, reason="")
    shown = visit(play_round(tournament))
    pause(tournament=tournament, organiser=organiser)
    rerun(tournament=tournament, organiser=organiser, number=1, reason="")
    shown += visit(tournament)
    resume(tournament=tournament, organiser=organiser)
    tournament.refresh_from_db()
    shown += visit(play_out(play_round(tournament)))
    assert remainders(shown, catalogue) == []


def test_pages_before_the_first_round_are_hungarian(db, visit, catalogue) -> None:
    bots = make_bots(3, owner=make_organiser())
    draft = create(organiser=make_organiser(), plan=Plan("Cup", "battleline", "standard", most_of_owner=3))
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
    assert draft.state == Tournament.State.CANCELLED
    assert remainders(shown, catalogue) == []
