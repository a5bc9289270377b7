"""Find the analysis of a leg, and count those that come before it."""

from dataclasses import dataclass

from django.db.models import F, Q, QuerySet

from arena.accounts.models import User
from arena.analysis.models import LegAnalysis
from arena.matches.models import Leg
from engine.analysis.evaluators import find_evaluator


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


def find_analyses(leg: Leg) -> LegAnalyses:
    """Return the analyses of a leg, whose match may be shown to whoever asks."""
    rows = list(LegAnalysis.objects.filter(leg=leg).defer("parts").order_by(F("finished_at").desc(nulls_last=True)))
    for row in rows:
        row.leg = leg
    evaluator = find_evaluator(leg.match.game, leg.match.edition)
    current = evaluator and (evaluator.version, evaluator.weights_hash)
    done = next((row for row in rows if row.is_done), None)
    return LegAnalyses(done, next((row for row in rows if (row.function_version, row.function_hash) == current), None))


def fetch_result(leg: Leg) -> LegAnalysis | None:
    """Return the finished analysis of a leg; None where there is none."""
    return LegAnalysis.objects.filter(leg=leg, state=LegAnalysis.State.DONE).defer("parts").order_by("-pk").first()


def count_ahead(analysis: LegAnalysis) -> int:
    """Count the analyses that are made before this one."""
    earlier = Q(pk__lt=analysis.pk, is_automatic=analysis.is_automatic)
    if analysis.is_automatic:
        earlier |= Q(is_automatic=False)
    return LegAnalysis.objects.unfinished().filter(earlier).count()


def list_requested_analyses(user: User) -> QuerySet[LegAnalysis]:
    """List the analyses that a user has requested, oldest first."""
    return LegAnalysis.objects.filter(requested_by=user).select_related("leg").order_by("pk")
