"""Find the analysis of a leg, and count those that come before it."""

from dataclasses import dataclass

from django.db.models import F, Q, QuerySet

from arena.accounts.models import User
from arena.analysis.models import LegAnalysis
from arena.livegames.models import LiveGame
from arena.matches.models import Leg
from engine.analysis.evaluators import find_evaluator

Subject = Leg | LiveGame
"""What can be analysed: a leg of a match, or a live game."""


@dataclass(frozen=True, slots=True)
class LegAnalyses:
    """The analyses of a leg: a finished one to show, and that by the newest value function."""

    done: LegAnalysis | None
    newest: LegAnalysis | None
    """The analysis by the newest value function; None where nobody has requested it."""

    @property
    def pending(self) -> LegAnalysis | None:
        """Return the newest one while it waits or is made."""
        return self.newest if self.newest is not None and self.newest.is_pending else None


def find_analyses(subject: Subject) -> LegAnalyses:
    """Return the analyses of a leg or a live game, which may be shown to whoever asks."""
    rows = list(list_analyses(subject).order_by(F("finished_at").desc(nulls_last=True)))
    played = subject.match if isinstance(subject, Leg) else subject
    for row in rows:
        if isinstance(subject, Leg):
            row.leg = subject
        else:
            row.live_game = subject
    evaluator = find_evaluator(played.game, played.edition)
    current = evaluator and (evaluator.version, evaluator.weights_hash)
    done = next((row for row in rows if row.is_done), None)
    return LegAnalyses(done, next((row for row in rows if (row.function_version, row.function_hash) == current), None))


def fetch_result(subject: Subject) -> LegAnalysis | None:
    """Return the finished analysis of a leg or a live game; None where there is none."""
    return list_analyses(subject).filter(state=LegAnalysis.State.DONE).order_by("-pk").first()


def list_analyses(subject: Subject) -> QuerySet[LegAnalysis]:
    """List the analyses of a leg or a live game, without their parts."""
    of_subject = Q(leg=subject) if isinstance(subject, Leg) else Q(live_game=subject)
    return LegAnalysis.objects.filter(of_subject).defer("parts")


def count_ahead(analysis: LegAnalysis) -> int:
    """Count the analyses that are made before this one."""
    earlier = Q(pk__lt=analysis.pk, is_automatic=analysis.is_automatic)
    if analysis.is_automatic:
        earlier |= Q(is_automatic=False)
    return LegAnalysis.objects.unfinished().filter(earlier).count()


def list_requested_analyses(user: User) -> QuerySet[LegAnalysis]:
    """List the analyses that a user has requested, oldest first."""
    return LegAnalysis.objects.filter(requested_by=user).select_related("leg", "live_game").order_by("pk")
