"""The daily puzzles: the question, the answer with its proof, pictures to share, streaks, and earlier puzzles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from time import time
from typing import Any

from django.core import signing
from django.core.cache import cache
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.timezone import get_default_timezone
from django.utils.translation import get_language
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_safe

from arena.contests.ladders.rating import Z_SCORE_95
from arena.contests.puzzles.models import Answer, Puzzle
from arena.contests.puzzles.queries import (
    compute_streak,
    fetch_answers,
    fetch_streak,
    find_answer,
    find_newest,
    find_puzzle,
    find_solver,
    list_archive,
    today,
)
from arena.contests.puzzles.services import submit_answer
from arena.core.http import forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext
from arena.core.release import compute_build_id
from arena.matches.livegames.position import LivePlayer
from arena.pages.formatting import format_duration, record_rules_title
from arena.pages.games import find_presentation
from arena.pages.games.battleline import draw_small_line
from arena.pages.games.battleline.board import build_board
from arena.pages.games.battleline.puzzle import (
    Position,
    SolvedClaim,
    ask_best,
    ask_claim,
    build_legend,
    list_shown_tactics,
    name_claim,
    name_claim_answer,
    read_position,
    solve_best,
    solve_claim,
)
from arena.pages.games.battleline.words import name_choice
from arena.pages.matches.match_page import (
    CACHE_FOR_AN_HOUR,
    CACHE_STAND_IN,
    DECISION_PREFIX,
    PICTURE_CACHE_S,
    draw_within_share,
    may_draw,
    render_plain_png,
    send_image,
)
from arena.pages.matches.replay import name_view
from arena.pages.play.table import CHOSEN
from arena.pages.serving import make_player, player_of, reader_of, refusal_as_message
from arena.pages.svg.card import draw_preview_image
from arena.people.accounts.models import User
from engine.core import Json

LEAST_TRIES = 5
"""With fewer first answers the share of right ones says nothing."""
PUZZLES_PER_PAGE = 30
SINCE_SALT = "puzzle-since"
AGAIN = "again"
"""Parameter of a further try: empty or 1 for the question, else the answer."""
DAY_LABELS = {
    "solved": gettext_lazy("solved"),
    "missed": gettext_lazy("not solved"),
    "forgiven": gettext_lazy("no answer, forgiven"),
    "today": gettext_lazy("today"),
}


# The streak of the reader.


@dataclass(frozen=True, slots=True)
class StreakDay:
    """A day of the last seven."""

    date: date
    state: str
    """A key of `DAY_LABELS`."""

    @property
    def label(self) -> str:
        """Return what is read aloud of it."""
        return str(DAY_LABELS[self.state])


@dataclass(frozen=True, slots=True)
class ShownStreak:
    """Days in a row with a solved puzzle."""

    days: int
    week: Sequence[StreakDay]
    is_known: bool
    """False for guests, whose streak is kept in their browser."""

    @property
    def labels(self) -> Mapping[str, Any]:
        """Return what days are called by their state."""
        return DAY_LABELS

    @property
    def text(self) -> str:
        """Return the streak in words."""
        if not self.days:
            return _("No streak yet")
        return ngettext("%(count)s day in a row", "%(count)s days in a row", self.days) % {"count": self.days}


def build_streak(request: HttpRequest) -> ShownStreak:
    """Return the reader's streak; without its days for guests."""
    user = reader_of(request)
    streak = fetch_streak(user) if user else compute_streak(today(), (), ())
    return ShownStreak(streak.days, [StreakDay(*day) for day in streak.week], is_known=user is not None)


# The page of one puzzle.


def build_url(puzzle: Puzzle, part: str = "") -> str:
    """Return the address of a puzzle, or of its picture with the part "board"."""
    assert puzzle.day is not None, "only shown puzzles have addresses"
    name = "puzzle_board" if part else "puzzle_of_day"
    suffix = "_best" if puzzle.kind == Puzzle.Kind.BEST else ""
    return reverse(f"{name}{suffix}", args=[puzzle.day.isoformat()])


def find_of_day(kind: str, iso_day: str) -> Puzzle:
    """Return the puzzle of a day in an address. Raises Http404 for days without one, and for those to come."""
    try:
        puzzle = find_puzzle(kind, date.fromisoformat(iso_day))
    except ValueError:
        puzzle = None
    if puzzle is None:
        raise Http404(_("No puzzle for this day."))
    return puzzle


