"""Pause a ladder and resume it."""

from arena.audit.models import Act
from arena.ladders.models import Ladder, LadderMatch
from arena.ladders.services.stopping import check_pausable, check_paused, pause_ladder, resume_ladder
from arena.staff_acts.act import StaffAct, count


class LadderAct(StaffAct):
    """An act on a ladder."""

    def __init__(self, ladder: Ladder) -> None:
        """Keep the ladder."""
        self.ladder = ladder
        self.about = f"ladder {ladder.pk}"
        of_group = f" of {ladder.group.slug}" if ladder.group else ""
        self.subject = f"{ladder.game} {ladder.edition}{of_group}, season {ladder.season}"

    def count_open_matches(self) -> str:
        """Return how many matches of the ladder wait or are played."""
        return count(LadderMatch.objects.in_flight().filter(ladder=self.ladder).count(), "match", "matches")


class PauseLadder(LadderAct):
    """Let no new matches be paired on a ladder."""

    kind = Act.PAUSE_LADDER

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_pausable(self.ladder)
        return (
            f"No new matches will be paired on {self.subject}, and its page will say so. What was paired already "
            f"({self.count_open_matches()}) is played and counts. resume_ladder takes this back."
        )

    def perform(self) -> str:
        """Pause the ladder. Raises Conflict."""
        pause_ladder(ladder=self.ladder)
        return f"The ladder is paused; {self.count_open_matches()} still to be played or rated."


class ResumeLadder(LadderAct):
    """Let matches be paired again on a ladder."""

    kind = Act.RESUME_LADDER

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_paused(self.ladder)
        return f"Matches will be paired again on {self.subject}."

    def perform(self) -> str:
        """Resume the ladder. Raises Conflict."""
        resume_ladder(ladder=self.ladder)
        return "The ladder goes on."
