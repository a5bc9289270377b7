"""Record what organisers decide, in lines that are only ever added."""

from arena.accounts.models import User
from arena.tournaments.acts import ORGANISERS_ACTS, Act, OrganiserAct
from arena.tournaments.models import Tournament
from engine.message import Message


def record_act(tournament: Tournament, act: Act, text: Message, *, by: User | None, reason: str = "") -> OrganiserAct:
    """Add an act to the record of a tournament, within the transaction of the act."""
    return OrganiserAct.objects.create(
        tournament=tournament,
        actor=by,
        act=act,
        text=text,
        reason=reason.strip(),
        is_public=act not in ORGANISERS_ACTS,
    )
