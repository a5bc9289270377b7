"""Links by which a program downloads an archive: they are signed for a reader, and end soon."""

from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.core import signing
from django.utils.timezone import now

from arena.accounts.models import User
from arena.errors import ArenaError
from arena.tournaments.models import Tournament
from arena.tournaments.queries.tournaments import visible_to
from engine.message import gettext_noop, message

LINK_LIFETIME = timedelta(minutes=10)
SALT = "arena.tournaments.archive"


class NoArchive(ArenaError):
    """There is no archive of the tournament yet."""

    status = 404


def check_archivable(tournament: Tournament) -> None:
    """Raise NoArchive unless the tournament has been played and is over: what is held back then stays so."""
    if not tournament.is_over or not tournament.has_started:
        problem = gettext_noop("A tournament can be kept as an archive once it is over: come back then.")
        raise NoArchive(message(problem))


def sign_archive_link(*, tournament: Tournament, reader: User | AnonymousUser) -> tuple[str, datetime]:
    """Return the path of the archive with a key for this reader, and until when it works. Raise NoArchive."""
    check_archivable(tournament)
    key = signing.dumps([tournament.pk, reader.pk], salt=SALT)
    return f"{tournament.get_absolute_url()}archive.zip?key={key}", now() + LINK_LIFETIME


def find_tournament_by_key(slug: str, key: str) -> Tournament | None:
    """Return the tournament that a key opens, if its reader may see it still; None for a key that ended or is wrong."""
    try:
        tournament, reader = signing.loads(key, salt=SALT, max_age=LINK_LIFETIME)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=reader, is_active=True).first() if reader is not None else AnonymousUser()
    if user is None:
        return None
    found = visible_to(user).select_related("organiser", "group")
    return found.filter(pk=tournament, slug=slug).first()
