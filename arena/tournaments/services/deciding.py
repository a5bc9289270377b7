"""Decide pairings in the place of their matches, as an organiser, and take such results back."""

from dataclasses import dataclass
from enum import StrEnum

from django.db import transaction

from arena.accounts.models import User
from arena.bots.queries.teams import list_authors_of_bots
from arena.errors import ArenaError, Conflict
from arena.matches.models import Match
from arena.notices.models import Event
from arena.notices.services import notify_user
from arena.tournaments.acts import Act
from arena.tournaments.given_results import (
    build_even_points,
    build_given_result,
    build_lost_points,
    build_winner_points,
    may_give,
)
from arena.tournaments.models import Pairing, PairingSeat, Tournament
from arena.tournaments.services.organisers import check_organiser
from arena.tournaments.services.playing import store_result
from arena.tournaments.services.recording import PAIRING_SEPARATOR, record_act
from arena.tournaments.services.rows import build_pairing, find_current_round
from engine.message import Message, gettext_noop, message

State = Tournament.State


class Outcome(StrEnum):
    """What an organiser can decide."""

    WIN = "win"
    EVEN = "even"
    LOST = "lost"


OUTCOME_TEXTS = {
    Outcome.WIN: gettext_noop("Round %(round)s, %(pairing)s: decided, %(winner)s wins"),
    Outcome.EVEN: gettext_noop("Round %(round)s, %(pairing)s: decided as even"),
    Outcome.LOST: gettext_noop("Round %(round)s, %(pairing)s: decided as lost for all"),
}


@dataclass(frozen=True, slots=True)
class PairingDecision:
    """What an organiser decides about a pairing, and why."""

    outcome: Outcome
    reason: str
    winner: str = ""
    """Slug of the bot that wins; not used by other outcomes."""


@transaction.atomic
def decide_pairing(
    *, tournament: Tournament, organiser: User, number: int, board: int, decision: PairingDecision
) -> Pairing:
    """Give an undecided pairing of the current round a result.

    Its matches decide nothing then, and those that wait are cancelled. Raise NotYours, Conflict, or ArenaError for a
    result that the format doesn't allow.
    """
    tournament = check_organiser(tournament, organiser)
    if not decision.reason.strip():
        raise ArenaError(message(gettext_noop("Give a reason: everybody will read it beside the result.")))
    pairing = _find_pairing(tournament, number, board)
    if pairing.is_over:
        problem = gettext_noop("The pairing is decided already. Replay its round if the result can't stand.")
        raise Conflict(message(problem))
    value, points = build_pairing(pairing), _build_points(pairing, decision)
    if not may_give(value, points):
        problem = gettext_noop("One bot of this pairing has to win, because the winner advances.")
        raise ArenaError(message(problem))
    pairing.given_points, pairing.given_reason = list(points), decision.reason.strip()
    pairing.save(update_fields=["given_points", "given_reason"])
    pairing.pairing_matches.filter(match__state=Match.State.RUNNING).update(counts=False)
    store_result(pairing, build_given_result(value, points))
    text = _describe(pairing, decision)
    record_act(tournament, Act.DECIDE_PAIRING, text, by=organiser, reason=decision.reason)
    _notify_authors(tournament, pairing, text, decision.reason)
    return pairing


@transaction.atomic
def undo_decision(*, tournament: Tournament, organiser: User, number: int, board: int, reason: str = "") -> Pairing:
    """Take a given result back, so that the matches of the pairing decide again. Raise NotYours or Conflict.

    It can be done until the next round has started.
    """
    tournament = check_organiser(tournament, organiser)
    pairing = _find_pairing(tournament, number, board)
    if pairing.given_points is None:
        raise Conflict(message(gettext_noop("No organiser has decided this pairing.")))
    pairing.given_points, pairing.given_reason, pairing.is_over, pairing.played = None, "", False, False
    pairing.save(update_fields=["given_points", "given_reason", "is_over", "played"])
    PairingSeat.objects.filter(pairing=pairing).update(points=None, game_points=None)
    template = gettext_noop("Round %(round)s, %(pairing)s: the decision is taken back")
    text = message(template, round=pairing.round.number, pairing=_name_bots(pairing))
    record_act(tournament, Act.UNDO_DECISION, text, by=organiser, reason=reason)
    _notify_authors(tournament, pairing, text, reason)
    return pairing


def _find_pairing(tournament: Tournament, number: int, board: int) -> Pairing:
    """Return a pairing of the current round. Raise Conflict where it is of another, or nothing is played now."""
    if tournament.state not in (State.RUNNING, State.PAUSED):
        problem = gettext_noop("Pairings can be decided only while the tournament runs or is paused.")
        raise Conflict(message(problem))
    round = find_current_round(tournament)
    if round is None or round.number != number or round.finished_at is not None:
        problem = gettext_noop("Round %(number)s isn't the current one, so nothing can be decided in it. Replay it.")
        raise Conflict(message(problem, number=number))
    pairings = Pairing.objects.filter(round=round, board=board).select_related("round")
    pairing = pairings.prefetch_related("seats__entrant__bot__owner").first()
    if pairing is None:
        problem = gettext_noop("Round %(number)s has no board %(board)s.")
        raise Conflict(message(problem, number=number, board=board))
    return pairing


def _build_points(pairing: Pairing, decision: PairingDecision) -> tuple[float, ...]:
    """Return the points by seat. Raise ArenaError where the winner isn't in the pairing."""
    slugs = [seat.entrant.bot.slug for seat in pairing.seats.all()]
    if decision.outcome == Outcome.EVEN:
        return build_even_points(len(slugs))
    if decision.outcome == Outcome.LOST:
        return build_lost_points(len(slugs))
    if decision.winner not in slugs:
        raise ArenaError(message(gettext_noop("Choose which of the bots of this pairing wins.")))
    return build_winner_points(len(slugs), slugs.index(decision.winner))


def _describe(pairing: Pairing, decision: PairingDecision) -> Message:
    names = {seat.entrant.bot.slug: seat.entrant.bot.name for seat in pairing.seats.all()}
    winner = names.get(decision.winner, "")
    template = OUTCOME_TEXTS[decision.outcome]
    return message(template, round=pairing.round.number, pairing=_name_bots(pairing), winner=winner)


def _name_bots(pairing: Pairing) -> str:
    return PAIRING_SEPARATOR.join(seat.entrant.bot.name for seat in pairing.seats.all())


def _notify_authors(tournament: Tournament, pairing: Pairing, text: Message, reason: str) -> None:
    """Tell the authors of a pairing what was decided."""
    authors = list_authors_of_bots(seat.entrant.bot for seat in pairing.seats.all())
    template = gettext_noop("%(tournament)s: %(text)s. %(reason)s")
    for author in sorted(authors, key=lambda user: user.pk):
        notify_user(
            user=author,
            event=Event.TOURNAMENT_LEFT,
            text=message(template, tournament=tournament.title, text=text, reason=reason),
            url=f"{tournament.get_absolute_url()}rounds/{pairing.round.number}/",
        )
