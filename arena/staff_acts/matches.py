"""Cancel a match, and let it be replayed."""

from arena.audit.models import Act
from arena.errors import Conflict
from arena.ladders.models import LadderMatch
from arena.ladders.services.ledger import MAX_MATCHES_PER_TRANSACTION, append_finished_matches, revoke_matches
from arena.ladders.services.pairing import check_rematch, queue_rematch
from arena.matches.cancelling import OPEN_STATES, cancel_matches
from arena.matches.models import Match
from arena.matches.purpose import Purpose, find_purposes
from arena.staff_acts.act import StaffAct
from arena.tournaments.services.playing import advance_tournament
from arena.tournaments.services.stopping import check_replay, find_pairing_match, find_replacement, replay_match
from engine.message import gettext_noop, message

STAFF_CANCELLATION_REASON = message(gettext_noop("Cancelled by the staff of this arena."))
REPLAYED_ANYWAY = frozenset({Purpose.TRIAL, Purpose.CHECK, Purpose.COMPARISON})
"""Purposes for which the arena plays another match by itself, where one has no result."""


class CancelMatch(StaffAct):
    """Cancel a match: one that is rated counts no longer, and one that isn't over ends without a result."""

    kind = Act.CANCEL_MATCH
    is_replayed = False

    def __init__(self, match: Match) -> None:
        """Keep the match."""
        self.match = match
        self.about = self.subject = f"match {match.pk}"
        self.purposes = frozenset(find_purposes(match))

    @property
    def is_open(self) -> bool:
        """Return whether the match waits or is played."""
        return self.match.state in OPEN_STATES

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        self._check()
        if self.is_open:
            ends = f"Match {self.match.pk}, which is {self.match.state}, will end without a result."
        else:
            ends = f"Match {self.match.pk} will count no longer; its records stay, and ratings change at once."
        return f"{ends} {self._describe_replay()}This can't be undone."

    def perform(self) -> str:
        """Cancel the match, and queue another one. Raises Conflict."""
        self.match.refresh_from_db()
        self._check()
        if Purpose.PAIRING in self.purposes:
            replay_match(match=self.match)
        done = self._cancel_open() if self.is_open else self._revoke()
        return f"{done} {self._queue_replay()}".strip()

    def _check(self) -> None:
        """Raise Conflict where the match can't be cancelled."""
        if self.match.state == Match.State.VOID:
            raise Conflict(message(gettext_noop("Match %(match)s has no result."), match=self.match.pk))
        if Purpose.PAIRING in self.purposes:
            self._check_pairing()
        elif Purpose.LADDER in self.purposes:
            self._check_rated()
        elif not self.is_open:
            problem = gettext_noop("Match %(match)s is over and not rated: there is nothing to take back.")
            raise Conflict(message(problem, match=self.match.pk))
        elif self.is_replayed and not self.purposes & REPLAYED_ANYWAY:
            problem = gettext_noop("Match %(match)s is not replayed: its author can request another one.")
            raise Conflict(message(problem, match=self.match.pk))

    def _check_pairing(self) -> None:
        if not self.is_replayed:
            problem = gettext_noop("Match %(match)s belongs to a tournament, which needs its result: replay it.")
            raise Conflict(message(problem, match=self.match.pk))
        check_replay(find_pairing_match(self.match))

    def _check_rated(self) -> None:
        row = self._read_ladder_match()
        if row.void_sequence is not None:
            raise Conflict(message(gettext_noop("Match %(match)s doesn't count already."), match=self.match.pk))
        if self.is_replayed:
            check_rematch(row.ladder, row)

    def _read_ladder_match(self) -> LadderMatch:
        return LadderMatch.objects.select_related("ladder", "match").get(match=self.match)

    def _describe_replay(self) -> str:
        if Purpose.PAIRING in self.purposes:
            return "It will be replayed in its place, with the same number and deal. "
        if self.purposes & REPLAYED_ANYWAY:
            return "The arena will play another one instead by itself. "
        return "The same bots will play another one on the ladder, on a new deal. " if self.is_replayed else ""

    def _cancel_open(self) -> str:
        if not cancel_matches(matches=[self.match.pk], reason=STAFF_CANCELLATION_REASON):
            raise Conflict(message(gettext_noop("Match %(match)s has ended just now."), match=self.match.pk))
        return "The match has no result."

    def _revoke(self) -> str:
        """Exclude the match from the ratings; one that has just ended is rated first, so that the ledger shows both."""
        if Purpose.LADDER not in self.purposes:
            return "The match doesn't count."
        row = self._read_ladder_match()
        while append_finished_matches(ladder=row.ladder) == MAX_MATCHES_PER_TRANSACTION:
            pass
        counted = revoke_matches(ladder_matches=[row], reason=STAFF_CANCELLATION_REASON)
        return "The match counts no longer." if counted else "The match did not count."

    def _queue_replay(self) -> str:
        if Purpose.PAIRING in self.purposes:
            row = find_pairing_match(self.match)
            advance_tournament(tournament=row.pairing.round.tournament)
            replacement = find_replacement(row)
            when = f"as match {replacement}" if replacement else "once the tournament is resumed"
            return f"It is replayed {when}."
        if self.is_replayed and Purpose.LADDER in self.purposes:
            return f"It is replayed as match {queue_rematch(ladder_match=self._read_ladder_match()).pk}."
        return ""


class ReplayMatch(CancelMatch):
    """Cancel a match, and let the same bots play another one in its place."""

    kind = Act.REPLAY_MATCH
    is_replayed = True
