"""Read the latest trial of a version and how far it has come."""

from arena.bots.models import BotVersion
from arena.matches.models import Attempt, LegSeat, Match, Trial


def find_latest_trial(version: BotVersion) -> Trial | None:
    """Return the latest trial of a version with its match, or None."""
    trials = Trial.objects.filter(version=version).select_related("match").defer("match__deal", "match__options")
    return trials.order_by("-pk").first()


def list_trial_reports(trial: Trial) -> list[LegSeat]:
    """List how the version did in each leg of its trial, once all are over."""
    seats = LegSeat.objects.filter(
        leg__match=trial.match_id, leg__match__state=Match.State.FINISHED, participant__index=0
    )
    return list(seats.select_related("leg").defer("leg__record").order_by("leg__number"))


def find_leg_underway(trial: Trial) -> int:
    """Return the number of the leg that is played now; 0 before the bot has answered its first message."""
    report = Attempt.objects.open().filter(match=trial.match_id).values_list("underway", flat=True).first()
    if report is None:
        return 0
    leg: int = report["leg"]
    return leg if leg > 1 or report["actions"] else 0
