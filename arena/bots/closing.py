"""Close the uploads of the whole site, and open them again."""

from django.db import transaction

from arena.accounts.models import User
from arena.accounts.suspension import AuthorSuspended, check_not_suspended
from arena.bots.models import UploadClosure
from arena.errors import ArenaError, Conflict
from engine.message import Message, gettext_noop, message


class UploadsClosed(ArenaError):
    """Staff has closed uploads."""

    status = 403


def are_uploads_closed() -> bool:
    """Return whether nobody may upload now."""
    return UploadClosure.objects.exists()


def check_uploads_open() -> None:
    """Raise UploadsClosed while uploads are closed."""
    if are_uploads_closed():
        problem = gettext_noop(
            "The staff of this arena has closed uploads for now. Bots that are here play on; try again later."
        )
        raise UploadsClosed(message(problem))


def find_upload_refusal(user: User) -> Message | None:
    """Return why a user can't upload now, or None."""
    try:
        check_not_suspended(user)
        check_uploads_open()
    except (AuthorSuspended, UploadsClosed) as error:
        return error.message
    return None


@transaction.atomic
def close_uploads() -> None:
    """Close uploads for everybody. Raises Conflict if they are closed."""
    check_closable()
    UploadClosure.objects.create()


@transaction.atomic
def open_uploads() -> None:
    """Open uploads again. Raises Conflict if they are open."""
    check_closed()
    UploadClosure.objects.all().delete()


def check_closable() -> None:
    """Raise Conflict if uploads are closed."""
    if are_uploads_closed():
        raise Conflict(message(gettext_noop("Uploads are closed already.")))


def check_closed() -> None:
    """Raise Conflict if uploads are open."""
    if not are_uploads_closed():
        raise Conflict(message(gettext_noop("Uploads are open already.")))
