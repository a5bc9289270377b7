"""The pages of the lessons. They hold nothing of their reader, so that everybody is served the same ones."""

from dataclasses import dataclass, replace
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from arena.core.messages import gettext as _
from arena.pages.learn import battalion, battleline
from arena.pages.learn.lesson import NOTHING_CHOSEN, Lesson, Place, Text, build_table, find_place
from arena.pages.play.context import TableLinks, build_table_context
from arena.pages.play.table import CHOSEN, WHY, PlayTable
from arena.pages.serving import HtmxRequest
from engine.registry import GAMES

LESSONS = {lesson.game: lesson for lesson in (battleline.LESSON, battalion.LESSON)}
FIRST_LESSON = battleline.LESSON.game
ACTION = "action"


def find_lesson(game: str) -> Lesson | None:
    """Return the lesson of a game; None where the game has none, or isn't installed."""
    return LESSONS.get(game) if game in GAMES else None


@dataclass(frozen=True, slots=True)
class StepLink:
    """A step in the header."""

    number: int
    name: str
    url: str
    is_now: bool
    is_done: bool


def show_lesson(request: HtmxRequest, game: str = FIRST_LESSON, step: int = 1, made: int = 0) -> HttpResponse:
    """Show a position of a lesson, or make the learner's move there and lead to the next position."""
    lesson = find_lesson(game)
    place = find_place(lesson, step, made) if lesson else None
    if place is None:
        raise Http404(_("There's no such lesson."))
    action = request.GET.get(ACTION, "").strip()
    if action and action == place.wanted:
        return redirect("lesson_position", game, step, made + 1)
    notice = explain_action(place, action) if action and place.wanted else ""
    chosen = request.GET.get(CHOSEN)
    table = build_table(place, _("You"), chosen, request.GET.get(WHY, ""))
    response = render(
        request, "learn/_lesson.html" if request.htmx else "learn/lesson.html", build_context(place, table, notice)
    )
    if request.htmx:
        response["HX-Replace-Url"] = request.get_full_path()
    return response


def explain_action(place: Place, action: str) -> Text:
    """Return why a move is taken back: the referee's reason, or the lesson's where it is legal."""
    return place.refuse(action) or place.lesson.explain_other(place, action)


def build_context(place: Place, table: PlayTable, notice: Text) -> dict[str, Any]:
    """Return the context of `learn/lesson.html` and `learn/_lesson.html`."""
    lesson, step = place.lesson, place.step
    page = reverse("lesson_position", args=[lesson.game, step, place.made])
    context = build_table_context(
        table, TableLinks(page=page, rules=reverse("rules", args=[lesson.game, lesson.edition]))
    )
    teaching = lesson.teach(place)
    bar = context["bar"]
    caption: Text = notice or (bar.caption if is_chosen_by_reader(place, table) or table.why else teaching.caption)
    if table.chosen and not bar.back:
        bar = replace(bar, back=f"?{CHOSEN}={NOTHING_CHOSEN}")
    links = [
        StepLink(
            number=number,
            name=str(one.name),
            url=reverse("lesson_position", args=[lesson.game, number, 0]),
            is_now=number == step,
            is_done=number < step or (number == step and place.is_done),
        )
        for number, one in enumerate(lesson.steps, start=1)
    ]
    return context | {
        "lesson": lesson,
        "play": lesson.simplify(context["play"]),
        "place": place,
        "bar": replace(bar, caption=caption, stages=(), short=""),
        "caption": caption,
        "spoken": str(caption),
        "is_taken_back": bool(notice),
        "is_offered": bool(table.chosen) and not is_chosen_by_reader(place, table),
        "panel": teaching.panel,
        "panel_part": f"learn/_{teaching.panel.kind}.html",
        "steps": links,
        "back": links[step - 2] if step > 1 else None,
        "next": links[step] if not place.is_last else None,
        "next_label": lesson.steps[step].next if not place.is_last else "",
        "show_url": f"{page}?{ACTION}={place.wanted.replace(' ', '+')}" if place.wanted else "",
        "other_lesson": next((one for key, one in LESSONS.items() if key != lesson.game and key in GAMES), None),
    }


def is_chosen_by_reader(place: Place, table: PlayTable) -> bool:
    """Return whether the reader chose something else than what the step chooses by itself."""
    presets = place.lesson.steps[place.step - 1].chosen
    preset = presets[place.made] if place.made < len(presets) else ""
    return not place.is_done and " ".join(table.chosen) != preset
