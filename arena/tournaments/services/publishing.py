"""Show the matches of a tournament that was for a group to everybody."""

from django.db.models import Q

from arena.errors import Conflict
from arena.matches.models import Match, Participant
from arena.tournaments.models import Tournament
from engine.message import gettext_noop, message

MAX_NAMES_SHOWN = 5


def check_publishable(tournament: Tournament) -> None:
    """Raise Conflict while a bot for a group only is in it: its author decides whether it is shown to everybody."""
    names = list(tournament.entrants.filter(bot__group__isnull=False).values_list("bot__name", flat=True))
    if names:
        problem = gettext_noop(
            "Bots for the group only are in it, whose authors would have to publish them first: %(names)s."
        )
        shown = names[:MAX_NAMES_SHOWN]
        hidden = len(names) - len(shown)
        listed = ", ".join([*shown, f"+ {hidden}"] if hidden else shown)
        raise Conflict(message(problem, names=listed))


def publish_matches(tournament: Tournament) -> None:
    """Let everybody see the matches and checks of a tournament, in which all bots are public."""
    played = Q(pairing_match__pairing__round__tournament=tournament) | Q(
        tournament_check__entrant__tournament=tournament
    )
    keys = list(Match.objects.filter(played).values_list("pk", flat=True))
    Match.objects.filter(pk__in=keys).update(group=None)
    Participant.objects.filter(match__in=keys).update(is_hidden=False)
