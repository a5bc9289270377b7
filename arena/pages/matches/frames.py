"""What a step of a leg shows, and to whom: opened matches, judgements, moves, the stage and the viewer's frames."""

import gzip
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import orjson
from django import template
from django.core.cache import cache as shelf
from django.http import Http404, HttpRequest
from django.template import Context, Engine
from django.template.base import Parser, Token, token_kwargs
from django.utils.functional import Promise
from django.utils.translation import get_language

from arena.contests.comparisons.services import is_deal_in_play
from arena.core.http import forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext
from arena.core.release import compute_build_id
from arena.matches.models import Leg, Match
from arena.matches.queries import find_finished_leg, find_match, list_seats
from arena.matches.services import explain_missing_record
from arena.pages.games import find_presentation
from arena.pages.games.presentation import Line, Presentation
from arena.pages.games.sentence import Sentence
from arena.pages.matches.replay import (
    LAST_STEP,
    PUBLIC_ONLOOKER,
    ExpectedStep,
    Judgement,
    Playback,
    Scene,
    SolvedStep,
    Step,
    play_back,
    play_to,
)
from arena.people.groups.models import Reader
from engine.core import Json
from engine.registry import GAMES

# What an analysis says of the steps of a replay: its judgements, in words, and the chances after each step.

JUDGEMENT_TITLES: Mapping[str, str | Promise] = {
    "inaccuracy": gettext_lazy("Inaccuracy"),
    "mistake": gettext_lazy("Mistake"),
    "blunder": gettext_lazy("Blunder"),
}


GIVEN_UP_TITLES: Mapping[str, str | Promise] = {
    "win": gettext_lazy("Throws the win away"),
    "draw": gettext_lazy("Throws the draw away"),
}
"""Labels by the result that a decision in a solved position gave away."""

JUDGEMENT_TONES = {"inaccuracy": "warn", "mistake": "warn", "blunder": "bad"}


@dataclass(frozen=True, slots=True)
class JudgedInWords:
    """A judgement in words."""

    judgement: Judgement
    title: str
    tone: str
    points: int
    """What was given away, in points of winning chance; 0 if the title says it all."""
    better: Sentence | str
    """The better choice; empty where the onlooker doesn't see the hand it is played from."""


def describe_judgement(judgement: Judgement, presentation: Presentation) -> JudgedInWords:
    """Return a judgement in words."""
    better = presentation.name_choice(judgement.better) if judgement.better else ""
    name = judgement.name
    title, points = JUDGEMENT_TITLES[name], to_points(judgement.loss)
    if judgement.given_up:
        title, points = GIVEN_UP_TITLES[judgement.given_up], 0
    return JudgedInWords(judgement, str(title), JUDGEMENT_TONES[name], points, better)


def describe_solved(solved: SolvedStep, presentation: Presentation) -> str:
    """Return in words who wins a solved position."""
    winner = name_winner(solved, presentation)
    return _("Solved: %(seat)s wins") % {"seat": winner} if winner else _("Solved: draw")


def name_winner(solved: SolvedStep, presentation: Presentation) -> str:
    """Return the name of the seat that wins a solved position; empty for a draw."""
    return "" if solved.winner is None else presentation.name_seat(solved.winner)


@dataclass(frozen=True, slots=True)
class ExpectedInWords:
    """What a step is worth on average, in words, and what that means."""

    step: int
    title: str
    meaning: str


def describe_expected(expected: ExpectedStep, presentation: Presentation) -> ExpectedInWords:
    """Return in words what a step is worth on average."""
    seat = presentation.name_seat(expected.seat)
    title = _("Expected: %(seat)s %(percent)s%%") % {"seat": seat, "percent": to_points(expected.chance)}
    mean = ngettext(
        "The only hand and deck order that fits what %(seat)s could see.",
        "The mean over all %(cases)s hands and deck orders that fit what %(seat)s could see, each equally likely. "
        "%(seat)s chooses its next action without knowing which of them is real.",
        expected.cases,
    ) % {"cases": expected.cases, "seat": seat}
    rest = _("After the next action, both sides play their best as if they saw every card. A draw counts as half.")
    return ExpectedInWords(expected.step, title, f"{mean} {rest}")


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
                given_up=decision.get("given_up", ""),
            )
    return replace(
        playback,
        judgements=found,
        solved=find_solved_steps(playback.steps, analysis),
        expected=find_expected_steps(playback, analysis),
    )


