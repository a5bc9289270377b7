"""Suspend, ban and reinstate authors."""

from arena.accounts.models import User
from arena.accounts.suspension import check_suspendable, check_suspended, reinstate_account, suspend_account
from arena.audit.models import Act
from arena.ladders.models import Entry
from arena.ladders.services.entering import STOPPED_WITH_AUTHOR_REASON
from arena.ladders.services.stopping import list_stopped_entries, restart_entries_of_author, stop_entries_of_author
from arena.livegames.services.stopping import end_games_of_stopped_bots
from arena.matches.cancelling import cancel_matches, list_open_matches_of_author
from arena.notices.models import Event
from arena.notices.services import notify_user
from arena.staff_acts.act import StaffAct, count
from arena.tournaments.services.stopping import (
    Withdrawals,
    list_playing_entrants,
    list_readmittable,
    readmit_bots_of_author,
    withdraw_bots_of_author,
)
from engine.message import gettext_noop, message

SUSPENDED_TEXT = message(
    gettext_noop("The staff of this arena has suspended your account. Your bots don't play, and you can't upload.")
)
REINSTATED_TEXT = message(
    gettext_noop(
        "The staff of this arena has lifted the suspension of your account: your bots play on, and you can upload."
    )
)


class AuthorAct(StaffAct):
    """An act on an author."""

    def __init__(self, user: User) -> None:
        """Keep the author."""
        self.user = user
        self.about, self.subject = f"user {user.pk}", user.username


class SuspendAuthor(AuthorAct):
    """Stop all bots of an author at once, and let the author only read."""

    kind = Act.SUSPEND_AUTHOR
    is_ban = False
    access = "and can still sign in and read"

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_suspendable(self.user, ban=self.is_ban)
        entries = Entry.objects.active().filter(version__bot__owner=self.user, ladder__closed_at=None).count()
        entrants = list_playing_entrants().filter(bot__owner=self.user).count()
        matches = list_open_matches_of_author(self.user.pk).count()
        return (
            f"All bots of {self.subject} stop at once: {count(entries, 'entry', 'entries')} on ladders, "
            f"{count(entrants, 'entry', 'entries')} in tournaments, {count(matches, 'match', 'matches')} that wait or "
            f"are played. Live games with them end without a result. {self.subject} can't upload or enter bots, "
            f"{self.access}. reinstate_author takes this back, except in tournaments that have started."
        )

    def perform(self) -> str:
        """Suspend the author. Tournaments and ladders are locked first, so that nothing is paired meanwhile."""
        was_suspended = self.user.suspended_at is not None
        sessions = suspend_account(user=self.user, ban=self.is_ban)
        withdrawals = withdraw_bots_of_author(owner=self.user)
        entries = stop_entries_of_author(owner=self.user)
        waiting = list(list_open_matches_of_author(self.user.pk).values_list("pk", flat=True))
        cancelled = cancel_matches(matches=waiting, reason=STOPPED_WITH_AUTHOR_REASON)
        games = end_games_of_stopped_bots()
        if not was_suspended:
            notify_user(user=self.user, event=Event.ACCOUNT_SUSPENDED, text=SUSPENDED_TEXT)
        parts = [
            f"{count(entries, 'entry', 'entries')} on ladders stopped",
            describe_withdrawals(withdrawals),
            f"{count(len(cancelled), 'other match', 'other matches')} cancelled",
            f"{count(games, 'live game')} ended",
            *([f"{count(sessions, 'session')} ended"] if self.is_ban else []),
        ]
        return "; ".join(parts) + "."


class BanAuthor(SuspendAuthor):
    """Suspend an author, refuse sign-in and end all sessions."""

    kind = Act.BAN_AUTHOR
    is_ban = True
    access = "and can't sign in: all sessions end, and no token works"


class ReinstateAuthor(AuthorAct):
    """Take a suspension or a ban back."""

    kind = Act.REINSTATE_AUTHOR

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_suspended(self.user)
        entries, entrants = list_stopped_entries(self.user).count(), list_readmittable(self.user).count()
        return (
            f"{count(entries, 'entry', 'entries')} of {self.subject} play on ladders again, and "
            f"{count(entrants, 'entry', 'entries')} in tournaments that have not started. Matches that were cancelled "
            f"stay so, and so do withdrawals from tournaments that have started. {self.subject} can upload"
            f"{' and sign in' if self.user.is_banned else ''} again."
        )

    def perform(self) -> str:
        """Reinstate the author. Raises Conflict."""
        reinstate_account(user=self.user)
        entrants = readmit_bots_of_author(owner=self.user)
        entries = restart_entries_of_author(owner=self.user)
        notify_user(user=self.user, event=Event.ACCOUNT_REINSTATED, text=REINSTATED_TEXT)
        return (
            f"{count(entries, 'entry', 'entries')} on ladders and {count(entrants, 'entry', 'entries')} in "
            "tournaments play again."
        )


def describe_withdrawals(withdrawals: Withdrawals) -> str:
    """Return what became of tournaments."""
    paused = f", which paused {', '.join(withdrawals.paused)}" if withdrawals.paused else ""
    return f"{count(withdrawals.entrants, 'entry', 'entries')} withdrawn from tournaments{paused}"
