"""What an analysis says of the steps of a replay: its judgements, in words, and the chances after each step."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.pages.games.presentation import Presentation
from arena.pages.games.sentence import Sentence
from arena.pages.matches.replay import Judgement, Playback, Step
from engine.core import Json

JUDGEMENT_TITLES: Mapping[str, str | Promise] = {
    "inaccuracy": gettext_lazy("Inaccuracy"),
    "mistake": gettext_lazy("Mistake"),
    "blunder": gettext_lazy("Blunder"),
}


JUDGEMENT_TONES = {"inaccuracy": "warn", "mistake": "warn", "blunder": "bad"}


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement in words."""

    judgement: Judgement
    title: str
    tone: str
    points: int
    """What was given away, in points of winning chance."""
    better: Sentence | str
    """The better choice; empty where the onlooker doesn't see the hand it is played from."""


def describe_judgement(judgement: Judgement, presentation: Presentation) -> Judged:
    """Return a judgement in words."""
    better = presentation.name_choice(judgement.better) if judgement.better else ""
    name = judgement.name
    return Judged(judgement, str(JUDGEMENT_TITLES[name]), JUDGEMENT_TONES[name], to_points(judgement.loss), better)


def to_points(chance: float) -> int:
    """Return a chance in whole points, from -100 to 100."""
    return round(100 * chance)


def add_judgements(playback: Playback, analysis: Json | None) -> Playback:
    """Return the steps of a leg with the judgements of its analysis, as far as the onlooker may know them."""
    if analysis is None:
        return playback
    found: dict[int, Judgement] = {}
    for step, decision in match_decisions(playback.steps, analysis):
        known = found.get(step.number)
        if decision["judgement"] and (known is None or known.loss < decision["loss"]):
            is_seen = playback.onlooker in (None, decision["seat"])
            found[step.number] = Judgement(
                step=step.number,
                seat=decision["seat"],
                name=decision["judgement"],
                loss=decision["loss"],
                action=decision["action"],
                better=decision["better"] if is_seen else "",
            )
    return replace(playback, judgements=found)


def match_decisions(steps: Sequence[Step], analysis: Json) -> Iterator[tuple[Step, Json]]:
    """Yield each decision of an analysis with the step that it belongs to."""
    by_entry = {entry.number: step for step in steps for entry in step.entries}
    for decision in analysis["decisions"]:
        yield by_entry[decision["number"]], decision


def list_open_chances(steps: Sequence[Step], analysis: Json) -> list[float]:
    """Return by step the chance of the first seat with all cards open."""
    chances: list[float] = []
    for step in steps:
        last = step.entries[-1].number + 1 if step.entries else 0
        chances.append(analysis["chances"][last])
    return chances


def list_known_chances(steps: Sequence[Step], analysis: Json, seat: int) -> list[float]:
    """Return by step the chance of a seat as it could know it."""
    by_entry = {known["number"]: known["chances"][seat] for known in analysis["known"]}
    latest = next(iter(by_entry.values()), 0.5)
    chances: list[float] = []
    for step in steps:
        for entry in step.entries:
            latest = by_entry.get(entry.number, latest)
        chances.append(latest)
    return chances


@dataclass(frozen=True, slots=True)
class SeatBalance:
    """What a seat's result was made of, in points that add up, and how well it decided."""

    seat: int
    name: str
    accuracy: float | None
    given_away: int
    start: int
    luck: int
    skill: int
    total: int
    """Luck and skill together: the result less the start."""
    result: str
    """In words."""
    draws: int


def list_balances(analysis: Json, names: Sequence[str]) -> list[SeatBalance]:
    """Return the balance of each seat. Luck is rounded, and skill is what is left to the rounded total."""
    results = {1.0: _("won"), 0.5: _("drawn"), 0.0: _("lost")}
    balances = []
    for seat, found in enumerate(analysis["seats"]):
        total, luck = to_points(found["result"] - found["start"]), to_points(found["luck"])
        balances.append(
            SeatBalance(
                seat=seat,
                name=names[seat],
                accuracy=found["accuracy"],
                given_away=to_points(found["given_away"]),
                start=to_points(found["start"]),
                luck=luck,
                skill=total - luck,
                total=total,
                result=results[found["result"]],
                draws=found["draws"],
            )
        )
    return balances