def find_expected_steps(playback: Playback, analysis: Json) -> dict[int, ExpectedStep]:
    """Return by number the steps after which the mean is known, as far as the onlooker may know it.

    It tells of the hand of the seat that acts next, so the other seat's view is without it. Coarse and older analyses
    don't say it.
    """
    means = {one["number"]: one for one in analysis.get("expected", ())}
    found = {}
    for step in playback.steps:
        one = means.get(step.entries[-1].number + 1) if step.entries else None
        if one is not None and playback.onlooker in (None, PUBLIC_ONLOOKER, one["seat"]):
            found[step.number] = ExpectedStep(step.number, one["seat"], one["chance"], one["cases"])
    return found


def find_solved_steps(steps: Sequence[Step], analysis: Json) -> dict[int, SolvedStep]:
    """Return by number the steps after which a leg is solved. Older analyses don't say it."""
    winners = {one["number"]: one["winner"] for one in analysis.get("solved", ())}
    found = {}
    for step in steps:
        next_entry = step.entries[-1].number + 1 if step.entries else 0
        if next_entry in winners:
            found[step.number] = SolvedStep(step.number, winners[next_entry])
    return found


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


def list_winning_chances_known_to(steps: Sequence[Step], analysis: Json, seat: int) -> list[float]:
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


# Build the context of a scene's templates: the table, the caption of the step, and its proofs.


def build_stage(scene: Scene, presentation: Presentation) -> dict[str, Any]:
    """Return the context of `matches/_stage.html`, `matches/_why.html` and `matches/_known.html`.

    They show `seats` too, and where they are drawn once for each step, `slots`.
    """
    return {
        "scene": scene,
        "presentation": presentation,
        "board_template": f"games/{presentation.folder}/board.html",
        "proof_template": f"games/{presentation.folder}/proof.html",
        "board": presentation.build_board(scene),
        "known_template": f"games/{presentation.folder}/known.html" if presentation.build_known else "",
        "known": partial(presentation.build_known, scene) if presentation.build_known else None,
        "lines": describe_caption(scene, presentation),
        "proofs": [presentation.build_proof(scene, proof) for proof in scene.proofs],
        "judged": None if scene.judgement is None else describe_judgement(scene.judgement, presentation),
        "solved": "" if scene.solved is None else describe_solved(scene.solved, presentation),
        "expected": None if scene.expected is None else describe_expected(scene.expected, presentation),
        "ending": presentation.describe_ending(scene) if scene.result else "",
    }


def describe_caption(scene: Scene, presentation: Presentation) -> list[Line]:
    """Return what the caption says of the step; a forfeit that ends the leg is told by the ending already."""
    if not scene.is_over:
        return presentation.describe_step(scene.step)
    return presentation.describe_events([event for event in scene.step.events if event.get("action") != "forfeit"])


# The list of moves of a leg: every step in words, and what the answer took.

SLOW_SHARE = 0.8
"""An answer that took more than this share of its limit is marked as slow."""


@dataclass(frozen=True, slots=True)
class ReplayMove:
    """A step in the list of moves."""

    step: Step
    lines: list[Line]
    is_slow: bool = False
    judged: JudgedInWords | None = None


def list_moves(playback: Playback, presentation: Presentation, limit_ms: int) -> list[ReplayMove]:
    """Return all steps after the deal. `limit_ms` is the time for an answer in milliseconds, 0 without a limit."""
    slow_ms = SLOW_SHARE * limit_ms
    moves = []
    for step in playback.steps[1:]:
        spent = step.spent
        is_slow = bool(slow_ms and spent and spent.cost_ms > slow_ms)
        judgement = playback.judgements.get(step.number)
        judged = None if judgement is None else describe_judgement(judgement, presentation)
        moves.append(ReplayMove(step, presentation.describe_step(step), is_slow, judged))
    return moves


