"""The typical mistakes of a bot, for its author."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.analysis.queries.bots import MistakeExample, MistakeKind, fetch_draw_luck, summarize_mistakes
from arena.pages.bots.lookup import own_bot_or_403
from arena.pages.games import find_presentation
from arena.pages.games.sentence import Sentence
from arena.pages.matches.detail import DECISION_PREFIX
from arena.pages.matches.judgements import JUDGEMENT_TITLES, JUDGEMENT_TONES, to_points


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """One mistake in words, and the address of its turn."""

    url: str
    match: int
    leg: int
    title: str
    tone: str
    points: int
    """The chance it gave away, in points of winning chance."""
    played: Sentence | str
    better: Sentence | str


@dataclass(frozen=True, slots=True)
class MistakeKindRow:
    """A kind of mistakes in words."""

    label: str
    count: int
    points: int
    """The chance all of them gave away, in points of winning chance."""
    examples: list[ExampleRow]


@login_required
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show by which kinds of mistakes a bot gives away most, with examples."""
    bot = own_bot_or_403(request, slug)
    summary = summarize_mistakes(bot)
    context = {
        "bot": bot,
        "legs": summary.legs,
        "counts": [(title, summary.judgements.get(name, 0)) for name, title in JUDGEMENT_TITLES.items()],
        "kinds": [describe_kind(kind) for kind in summary.kinds],
        "luck": fetch_draw_luck(bot),
    }
    return render(request, "bots/mistakes.html", context)


def describe_kind(kind: MistakeKind) -> MistakeKindRow:
    """Return a kind of mistakes in words."""
    presentation = find_presentation(kind.game, kind.examples[0].edition)
    label = str(presentation.mistake_labels.get(kind.kind, kind.kind))
    examples = [describe_example(kind.game, example) for example in kind.examples]
    return MistakeKindRow(label, kind.count, to_points(kind.lost), examples)


def describe_example(game: str, example: MistakeExample) -> ExampleRow:
    """Return a mistake in words, in those of its edition."""
    presentation, mistake = find_presentation(game, example.edition), example.mistake
    turn = f"{DECISION_PREFIX}{mistake['number']}"
    return ExampleRow(
        url=f"/matches/{example.match}/?leg={example.leg}&view={example.seat}&turn={turn}",
        match=example.match,
        leg=example.leg,
        title=str(JUDGEMENT_TITLES[mistake["judgement"]]),
        tone=JUDGEMENT_TONES[mistake["judgement"]],
        points=to_points(mistake["loss"]),
        played=presentation.name_choice(mistake["action"]),
        better=presentation.name_choice(mistake["better"]),
    )
