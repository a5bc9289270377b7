"""Learn from the mistakes of a leg: guess the better choice from what the seat knew, then see the analysis."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.analysis.queries.analyses import Subject, fetch_result
from arena.matches.queries.replays import list_seats
from arena.pages.formatting import rules_title
from arena.pages.games import find_presentation
from arena.pages.games.presentation import Presentation
from arena.pages.games.sentence import Sentence
from arena.pages.matches.judgements import JUDGEMENT_TITLES, JUDGEMENT_TONES, match_decisions, to_points
from arena.pages.matches.onlookers import name_view
from arena.pages.matches.opened import find_opened_leg
from arena.pages.matches.replay import Playback, Scene, Step, list_views, play_back
from arena.pages.matches.stage import build_stage
from arena.pages.paging import read_key
from engine.core import Json
from engine.replay import states

BEST_WITHIN = 0.01
"""A guess counts as the best one if it gives away no more than this chance of winning."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of a decision, with what it is worth once the reader has guessed."""

    action: str
    name: Sentence | str
    points: int
    """Chance of winning after it, in points."""
    is_played: bool
    is_better: bool
    is_guessed: bool


@dataclass(frozen=True, slots=True)
class ChoiceGroup:
    """The choices that play the same card, or have the same first word."""

    choices: list[Choice]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One mistake to learn from."""

    number: int
    """From 1, among those of the seat."""
    last: int
    seat: int
    step: Step
    title: str
    """What the analysis calls it."""
    tone: str
    loss: int
    """What was given away, in points."""
    groups: list[ChoiceGroup]
    played: Choice
    better: Choice
    guess: Choice | None

    @property
    def is_right(self) -> bool:
        """Return whether the guess is as good as the best choice."""
        return self.guess is not None and self.better.points - self.guess.points <= to_points(BEST_WITHIN)

    @property
    def missing(self) -> int:
        """Return by how many points the guess is worse than the best choice."""
        return self.better.points - self.guess.points if self.guess else 0


@dataclass(frozen=True, slots=True)
class Origin:
    """What the mistakes are from, and where it can be watched."""

    title: str
    rules: str
    replay_url: str
    """An address that wants the number of a turn at its end."""


def page(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Show one mistake of a seat before it was made. Raises Http404 where the leg is not analysed."""
    leg = find_opened_leg(request, pk, number)
    seats = list_seats([leg])
    own = [seat.seat for seat in seats if seat.participant.version.bot.has_author(request.user)]
    origin = Origin(
        title=_("Match %(number)s, leg %(leg)s") % {"number": pk, "leg": number},
        rules=rules_title(leg.match),
        replay_url=f"{leg.match.get_absolute_url()}?leg={leg.number}&view={name_view(None)}&turn=",
    )
    return show_lesson(request, leg, seats, own, origin)


def show_lesson(
    request: HttpRequest, subject: Subject, seats: Sequence[Any], own: Sequence[int], origin: Origin
) -> HttpResponse:
    """Show one mistake of a leg, or of a live game; by default of one of the reader's own seats.

    `seats` are for the names of who sat there. Raises Http404 where there is no analysis.
    """
    done = fetch_result(subject)
    if done is None:
        raise Http404(_("This leg has not been analysed. Its replay has a button for that."))
    analysis, record = done.result_data, subject.record_data
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    playback = play_back(record, None, only_step=0)
    mistakes = [
        [pair for pair in match_decisions(playback.steps, analysis) if pair[1]["seat"] == seat and pair[1]["judgement"]]
        for seat in range(len(seats))
    ]
    seat = choose_seat(request.GET, own, mistakes)
    context: dict[str, Any] = {
        "origin": origin,
        "seats": seats,
        "seat": seat,
        "seat_names": [presentation.name_seat(one) for one in range(len(seats))],
        "counts": [len(those) for those in mistakes],
    }
    if mistakes[seat]:
        lesson = build_lesson(mistakes[seat], seat, request.GET, presentation)
        decision = mistakes[seat][lesson.number - 1][1]
        context |= {"lesson": lesson, **build_stage(build_scene(playback, seat, decision), presentation)}
    return render(request, "matches/learn.html", context)


def choose_seat(query: QueryDict, own: Sequence[int], mistakes: Sequence[list[Any]]) -> int:
    """Return the seat asked for; by default one of the reader's, else the first with mistakes."""
    asked = query.get("seat", "")
    if asked.isdecimal() and int(asked) < len(mistakes):
        return int(asked)
    return next((seat for seat in (*own, *range(len(mistakes))) if mistakes[seat]), 0)


def build_lesson(
    mistakes: Sequence[tuple[Step, Json]], seat: int, query: QueryDict, presentation: Presentation
) -> Lesson:
    """Return the mistake that the address asks for, with the guess if it has one."""
    number = max(1, min(read_key(query, "mistake") or 1, len(mistakes)))
    step, decision = mistakes[number - 1]
    guess = query.get("guess", "")
    choices = [
        Choice(
            action=action,
            name=presentation.name_choice(action),
            points=to_points(chance),
            is_played=action == decision["action"],
            is_better=action == decision["better"],
            is_guessed=action == guess,
        )
        for action, chance in decision["choices"].items()
    ]
    return Lesson(
        number=number,
        last=len(mistakes),
        seat=seat,
        step=step,
        title=str(JUDGEMENT_TITLES[decision["judgement"]]),
        tone=JUDGEMENT_TONES[decision["judgement"]],
        loss=to_points(decision["loss"]),
        groups=group_choices(choices),
        played=next(choice for choice in choices if choice.is_played),
        better=next(choice for choice in choices if choice.is_better),
        guess=next((choice for choice in choices if choice.is_guessed), None),
    )


def group_choices(choices: Sequence[Choice]) -> list[ChoiceGroup]:
    """Return the choices by the card that is played; all others by their first word."""
    groups: dict[str, list[Choice]] = {}
    for choice in choices:
        verb, *words = choice.action.split()
        groups.setdefault(" ".join([verb, *words[:1]]) if len(words) > 1 else verb, []).append(choice)
    return [ChoiceGroup(group) for group in groups.values()]


def build_scene(playback: Playback, seat: int, decision: Json) -> Scene:
    """Return the table as the seat saw it before a decision."""
    record = playback.record
    state = next(state for number, state in enumerate(states(record)) if number == decision["number"])
    views = list_views(state)
    return Scene(
        edition=record["edition"],
        options=record["options"],
        onlooker=seat,
        steps=playback.steps,
        number=0,
        before=views,
        after=views,
        proofs=[],
        result=record["result"],
    )
