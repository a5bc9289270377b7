"""Reports on the bot of a seat for its owner: the fault, the request, and the answer."""

from dataclasses import dataclass
from typing import Any

import orjson

from arena.matches.models import LegSeat
from arena.pages.games import find_presentation
from arena.pages.matches.replay import Playback, explain_refused
from arena.runner.verdict import Verdict
from engine.core import MalformedAction


@dataclass(frozen=True, slots=True)
class Report:
    """The report on one seat, for the owner of its bot."""

    row: LegSeat
    proof: Any
    """Context of the game's proof template for the action that was refused; None where the game explains nothing."""
    proof_template: str


def list_reports(playback: Playback, rows: list[LegSeat]) -> list[Report]:
    """Return the reports of these seats, whose owner reads."""
    folder = find_presentation(playback.record["game"], playback.record["edition"]).folder
    return [Report(row, build_refusal_proof(playback, row), f"games/{folder}/proof.html") for row in rows]


def build_refusal_proof(playback: Playback, row: LegSeat) -> Any:
    """Return why the action that ended the leg was refused, where the game has a proof for that."""
    last = playback.record["actions"][-1]
    is_last = last["action"] == "forfeit" and last["seat"] == row.seat
    if row.verdict != Verdict.ILLEGAL or not is_last or not row.fault:
        return None
    try:
        explanation = explain_refused(playback.record, read_action(row.fault.get("sent") or ""))
    except MalformedAction:
        return None
    if explanation is None:
        return None
    presentation = find_presentation(playback.record["game"], playback.record["edition"])
    return presentation.build_proof(playback.scene(playback.last), explanation)


def read_action(sent: str) -> str:
    """Return the action within the line that a bot sent; empty where there is none."""
    try:
        message = orjson.loads(sent)
    except orjson.JSONDecodeError:
        return ""
    action = message.get("action") if isinstance(message, dict) else None
    return action if isinstance(action, str) else ""
