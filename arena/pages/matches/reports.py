"""What the owner of a bot reads of a seat of a leg: what went wrong, what the bot was told, and what it answered."""

from dataclasses import dataclass
from typing import Any

import orjson

from arena.matches.models import LegSeat
from arena.pages.games import picture_of
from arena.pages.matches.replay import Film, explain_refused
from arena.runner.verdict import Verdict
from engine.core import MalformedAction


@dataclass(frozen=True, slots=True)
class Report:
    row: LegSeat
    proof: Any
    """What the proof template of the game shows of the action that was refused; None where it says nothing."""
    proof_template: str


def list_reports(film: Film, rows: list[LegSeat]) -> list[Report]:
    """Of seats whose owner reads."""
    folder = picture_of(film.record["game"], film.record["edition"]).folder
    return [Report(row, prove_refusal(film, row), f"games/{folder}/proof.html") for row in rows]


def prove_refusal(film: Film, row: LegSeat) -> Any:
    """Why the action that ended the leg was refused, where the game has a proof for that."""
    last = film.record["actions"][-1]
    is_last = last["action"] == "forfeit" and last["seat"] == row.seat
    if row.verdict != Verdict.ILLEGAL or not is_last or not row.fault:
        return None
    try:
        explanation = explain_refused(film.record, read_action(row.fault.get("sent") or ""))
    except MalformedAction:
        return None
    if explanation is None:
        return None
    picture = picture_of(film.record["game"], film.record["edition"])
    return picture.prove(film.scene(film.last), explanation)


def read_action(sent: str) -> str:
    """The action within the line that a bot sent; empty where there is none."""
    try:
        message = orjson.loads(sent)
    except orjson.JSONDecodeError:
        return ""
    action = message.get("action") if isinstance(message, dict) else None
    return action if isinstance(action, str) else ""
