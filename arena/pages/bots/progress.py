"""How far an upload has come, as the stages its author sees."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.bots.models import BotVersion
from arena.matches.models import Match, Trial
from arena.runner.languages import LANGUAGES
from arena.runner.verdict import Verdict

DONE, NOW, AHEAD, FAILED = "done", "now", "ahead", "failed"


@dataclass(frozen=True, slots=True)
class Stage:
    name: str
    state: str
    """`done`, `now`, `ahead` or `failed`."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    stages: list[Stage]
    is_final: bool
    """Nothing will change any more: no need to ask again."""


@dataclass(frozen=True, slots=True)
class Trying:
    """What is known of a version's trial."""

    waiting: str = ""
    """What it waits for."""
    leg: int = 0
    """Which one is played now; 0 before the bot has answered its first message."""
    verdicts: tuple[str, ...] = ()
    """Of its legs, once all are over."""


def follow(version: BotVersion, trial: Trial | None, trying: Trying, reason: str) -> Progress:
    """The stages of a version. `reason` is why it was rejected, in words for everybody."""
    is_final = version.state in (BotVersion.State.ACCEPTED, BotVersion.State.REJECTED)
    building = building_stage(version)
    if is_final and trial is None and building is None:
        return Progress([Stage(_("Received"), DONE, _("without a trial")), last_stage(version, reason)], True)
    stages = [Stage(_("Received"), DONE), Stage(_("Unpacked"), DONE, _("the files are in order"))]
    if building is not None:
        stages.append(building)
    if building is None or building.state != FAILED:
        stages += trial_stages(version, trial.match if trial else None, trying)
    return Progress([*stages, last_stage(version, reason)], is_final)


def building_stage(version: BotVersion) -> Stage | None:
    """None where the source itself is run."""
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


def trial_stages(version: BotVersion, match: Match | None, trying: Trying) -> list[Stage]:
    """From the queue to the end of the trial match."""
    has_left = match is not None and (match.is_over or match.state == Match.State.RUNNING)
    if version.state == BotVersion.State.BUILDING:
        queue = AHEAD, ""
    else:
        queue = state_of_queue(match is not None, has_left, trying.waiting)
    return [Stage(_("In the queue"), *queue), *playing_stages(match, trying)]


def playing_stages(match: Match | None, trying: Trying) -> list[Stage]:
    answers, plays = _("Answers the handshake"), _("Trial match")
    state = match.state if match else Match.State.QUEUED
    if state == Match.State.VOID:
        return [Stage(answers, AHEAD), Stage(plays, FAILED, _("the arena failed to play it; it will be tried again"))]
    if state == Match.State.QUEUED:
        return [Stage(answers, AHEAD), Stage(plays, AHEAD)]
    if state == Match.State.RUNNING and not trying.leg:
        return [Stage(answers, NOW, _("it has five seconds to get ready")), Stage(plays, AHEAD)]
    if state == Match.State.RUNNING:
        return [Stage(answers, DONE), Stage(plays, NOW, _("leg %(number)s is played") % {"number": trying.leg})]
    if Verdict.START in trying.verdicts:
        return [Stage(answers, FAILED, _('its first line must be {"type": "ready"}')), Stage(plays, AHEAD)]
    is_clean = all(verdict == Verdict.OK for verdict in trying.verdicts)
    return [Stage(answers, DONE), Stage(plays, DONE if is_clean else FAILED)]


def state_of_queue(was_queued: bool, has_left: bool, waiting: str) -> tuple[str, str]:
    if has_left:
        return DONE, ""
    if not was_queued:
        return NOW, _("about to be queued")
    return NOW, waiting


def last_stage(version: BotVersion, reason: str) -> Stage:
    if version.state == BotVersion.State.ACCEPTED:
        return Stage(
            _("Accepted"), DONE, _("it waits to be promoted") if version.is_on_hold else _("it plays on the ladder now")
        )
    if version.state == BotVersion.State.REJECTED:
        return Stage(_("Rejected"), FAILED, reason)
    return Stage(_("Playing"), AHEAD)