@gzip_page
@require_http_methods(["GET", "HEAD", "POST"])
def show_puzzle(request: HttpRequest, kind: str, iso_day: str = "") -> HttpResponse:
    """Show the puzzle of a day, by default the newest one, or take an answer (POST)."""
    puzzle = find_of_day(kind, iso_day) if iso_day else find_newest(kind)
    if puzzle is None:
        links = {"claim": reverse("puzzle"), "best": reverse("puzzle_best"), "archive": reverse("puzzle_archive")}
        return render(request, "puzzles/none.html", {"is_best": kind == Puzzle.Kind.BEST, "links": links})
    if request.method == "POST":
        return take_answer(request, puzzle)
    answer = find_answer(puzzle, *name_solver(player_of(request)))
    if answer is not None:
        forbid_caching(request)
    return render(request, "puzzles/question.html", build_page(request, puzzle, answer))


def name_solver(player: LivePlayer) -> tuple[User | None, str]:
    """Return who answers: a user, or a guest by the key that live games know them by."""
    return (player.user, "") if player.user else (None, player.guest)


def take_answer(request: HttpRequest, puzzle: Puzzle) -> HttpResponse:
    """Store the reader's first answer, or judge a further one, and lead to the solution."""
    user, guest = name_solver(make_player(request))
    given, url = read_given(puzzle, request.POST), build_url(puzzle)
    had_answer = find_answer(puzzle, user, guest) is not None
    with refusal_as_message(request):
        submit_answer(puzzle=puzzle, user=user, guest=guest, answer=given, seconds=read_seconds(request))
        again = f"?{urlencode({AGAIN: write_given(given)})}" if had_answer else ""
        return redirect(f"{url}{again}#verdict")  # it may lie below a small screen
    return redirect(url)


def read_given(puzzle: Puzzle, form: Mapping[str, str]) -> Json:
    """Return an answer as services take it."""
    if puzzle.kind == Puzzle.Kind.BEST:
        return {"action": form.get("action", "")}
    if form.get("claim") == "yes":
        return {"claim": True}
    return {"claim": False, "card": form.get("card", "")}


def write_given(given: Json) -> str:
    """Return an answer as it stands in the address after a further try."""
    return str(given.get("action") or given.get("card") or "yes")


def read_again(puzzle: Puzzle, text: str) -> Json:
    """Return the answer that stands in an address."""
    if puzzle.kind == Puzzle.Kind.BEST:
        return {"action": text}
    return {"claim": True} if text == "yes" else {"claim": False, "card": text}


def read_seconds(request: HttpRequest) -> int | None:
    """Return how long the reader has had the question; None where that is not known."""
    try:
        return int(time()) - int(signing.loads(request.POST.get("since", ""), salt=SINCE_SALT))
    except (signing.BadSignature, TypeError, ValueError):
        return None


def build_page(request: HttpRequest, puzzle: Puzzle, answer: Answer | None) -> dict[str, Any]:
    """Return what the page of a puzzle shows: the question, or after the reader's answer the solution."""
    record = build_record(puzzle)
    is_best, user = puzzle.kind == Puzzle.Kind.BEST, reader_of(request)
    solver = find_solver(user) if user else None
    again = request.GET.get(AGAIN, "") if answer else ""
    is_solved = answer is not None and again != "1"
    position = read_position(record, puzzle.seat, has_hand=is_best)
    context = {
        "puzzle": puzzle,
        "is_best": is_best,
        "is_today": puzzle.day == today(),
        "is_retry": answer is not None,
        "name": name_puzzle(puzzle),
        "description": _("One new puzzle a day, from a real match, with a proved answer."),
        "rules": record_rules_title(record),
        "streak": build_streak(request),
        "zone": str(get_default_timezone()),
        "solver": solver,
        "solver_margin": Z_SCORE_95 * solver.deviation if solver else 0,
        "links": build_links(request, puzzle, position, is_solved=is_solved),
        "title": build_title(puzzle),
        "tactics": list_shown_tactics(position, has_hand=is_best),
    }
    if is_solved and answer is not None:
        given = read_again(puzzle, again)
        is_again = again != "" and position.allows(given)
        return context | build_solution(puzzle, position, answer, given if is_again else None)
    asked = build_best_question if is_best else build_claim_question
    context["legend"] = build_legend(position, has_hand=is_best)
    return context | asked(request, puzzle, position) | {"since": signing.dumps(int(time()), salt=SINCE_SALT)}


