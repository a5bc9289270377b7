"""Read the trials of versions: how they ended, or how far they have come."""

from django.db.models import Prefetch, QuerySet

from arena.bots.models import Bot, BotVersion
from arena.bots.queries.versions import list_named_versions
from arena.matches.models import Attempt, LegSeat, Match, Trial

UNREAD_FIELDS = ("match__deal", "match__options", "match__limits")


def list_versions_with_trials(bot: Bot) -> QuerySet[BotVersion]:
    """List the versions of a bot with their trials and who uploaded them."""
    trials = Trial.objects.select_related("match").defer(*UNREAD_FIELDS)
    versions = list_named_versions().select_related("uploaded_by").filter(bot=bot)
    return versions.prefetch_related(Prefetch("trials", trials))


def find_version_with_trials(bot: Bot, number: int) -> BotVersion | None:
    """Return that version of a bot with its trials, or None."""
    return list_versions_with_trials(bot).filter(number=number).first()


def newest_prefetched_trial(version: BotVersion) -> Trial | None:
    """Return the latest trial of a version whose trials were prefetched, or None."""
    trials = list(version.trials.all())
    return trials[-1] if trials else None


def find_latest_trial(version: BotVersion) -> Trial | None:
    """Return the latest trial of a version with its match, or None."""
    trials = Trial.objects.filter(version=version).select_related("match").defer(*UNREAD_FIELDS)
    return trials.order_by("-pk").first()


def list_trial_seats(trial: Trial | None, *, with_logs: bool = True) -> QuerySet[LegSeat]:
    """List how the version did in each leg of its trial; nothing before the match is finished."""
    seats = LegSeat.objects.filter(participant__index=0, leg__match__state=Match.State.FINISHED)
    seats = seats.filter(leg__match=trial.match_id) if trial else seats.none()
    seats = seats.select_related("leg").defer("leg__record", "leg__deal").order_by("leg__number")
    return seats if with_logs else seats.defer("stderr", "fault", "leg__record", "leg__deal")


def find_leg_underway(trial: Trial) -> int:
    """Return the number of the leg that is played now; 0 before the bot has answered its first message."""
    report = Attempt.objects.open().filter(match=trial.match_id).values_list("underway", flat=True).first()
    if report is None:
        return 0
    leg: int = report["leg"]
    return leg if leg > 1 or report["actions"] else 0