# Elements of a scene that a step may change, marked in the templates so that the viewer knows them by name.

OPENING_TAG = re.compile(r"^(<[a-z0-9]+)")
KEYWORD = re.compile(r"^\w+=")


class Slots(dict[str, str]):
    """The slots of a scene by name, and of the next one, for which only those are drawn again that have changed."""

    def __init__(self) -> None:
        super().__init__()
        self.subjects: dict[str, list[Any]] = {}
        """The values that each slot was drawn from, where the template names them."""

    def is_unchanged(self, name: str, subjects: list[Any]) -> bool:
        """Return whether a slot was drawn from equal values before."""
        return name in self and self.subjects.get(name) == subjects


class SlotNode(template.Node):
    """The tag `slot` of a compiled template."""

    def __init__(self, nodelist: template.NodeList, names: list[Any], subjects: list[Any]) -> None:
        self.nodelist = nodelist
        self.names = names
        self.subjects = subjects

    def render(self, context: template.Context) -> str:
        """Return the slot, drawn only where what it is drawn from has changed."""
        name = "-".join(str(part.resolve(context)) for part in self.names)
        slots: Slots | None = context.get("slots")
        if slots is None:
            return self.draw(context, name)
        subjects = [subject.resolve(context) for subject in self.subjects]
        if not subjects or not slots.is_unchanged(name, subjects):
            slots[name] = self.draw(context, name)
            slots.subjects[name] = subjects
        return slots[name]

    def draw(self, context: template.Context, name: str) -> str:
        """Return the element with its name."""
        content = self.nodelist.render(context).strip()
        return OPENING_TAG.sub(f'\\1 data-slot="{name}"', content, count=1)


def slot(parser: Parser, token: Token) -> SlotNode:
    """Parse `{% slot "name" [number] [of=value] %}<one element>{% endslot %}`: what a step of a replay may change.

    The viewer finds it by its name and puts the next scene's there, so it must always be there, empty and hidden if
    need be; slots don't lie in one another. Where `of=value` stands, and `and=value` for more, all that is drawn must
    follow from these values: while they stay equal from scene to scene, it isn't drawn again.
    """
    _tag, *words = token.split_contents()
    names = [parser.compile_filter(word) for word in words if not KEYWORD.match(word)]
    subjects = token_kwargs([word for word in words if KEYWORD.match(word)], parser)
    nodelist = parser.parse(("endslot",))
    parser.delete_first_token()
    return SlotNode(nodelist, names, list(subjects.values()))


# All steps of a leg for one onlooker, as the viewer wants them: the changing parts of the table, each of them once.

STAGE_TEMPLATE = "matches/_stage.html"
FRAME_TEMPLATES = (STAGE_TEMPLATE, "matches/_why.html", "matches/_known.html")
FRAMES_CACHE_TIMEOUT_S = 24 * 3600


def build_frames(playback: Playback, seats: Sequence[Any], names: Sequence[str] = FRAME_TEMPLATES) -> dict[str, Any]:
    """Return `{"slots": [name…], "parts": [html…], "frames": [[part of each slot…]…]}`, a frame for each step.

    The first frame is that of the deal. `seats` are those of the leg, for the names of the bots, and `names` those of
    the templates that are drawn.
    """
    presentation = find_presentation(playback.record["game"], playback.record["edition"])
    templates = [Engine.get_default().get_template(name) for name in names]
    slots, parts = Slots(), dict[str, int]()
    frames = []
    for number in range(playback.last + 1):
        context = Context({"seats": seats, "slots": slots, **build_stage(playback.scene(number), presentation)})
        for one in templates:
            one.render(context)  # fills `slots`
        frames.append([parts.setdefault(html, len(parts)) for html in slots.values()])
    return {"slots": list(slots), "parts": list(parts), "frames": frames}


def pack_frames(
    record: Json, onlooker: int | None, seats: Sequence[Any], tag: str, analysis: Json | None = None
) -> bytes:
    """Return the frames as JSON, packed with gzip, with the judgements of an analysis if there is one.

    They are kept for the next reader under their tag.
    """
    packed: bytes | None = shelf.get(f"frames:{tag}")
    if packed is None:
        playback = add_judgements(play_back(record, onlooker), analysis)
        packed = gzip.compress(orjson.dumps(build_frames(playback, seats)), 6, mtime=0)
        shelf.set(f"frames:{tag}", packed, FRAMES_CACHE_TIMEOUT_S)
    return packed