def build_title(puzzle: Puzzle) -> str:
    """Return the question of a puzzle as a heading."""
    if puzzle.kind == Puzzle.Kind.BEST:
        return _("Find the best card")
    return name_claim(puzzle.edition, puzzle.seat, puzzle.question["flag"])


def build_record(puzzle: Puzzle) -> Json:
    """Return the leg up to the position of a puzzle, as a record of one that is still played."""
    play = puzzle.play
    return {
        "game": puzzle.game,
        "edition": puzzle.edition,
        "options": play["options"],
        "deal": play["deal"],
        "seats": [{}, {}],
        "actions": [{"seat": seat, "action": action} for seat, action in play["actions"]],
        "result": None,
    }


def name_puzzle(puzzle: Puzzle) -> str:
    """Return the number of a puzzle, in words."""
    return _("Puzzle %(number)s") % {"number": puzzle.number}


def find_other(puzzle: Puzzle) -> Puzzle | None:
    """Return the puzzle of the other kind on the same day, or None."""
    assert puzzle.day is not None
    return find_puzzle(Puzzle.Kind.CLAIM if puzzle.kind == Puzzle.Kind.BEST else Puzzle.Kind.BEST, puzzle.day)


def build_links(request: HttpRequest, puzzle: Puzzle, position: Position, *, is_solved: bool) -> dict[str, str]:
    """Return the addresses that a page needs."""
    is_best = puzzle.kind == Puzzle.Kind.BEST
    other = find_other(puzzle)
    others = build_url(other) if other else reverse("puzzle" if is_best else "puzzle_best")
    page, picture = build_url(puzzle), build_url(puzzle, "board")
    return {
        "page": page,
        "claim": others if is_best else page,
        "best": page if is_best else others,
        "archive": reverse("puzzle_archive"),
        "rules": reverse("rules", args=[puzzle.game, puzzle.edition]),
        "picture": picture,
        "image": request.build_absolute_uri(picture),
        "shared": request.build_absolute_uri(page),
        "replay": find_replay(puzzle, position) if is_solved else "",
    }


def build_claim_question(request: HttpRequest, puzzle: Puzzle, position: Position) -> dict[str, Any]:
    """Return the question whether a claim holds."""
    flag = puzzle.question["flag"]
    question = ask_claim(position, flag)
    is_refusing = request.GET.get("answer") == "no"
    return {"question": question, "board": question.board, "flag_in_question": flag, "is_refusing": is_refusing}


def build_best_question(request: HttpRequest, puzzle: Puzzle, position: Position) -> dict[str, Any]:
    """Return the question which card is best, with what is chosen so far."""
    question = ask_best(position, request.GET.get(CHOSEN, ""), request.GET.get("action", ""))
    return {"question": question, "board": question.board, "turn": position.scene.turn}


def build_solution(puzzle: Puzzle, position: Position, answer: Answer, again: Json | None) -> dict[str, Any]:
    """Return the solution, with the reader's first answer or a further one."""
    given = answer.answer if again is None else again
    is_good = answer.is_right if again is None else puzzle.is_right(given)
    context: dict[str, Any] = {
        "is_right": is_good,
        "is_again": again is not None,
        "share": describe_share(puzzle),
        "share_title": _("Pennant puzzle %(number)s") % {"number": puzzle.number},
        "share_result": describe_result(answer),
        "picture": draw_small_line(build_board(position.wording, position.scene)),
    }
    if puzzle.kind == Puzzle.Kind.BEST:
        best = solve_best(position, puzzle.solution, given["action"])
        context |= {"solved": best, "given": name_choice(position.wording, given["action"])}
        verdict = _("Right.") if is_good else _("Not this time.")
    else:
        claim = solve_claim(position, puzzle.question["flag"], puzzle.solution.get("card", ""))
        context |= {"solved": claim, "given": name_claim_answer(position, given)}
        verdict = describe_claim_verdict(claim, is_good=is_good)
    return context | {"verdict": verdict, "board": context["solved"].board, "flag_in_question": context["solved"].flag}


def describe_claim_verdict(claim: SolvedClaim, *, is_good: bool) -> str:
    """Return whether an answer to a claim was right, in words."""
    if is_good:
        return _("Right: not yet.") if claim.refutation else _("Right: it can.")
    if claim.refutation:
        return _("Not this time: %(refutation)s.") % {"refutation": claim.refutation}
    return _("Not this time: no unseen troop can beat it.")


