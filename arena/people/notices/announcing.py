"""Announce something to many: notices of plain text, whose mails are due at once, and their end when it is deleted."""

from collections.abc import Callable, Iterable
from datetime import tzinfo

from django.utils.timezone import now

from arena.core.errors import ArenaError
from arena.core.wake import Work, wake
from arena.people.accounts.models import User
from arena.people.accounts.services import find_time_zone
from arena.people.notices.models import Announcement, Event, Notice
from engine.message import Message, gettext_noop, message

MAX_LENGTH = 1000
"""Characters of an announcement."""
NAMED_TEXT = gettext_noop("%(name)s: %(text)s")
"""Template of a notice: the name of the group or tournament, and what was announced there."""


def check_text(text: str) -> str:
    """Return an announcement as it is stored. Raise ArenaError."""
    text = "\n".join(line.rstrip() for line in text.splitlines()).strip()
    if not text:
        raise ArenaError(message(gettext_noop("Write your announcement.")), fields=["text"])
    if len(text) > MAX_LENGTH:
        problem = gettext_noop("An announcement can have at most %(most)s characters; this one has %(count)s.")
        raise ArenaError(message(problem, most=MAX_LENGTH, count=len(text)), fields=["text"])
    return text


def tell_all(
    people: Iterable[User],
    *,
    name: str,
    describe: Callable[[tzinfo | None], Message],
    url: str,
    about: str,
    is_mailed: bool = True,
) -> None:
    """Leave a notice for all of these, within the transaction of what is announced.

    `describe` returns the text with its times in a person's zone.
    """
    due_at = now() if is_mailed else None
    Notice.objects.bulk_create(
        Notice(
            user=user,
            event=Event.ANNOUNCEMENT,
            text=message(NAMED_TEXT, name=name, text=describe(find_time_zone(user))),
            url=url,
            about=about,
            mail_due_at=due_at,
        )
        for user in people
    )
    if is_mailed:
        wake(Work.MAIL, 0)


def take_back(announcements: Iterable[Announcement], *, only_unseen: bool = False) -> None:
    """Delete announcements with their notices; what wasn't mailed yet won't be.

    With `only_unseen` who has seen a notice keeps it.
    """
    for announcement in announcements:
        notices = Notice.objects.filter(event=Event.ANNOUNCEMENT, about=announcement.about)
        (notices.unseen() if only_unseen else notices).delete()
        announcement.delete()