def tag_frames(
    record: bytes | memoryview | None, onlooker: int | None, seats: Sequence[Any], analysis: str | None = None
) -> str:
    """Return a key that changes with the record, the onlooker, the language, the names of the bots and the release.

    And with the key of the analysis whose judgements are shown.
    """
    names = [(seat.participant.version.bot.name, str(seat.participant.version.number)) for seat in seats]
    key = orjson.dumps([onlooker, get_language(), names, compute_build_id(), analysis])
    return hashlib.sha256(key + bytes(record or b"")).hexdigest()[:32]


# Draw the end of a leg as its game draws it in small.


@dataclass(frozen=True, slots=True)
class EndPicture:
    """The end of a leg as its game draws it in small."""

    template: str
    board: Any
    says: str
    """The ending in words, for who doesn't see it; empty of a leg that is played."""


def draw_end_of_leg(reader: Reader, match: int, number: int) -> EndPicture | None:
    """Return the picture of how a leg ended; None where its game draws none, or the reader can't see it."""
    shown = find_end_of_leg(reader, match, number)
    return draw_end(*shown) if shown is not None else None


def find_end_of_leg(reader: Reader, match: int, number: int) -> tuple[Scene, Presentation] | None:
    """Return the scene in which a leg ends, and how it is presented; None where the reader can't see it."""
    leg = find_finished_leg(reader, match, number)
    if leg is None or leg.record is None or leg.match.game not in GAMES or is_deal_in_play(leg.match):
        return None
    presentation = find_presentation(leg.match.game, leg.match.edition, leg.match.options)
    if presentation.name_players is not None:
        players = tuple(seat.participant.version.bot.name for seat in list_seats([leg]))
        presentation = presentation.name_players(players, None)
    return play_to(leg.record_data, LAST_STEP, PUBLIC_ONLOOKER), presentation


def draw_end(scene: Scene, presentation: Presentation, *, is_over: bool = True) -> EndPicture | None:
    """Return the picture of the scene in which a leg ends, or of one before that; None where its game draws none."""
    if presentation.build_picture is None:
        return None
    template = f"games/{presentation.folder}/picture.html"
    says = presentation.describe_ending(scene) if is_over else ""
    return EndPicture(template, presentation.build_picture(scene), says)


# The one place that decides which matches are open: those that are over and whose deal is not in play elsewhere.
#
# Of these, a reader finds the ones that the reader may see.


def find_opened_match(request: HttpRequest, pk: int) -> Match:
    """Return a match whose cards whoever sees it may see. Raises Http404 with the reason."""
    match = find_match(request.user, pk)
    if match is None or match.state != Match.State.FINISHED:
        raise Http404
    keep_private(request, match)
    refuse_deal_in_play(match)
    return match


def find_opened_leg(request: HttpRequest, pk: int, number: int) -> Leg:
    """Return a leg with its record, whose cards whoever sees the match may see. Raises Http404 with the reason."""
    leg = open_leg(request.user, pk, number)
    keep_private(request, leg.match)
    return leg


def open_leg(reader: Reader, pk: int, number: int) -> Leg:
    """Return the same for a reader, or for everybody where that is None. Raises Http404 with the reason."""
    leg = find_finished_leg(reader, pk, number)
    if leg is None:
        raise Http404
    refuse_deal_in_play(leg.match)
    if leg.record is None:
        raise Http404(explain_missing_record(leg.match, _("This leg's record was lost.")))
    return leg


def keep_private(request: HttpRequest, match: Match) -> None:
    """Let nobody cache what is shown of a match that is for a group."""
    if not match.is_public:
        forbid_caching(request)


def refuse_deal_in_play(match: Match) -> None:
    """Raise Http404 while another match with the same deal is not over."""
    if is_deal_in_play(match):
        raise Http404(_("Another match with the same deal is still running."))