def compute_share(puzzle: Puzzle) -> int | None:
    """Return how many of a hundred people were right at the first try; None while too few have tried."""
    if puzzle.first_tries < LEAST_TRIES:
        return None
    return round(100 * puzzle.first_right / puzzle.first_tries)


def describe_share(puzzle: Puzzle) -> str:
    """Return the share of people right at the first try, in words; empty while too few have tried."""
    share = compute_share(puzzle)
    return "" if share is None else _("%(share)s found it on the first try.") % {"share": f"{share}%"}


def describe_result(answer: Answer) -> str:
    """Return the reader's first answer without telling what it was."""
    if not answer.is_right:
        return _("Not solved this time")
    if answer.seconds is None:
        return _("Solved on the first try")
    return _("Solved in %(time)s, first try") % {"time": format_duration(max(1, answer.seconds))}


def find_replay(puzzle: Puzzle, position: Position) -> str:
    """Return the address of the position in the replay; empty where the reader can't open it."""
    if puzzle.match is None:
        return f"{reverse('recorded_game', args=[puzzle.recorded_game])}?turn={position.scene.number}"
    query: dict[str, str | int] = {
        "leg": puzzle.leg,
        "view": name_view(None),
        "turn": f"{DECISION_PREFIX}{puzzle.turn}",
    }
    return f"{puzzle.match.get_absolute_url()}?{urlencode(query)}"


# The picture of a puzzle, to share: the board without the answer.


@require_safe
def send_board(request: HttpRequest, kind: str, iso_day: str) -> HttpResponse:
    """Send the board of a puzzle as a PNG image, or where there's no time to draw it the picture without a table."""
    puzzle = find_of_day(kind, iso_day)
    key = f"puzzle-board:{puzzle.pk}:{get_language()}:{compute_build_id()}"
    image: bytes | None = cache.get(key)
    if image is None and may_draw(request):
        image = draw_within_share(key, PICTURE_CACHE_S, 0.0, lambda: draw_board(puzzle))
    return send_image(image or render_plain_png(), "image/png", CACHE_FOR_AN_HOUR if image else CACHE_STAND_IN)


def draw_board(puzzle: Puzzle) -> str:
    """Return the board of a puzzle as an SVG document; hands are not in it."""
    record = build_record(puzzle)
    position = read_position(record, puzzle.seat, has_hand=False)
    return draw_preview_image(
        replace(position.scene, near=0),
        find_presentation(record["game"], record["edition"], record["options"]),
        ["", ""],
        record_rules_title(record),
        result=_("Pennant puzzle %(number)s") % {"number": puzzle.number},
        heading=build_title(puzzle),
    )


# Earlier puzzles.


@dataclass(frozen=True, slots=True)
class ArchiveRow:
    """A puzzle of the list, with the reader's answer."""

    puzzle: Puzzle
    answer: Answer | None

    @property
    def title(self) -> str:
        """Return its number and question."""
        return f"{self.puzzle.number}. {build_title(self.puzzle)}"

    @property
    def url(self) -> str:
        """Return the address of its page."""
        return build_url(self.puzzle)

    @property
    def share(self) -> int | None:
        """Return how many of a hundred people were right at the first try."""
        return compute_share(self.puzzle)


@require_safe
def show_archive(request: HttpRequest) -> HttpResponse:
    """List all puzzles of a kind so far, newest first, with the reader's answers."""
    is_best = request.GET.get("kind") == Puzzle.Kind.BEST
    kind = Puzzle.Kind.BEST if is_best else Puzzle.Kind.CLAIM
    page = Paginator(list_archive(kind), PUZZLES_PER_PAGE).get_page(request.GET.get("page"))
    answers = fetch_answers(list(page), *name_solver(player_of(request)))
    if answers:
        forbid_caching(request)
    archive = reverse("puzzle_archive")
    context = {
        "page": page,
        "rows": [ArchiveRow(puzzle, answers.get(puzzle.pk)) for puzzle in page],
        "is_best": is_best,
        "links": {"claim": archive, "best": f"{archive}?{urlencode({'kind': Puzzle.Kind.BEST})}"},
    }
    return render(request, "puzzles/archive.html", context)
