"""The stages of an upload, for its author."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.bots.models import BotVersion
from arena.matches.models import Match, Trial
from arena.messages import render_message
from arena.runner.languages import LANGUAGES
from arena.runner.verdict import Verdict
from engine.registry import GAMES

DONE, NOW, AHEAD, FAILED = "done", "now", "ahead", "failed"


@dataclass(frozen=True, slots=True)
class Stage:
    """One step from the upload to the ladder."""

    name: str
    state: str
    """`done`, `now`, `ahead` or `failed`."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """All stages of an upload."""

    stages: list[Stage]
    is_final: bool
    """Whether nothing will change any more."""


@dataclass(frozen=True, slots=True)
class TrialProgress:
    """The progress of a version's trial."""

    waiting: str = ""
    """Sentence that says what it waits for."""
    leg: int = 0
    """Number of the leg that is played; 0 before the bot has answered its first message."""
    verdicts: tuple[str, ...] = ()
    """Verdicts of its legs, once all are over."""


def follow(version: BotVersion, trial: Trial | None, progress: TrialProgress) -> Progress:
    """Return the stages of a version."""
    building = building_stage(version)
    if version.is_final and trial is None and building is None:
        return Progress([Stage(_("Received"), DONE, _("without a trial")), last_stage(version)], True)
    stages = [Stage(_("Received"), DONE), Stage(_("Unpacked"), DONE, _("the files are in order"))]
    if building is not None:
        stages.append(building)
    if building is None or building.state != FAILED:
        stages += trial_stages(version, trial.match if trial else None, progress)
    return Progress([*stages, last_stage(version)], version.is_final)


def building_stage(version: BotVersion) -> Stage | None:
    """Return the stage of building; None where the source itself is run."""
    language = LANGUAGES[version.language]
    if language.artefact is None:
        return None
    if version.state == BotVersion.State.BUILDING:
        return Stage(
            _("Built"), NOW, _("as soon as a machine with %(language)s is free") % {"language": language.title}
        )
    if version.binary_id is None:
        return Stage(_("Not built"), FAILED, _("the source doesn't compile; its author sees the log"))
    return Stage(_("Built"), DONE)


def trial_stages(version: BotVersion, match: Match | None, progress: TrialProgress) -> list[Stage]:
    """Return the stages from the queue to the end of the trial."""
    has_left = match is not None and (match.is_over or match.state == Match.State.RUNNING)
    if version.state == BotVersion.State.BUILDING:
        queue = AHEAD, ""
    elif match is None and version.bot.game not in GAMES:
        queue = NOW, _("its game is not installed now")
    else:
        queue = state_of_queue(match is not None, has_left, progress.waiting)
    return [Stage(_("In the queue"), *queue), *playing_stages(match, progress)]


def playing_stages(match: Match | None, progress: TrialProgress) -> list[Stage]:
    """Return the stages of the trial itself."""
    answers, plays = _("Answers the handshake"), _("Trial match")
    state = match.state if match else Match.State.QUEUED
    if state == Match.State.VOID:
        return [Stage(answers, AHEAD), Stage(plays, FAILED, _("the arena failed to play it; it will be tried again"))]
    if state == Match.State.QUEUED:
        return [Stage(answers, AHEAD), Stage(plays, AHEAD)]
    if state == Match.State.RUNNING and not progress.leg:
        return [Stage(answers, NOW, _("it has five seconds to get ready")), Stage(plays, AHEAD)]
    if state == Match.State.RUNNING:
        return [Stage(answers, DONE), Stage(plays, NOW, _("leg %(number)s is played") % {"number": progress.leg})]
    if Verdict.START in progress.verdicts:
        return [Stage(answers, FAILED, _('its first line must be {"type": "ready"}')), Stage(plays, AHEAD)]
    is_clean = all(verdict == Verdict.OK for verdict in progress.verdicts)
    return [Stage(answers, DONE), Stage(plays, DONE if is_clean else FAILED)]


def state_of_queue(was_queued: bool, has_left: bool, waiting: str) -> tuple[str, str]:
    """Return state and detail of the stage in the queue."""
    if has_left:
        return DONE, ""
    if not was_queued:
        return NOW, _("about to be queued")
    return NOW, waiting


def last_stage(version: BotVersion) -> Stage:
    """Return whether the version was accepted or rejected, and why."""
    if version.state == BotVersion.State.ACCEPTED:
        return Stage(_("Accepted"), DONE, describe_use(version))
    if version.state == BotVersion.State.REJECTED:
        return Stage(_("Rejected"), FAILED, render_message(version.state_reason) if version.state_reason else "")
    return Stage(_("Playing"), AHEAD)


def describe_use(version: BotVersion) -> str:
    """Return what an accepted version does now."""
    if version.is_on_hold:
        return _("on hold until it is promoted")
    if version.bot.game not in GAMES:
        return _("its game is not installed now")
    return _("it plays on the ladder now")
