"""The organiser's decisions on pairings and on who organises, and reminders to authors."""

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.errors import ArenaError
from arena.pages.reader import signed_in_reader
from arena.pages.tournaments.entering import read_reason
from arena.pages.tournaments.organising import organiser_action
from arena.reminding import ask_missing_authors
from arena.tournaments.models import Tournament
from arena.tournaments.services.deciding import Outcome, PairingDecision, decide_pairing, undo_decision
from arena.tournaments.services.organisers import add_co_organiser, remove_co_organiser

WIN_PREFIX = "win:"
"""Before the slug of the bot that wins, in the value of a choice."""


def read_decision(request: HttpRequest) -> PairingDecision:
    """Return what was chosen and why. Raise ArenaError where nothing was."""
    chosen, reason = request.POST.get("outcome", ""), read_reason(request)
    if chosen.startswith(WIN_PREFIX):
        return PairingDecision(Outcome.WIN, reason, chosen.removeprefix(WIN_PREFIX))
    if chosen not in (Outcome.EVEN, Outcome.LOST):
        raise ArenaError(_("Choose a result for the pairing."))
    return PairingDecision(Outcome(chosen), reason)


@organiser_action
def decide(request: HttpRequest, tournament: Tournament, number: int, board: int) -> str:
    """Decide a pairing."""
    organiser, decision = signed_in_reader(request), read_decision(request)
    decide_pairing(tournament=tournament, organiser=organiser, number=number, board=board, decision=decision)
    return _("Board %(board)s is decided. Its authors have been told.") % {"board": board}


@organiser_action
def undo(request: HttpRequest, tournament: Tournament, number: int, board: int) -> str:
    """Take the decision on a pairing back."""
    organiser, reason = signed_in_reader(request), read_reason(request)
    undo_decision(tournament=tournament, organiser=organiser, number=number, board=board, reason=reason)
    return _("The decision on board %(board)s is taken back: its matches decide.") % {"board": board}


@organiser_action
def remind(request: HttpRequest, tournament: Tournament) -> str:
    """Remind the authors who have no bot ready."""
    count = ask_missing_authors(tournament=tournament, organiser=signed_in_reader(request))
    if not count:
        return _("Nobody is reminded: all who are expected have a bot, or were reminded within the hour.")
    words = ngettext("%(count)d author has been reminded.", "%(count)d authors have been reminded.", count)
    return words % {"count": count}


@organiser_action
def add_organiser(request: HttpRequest, tournament: Tournament) -> str:
    """Add a co-organiser."""
    username = request.POST.get("username", "")[:150]
    user = add_co_organiser(tournament=tournament, organiser=signed_in_reader(request), username=username)
    return _("%(name)s organises the tournament, too.") % {"name": user.username}


@organiser_action
def remove_organiser(request: HttpRequest, tournament: Tournament) -> str:
    """Remove a co-organiser."""
    username = request.POST.get("username", "")[:150]
    user = remove_co_organiser(tournament=tournament, organiser=signed_in_reader(request), username=username)
    return _("%(name)s doesn't organise the tournament any more.") % {"name": user.username}
