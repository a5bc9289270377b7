"""Suspend bots that keep failing, since every opponent would win points from them."""

from django.db import transaction

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.queries.teams import list_authors_of_bot
from arena.groups.models import Membership
from arena.ladders.models import Entry, Ladder
from arena.notices.models import Event
from arena.notices.services import notify_user, renew_notice
from engine.message import Message, gettext_noop, message

MAX_RECENT_LEGS = 60
"""Number of the last rated legs in which faults are counted."""
MAX_FAULTS_IN_A_ROW = 3
MAX_RECENT_FAULTS = 3
"""5 % of the recent legs; one more suspends the entry."""


def is_failing(recent_legs: str) -> bool:
    """Return whether an entry with these legs, oldest first, an x for each fault, is to be suspended."""
    return recent_legs.endswith("x" * MAX_FAULTS_IN_A_ROW) or recent_legs.count("x") > MAX_RECENT_FAULTS


def append_recent_legs(recent_legs: str, legs: str) -> str:
    """Return the recent legs with these appended and the oldest dropped."""
    return (recent_legs + legs)[-MAX_RECENT_LEGS:]


def describe_failures(recent_legs: str) -> Message:
    """Return why an entry with these legs is suspended."""
    if recent_legs.endswith("x" * MAX_FAULTS_IN_A_ROW):
        return message(gettext_noop("It was at fault in %(count)s legs in a row."), count=MAX_FAULTS_IN_A_ROW)
    return message(
        gettext_noop("It was at fault in %(count)s of its last %(legs)s legs."),
        count=recent_legs.count("x"),
        legs=len(recent_legs),
    )


@transaction.atomic
def suspend_entry(*, entry: Entry, reason: Message) -> bool:
    """Suspend an active entry and notify its owner. Its rating is kept. Return False if it wasn't active."""
    active = Entry.objects.active().filter(pk=entry.pk)
    if not active.update(state=Entry.State.SUSPENDED, state_reason=reason):
        return False
    Ladder.objects.filter(pk=entry.ladder_id).update(is_stale=True)
    entry = Entry.objects.select_related("ladder__group", "version__bot__owner").get(pk=entry.pk)
    bot, ladder = entry.version.bot, entry.ladder
    text, about = _describe_suspensions(entry, reason), f"version {entry.version_id}"
    if ladder.group_id is not None:
        about = f"{about} group {ladder.group_id}"
    payload = {
        "bot": bot.slug,
        "version": entry.version.number,
        "ladder": {"game": ladder.game, "edition": ladder.edition, "season": ladder.season},
        "reason": str(reason),
    }
    for user in _list_authors_who_see(ladder, bot):
        renew_notice(user=user, event=Event.SUSPENDED, about=about, text=text, url=bot.get_absolute_url())
        if ladder.group_id is None:
            notify_user(user=user, event=Event.SUSPENDED, payload=payload)
    return True


def _list_authors_who_see(ladder: Ladder, bot: Bot) -> list[User]:
    """Return the authors of a bot who may hear of a ladder: all of them, or those in the group whose ladder it is."""
    authors = list_authors_of_bot(bot)
    if ladder.group_id is None:
        return authors
    members = set(Membership.objects.filter(group=ladder.group_id).values_list("user", flat=True))
    return [user for user in authors if user.pk in members]


def _describe_suspensions(entry: Entry, reason: Message) -> Message:
    """Return the text of the notice: one for all public ladders, or those of a group, on which it is suspended now."""
    ladders = Ladder.objects.open().filter(entries__version=entry.version_id, entries__state=Entry.State.SUSPENDED)
    ladders = ladders.filter(group=entry.ladder.group_id).select_related("group")
    return message(
        gettext_noop(
            "%(version)s is suspended on %(ladder)s. %(reason)s Resume it on its page, or upload a version that works."
        ),
        version=str(entry.version),
        ladder=", ".join(map(str, ladders.order_by("pk"))) or str(entry.ladder),
        reason=reason,
    )
