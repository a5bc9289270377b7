"""Leave notices for those who organise a tournament."""

from collections.abc import Sequence

from arena.accounts.models import User
from arena.notices.models import Event
from arena.notices.services import renew_notice
from arena.tournaments.models import Tournament
from engine.message import Message


def notify_organisers(
    tournament: Tournament, event: Event, text: Message, *, about: str, besides: Sequence[User] = ()
) -> None:
    """Tell who created a tournament and its co-organisers, but for who did it; of a rehearsal nobody is told.

    On the same subject a notice that nobody has seen yet is replaced.
    """
    if tournament.is_rehearsal:
        return
    url = f"{tournament.get_absolute_url()}organise/"
    for user in {tournament.organiser, *tournament.co_organisers.all()}:
        if user not in besides:
            renew_notice(user=user, event=event, about=about, text=text, url=url)
