"""Notify authors of matches that have ended."""

from typing import Any

from arena.bots.models import BotVersion
from arena.bots.queries.teams import list_authors_of_bot, list_authors_of_bots
from arena.matches.models import Match, Participant, Trial
from arena.notices.models import Event
from arena.notices.services import notify_user
from engine.message import gettext_noop, join_messages, message

TRIAL_RESULTS = {
    BotVersion.State.ACCEPTED: gettext_noop("%(version)s was accepted."),
    BotVersion.State.REJECTED: gettext_noop("%(version)s was rejected."),
}


def notify_of_match(*, match: Match) -> None:
    """Notify the authors of a match by their webhooks, unless it is of a group. A second call changes nothing."""
    if match.state != Match.State.FINISHED or match.group_id is not None:
        return
    participants = match.participants.select_related("version__bot__owner").defer("version__build_log")
    payload = _match_payload(match, list(participants))
    for user in list_authors_of_bots([one.version.bot for one in participants]):
        notify_user(user=user, event=Event.MATCH_FINISHED, about=f"match {match.pk}", payload=payload)


def notify_of_trial(*, match: Match) -> None:
    """Notify the authors of a version of the result of its trial, by a notice and by their webhooks.

    Nothing of a group is sent to webhooks. A second call changes nothing.
    """
    trial = Trial.objects.filter(match=match).select_related("version__bot__owner").first()
    if trial is None or match.state != Match.State.FINISHED or trial.version.state not in TRIAL_RESULTS:
        return
    version = trial.version
    result = message(TRIAL_RESULTS[BotVersion.State(version.state)], version=str(version))
    payload = {
        "bot": version.bot.slug,
        "version": version.number,
        "state": version.state,
        "reason": str(version.state_reason or ""),
        "detail": str(version.state_detail or ""),
        "match": trial.match_id,
    }
    for user in list_authors_of_bot(version.bot):
        notify_user(
            user=user,
            event=Event.TRIAL_FINISHED,
            text=join_messages(result, version.state_reason, version.state_detail),
            url=version.get_absolute_url(),
            about=f"version {version.pk}",
            payload=None if version.bot.group_id is not None else payload,
        )


def _match_payload(match: Match, participants: list[Participant]) -> dict[str, Any]:
    return {
        "match": match.pk,
        "game": match.game,
        "edition": match.edition,
        "changed_options": match.changed_options,
        "participants": [
            {
                "bot": one.version.bot.slug,
                "version": one.version.number,
                "points": one.points,
                **({} if one.series_score is None else {"series_score": one.series_score}),
            }
            for one in participants
        ],
        **({} if match.series is None else {"series": match.series}),
    }
