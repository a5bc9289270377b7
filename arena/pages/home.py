"""The front page, first steps, the queue, the status of the arena, its figures, and the command to install."""

import hashlib
import json
import logging
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from secrets import compare_digest
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.timezone import localdate, now
from django.views.decorators.cache import never_cache
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from arena.contests.analysis.queries import fetch_analysis_figures
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.queries import count_standings, list_busiest_ladders, list_by_rating, list_main_ladders
from arena.contests.stories.services import count_rated_matches
from arena.core.errors import first_line
from arena.core.http import is_from_private_network
from arena.core.messages import gettext, gettext_lazy, ngettext, read_message
from arena.core.messages import gettext as _
from arena.matches.models import MAX_LESSON, WorkerStatus, find_lesson
from arena.matches.queries import count_waiting_uploads
from arena.matches.queue import (
    HOUR,
    MATCHES_TIMED,
    OTHER_KIND,
    WORKER_TIMEOUT,
    Hour,
    count_attempts,
    count_queued_matches,
    fetch_waiting_by_kind,
    list_hours,
    list_live_workers,
    list_queued_matches,
    list_queued_matches_of_owner,
    list_running_matches,
    list_waiting_shares,
    list_workers_since,
    places_in_queue,
)
from arena.matches.remote.queries import describe_remote_waiting, fetch_remote_figures, keep_remote_matches
from arena.matches.workers import best_capabilities, unplayable_matches
from arena.operations.health import Problem, build_registry, readiness
from arena.operations.staff_acts import EndLesson, StartLesson, carry_out
from arena.pages.bots.bot_page import build_worst_decisions
from arena.pages.bots.versions import list_languages, list_offered_versions
from arena.pages.formatting import format_count, format_duration
from arena.pages.matches.match_page import LAST
from arena.pages.matches.results import MatchRow, estimate_rows, list_rows
from arena.pages.play.lobby import find_play_door
from arena.pages.rules import build_game_name_context
from arena.pages.serving import (
    HtmxRequest,
    player_of,
    read_key,
    reader_of,
    refusal_as_message,
    refusal_in_form,
    signed_in_reader,
)
from arena.pages.svg.charts import (
    HATCH_PATTERN_SVG,
    EloAxis,
    build_elo_axis,
    draw_elo_axis_numbers,
    draw_hour_columns,
    draw_hour_lines,
    draw_rating_interval,
)
from arena.pages.tournaments.words import list_current_lines
from arena.pages.watch.showing import fetch_live_matches, list_also_live
from arena.pages.watch.spectators import build_watch_context, list_front_page_stories
from arena.runner.data_files import AUTHORS_GUIDE, STARTERS_FOLDER
from arena.runner.languages import LANGUAGES, STARTER_LANGUAGES
from arena.runner.program import Limits
from arena.runner.sandbox.base import LEVELS, LEVELS_FOR_ALL_AUTHORS, PACKAGES_LAYER

# The front page, where who has signed up goes on, and the checks of health and readiness.

LEADERS_SHOWN_PER_LADDER = 3
LADDERS_SHOWN = 3
TOURNAMENTS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class LadderTop:
    """The first bots of a ladder."""

    ladder: Ladder
    bots: int
    rows: list[dict[str, Any]]
    note: str
    """What can be said of the lead."""
    leader: Entry | None
    """The first; None while it is provisional."""


def show_front_page(request: HttpRequest) -> HttpResponse:
    """Show the front page, with a match or a recorded game in its middle that the address may ask for."""
    asked = (read_key(request.GET, "match"), read_key(request.GET, "leg"))
    at_end = request.GET.get("turn") == LAST
    watch = build_watch_context(*asked, recorded=request.GET.get("recorded", ""), at_end=at_end)
    showing = watch["showing"]
    day, stories = list_front_page_stories()
    tops, axis = list_ladder_tops()
    context = {
        **watch,
        "door": find_play_door(player_of(request)),
        "live": len(fetch_live_matches()),
        "also_live": list_also_live(showing.key if showing else ""),
        "tops": tops,
        "scale": draw_elo_axis_numbers(axis),
        "day": day,
        "is_today": day == localdate(),
        "matches": count_rated_matches(day) if day else 0,
        "tournaments": list_current_lines(request.user, TOURNAMENTS_SHOWN),
        "stories": stories,
        **build_worst_decisions(request),
    }
    return render(request, "home/front.html", context)


def list_ladder_tops() -> tuple[list[LadderTop], EloAxis]:
    """Return the first bots of the main ladders and then of those with most bots, and the axis of their ratings."""
    ladders = {one.pk: one for one in [*list_main_ladders(), *list_busiest_ladders(LADDERS_SHOWN)]}
    chosen = list(ladders.values())[:LADDERS_SHOWN]
    listed = [(ladder, list(list_by_rating(ladder)[:LEADERS_SHOWN_PER_LADDER])) for ladder in chosen]
    axis = build_elo_axis((entry.rating, entry.margin_95) for _ladder, entries in listed for entry in entries)
    return [describe_top(ladder, entries, axis) for ladder, entries in listed if entries], axis


def describe_top(ladder: Ladder, entries: Sequence[Entry], axis: EloAxis) -> LadderTop:
    """Return the top of a ladder. A place counts every bot on the list; a provisional one has none."""
    rows = [
        {
            "place": place if entry.is_ranked else None,
            "entry": entry,
            "interval": draw_rating_interval(axis, entry.rating, entry.margin_95, is_provisional=not entry.is_ranked),
        }
        for place, entry in enumerate(entries, start=1)
    ]
    first, second = (entries[0], entries[1] if len(entries) > 1 else None)
    names = {"first": first.version.bot.name, "second": second.version.bot.name if second else ""}
    if not first.is_ranked:
        note = _("%(first)s is provisional, so no bot leads yet.") % names
    elif second and first.rating - first.margin_95 <= second.rating + second.margin_95:
        note = _("%(first)s leads, with %(second)s within the margin.") % names
    else:
        note = _("%(first)s leads.") % names
    return LadderTop(ladder, count_standings(ladder), rows, note, first if first.is_ranked else None)


@login_required
def show_welcome(request: HttpRequest) -> HttpResponse:
    """Show somebody who has just signed up what there is to do."""
    return render(request, "home/welcome.html", {"door": find_play_door(player_of(request))})


@never_cache
def report_health(request: HttpRequest) -> JsonResponse:
    """Report whether pages can be served: whether the database answers. Workers have their own check."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "no database"}, status=503)
    return JsonResponse({"status": "ok"})


@never_cache
def report_readiness(request: HttpRequest) -> JsonResponse:
    """Report whether all is there that pages and matches need; which part isn't, why, and since when."""
    problems = readiness.look()
    parts = {
        part: {"ok": False, "reason": problems[part].reason, "since": problems[part].since}
        if part in problems
        else {"ok": True}
        for part in readiness.parts
    }
    status = {"status": "not ready" if problems else "ok", "parts": parts}
    return JsonResponse(status, status=503 if problems else 200)


# Hand out the command `pennant` of the version that runs here.


def show_installation(request: HttpRequest) -> HttpResponse:
    """Show how to install the command. Installers read the page, too: it links to the wheel, with its hash."""
    wheel = find_wheel()
    context = {
        "wheel": wheel,
        "sha256": hash_file(wheel, wheel.stat().st_mtime) if wheel else "",
        "site": request.build_absolute_uri("/").rstrip("/"),
        "source_url": settings.SOURCE_URL,
    }
    return render(request, "home/install.html", context)


def download_wheel(request: HttpRequest, name: str) -> FileResponse:
    """Send the wheel. Raises Http404 where there is none of this name."""
    wheel = find_wheel()
    if wheel is None or wheel.name != name:
        raise Http404(_("There's no such file. The current one is on the install page."))
    return FileResponse(wheel.open("rb"), as_attachment=True, content_type="application/zip")


def find_wheel() -> Path | None:
    """Return the wheel that was built when the arena was started."""
    return next(settings.WHEEL_DIR.glob("*.whl"), None)


@lru_cache(maxsize=4)
def hash_file(file: Path, changed_at: float) -> str:
    """Return the SHA-256 of a file in hex, computed once until it changes."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


# Give the figures of the arena to Prometheus, and to nobody who isn't meant to read them.

REGISTRY = build_registry()
BEARER_SCHEME = "Bearer "
TOKEN_WANTED = "Send the token in PENNANT_METRICS_TOKEN as a header: Authorization: Bearer TOKEN.\n"
PRIVATE_ADDRESS_WANTED = "Only private addresses can read the metrics unless PENNANT_METRICS_TOKEN is set.\n"


@never_cache
def report_metrics(request: HttpRequest) -> HttpResponse:
    """Return all figures in Prometheus' text format, or say in one line why not."""
    if refusal := find_refusal(request):
        return HttpResponse(refusal, status=403, content_type="text/plain; charset=utf-8")
    try:
        return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_PLAIN_0_0_4)
    except DatabaseError:
        return HttpResponse("The database doesn't answer.\n", status=503, content_type="text/plain; charset=utf-8")


def find_refusal(request: HttpRequest) -> str:
    """Return why this request may not read them; empty where it may."""
    if not settings.METRICS_TOKEN:
        return "" if is_from_private_network(request) else PRIVATE_ADDRESS_WANTED
    given = request.headers.get("Authorization", "")
    wanted = f"{BEARER_SCHEME}{settings.METRICS_TOKEN}"
    return "" if compare_digest(given.encode(), wanted.encode()) else TOKEN_WANTED


# Show the queue: running and waiting matches, the workers, and problems that stop the queue.

QUEUED_MATCHES_SHOWN = 20
OWN_MATCHES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class QueueWorker:
    """A worker as its panel shows it."""

    status: WorkerStatus
    waiting_share: float | None
    """The part of the time of its latest matches in which their bots used no processor; None without any."""

    @property
    def level_description(self) -> str:
        """Return the meaning of its level of isolation."""
        return gettext(LEVELS[self.status.level]) if self.status.level in LEVELS else ""

    @property
    def is_for_all(self) -> bool:
        """Return whether its sandbox is good enough for bots of all authors."""
        return self.status.level in LEVELS_FOR_ALL_AUTHORS

    @property
    def layers(self) -> list[dict[str, Any]]:
        """The layers of its sandbox with their test results."""
        layers = self.status.report.get("layers", [])
        return [layer | {"what": read_message(layer["what"])} for layer in layers]

    @property
    def open_layers(self) -> list[dict[str, Any]]:
        """The layers that do not hold."""
        return [layer for layer in self.layers if not layer["holds"]]

    @property
    def noted_layers(self) -> list[dict[str, Any]]:
        """The layers that the status page names: those that don't hold, and packages that take much memory."""
        takes_much = (self.status.report.get("packages") or {}).get("takes_much_memory", False)
        return [one for one in self.layers if not one["holds"] or (takes_much and one["name"] == PACKAGES_LAYER)]

    @property
    def languages(self) -> list[dict[str, Any]]:
        """The languages it has tested."""
        languages: list[dict[str, Any]] = self.status.report.get("languages", [])
        return languages

    @property
    def missing(self) -> list[dict[str, Any]]:
        """The languages that it does not run."""
        missing = (language for language in self.languages if language["version"] is None)
        return [language | {"advice": read_message(language["advice"])} for language in missing]

    @property
    def fingerprint(self) -> int:
        """A checksum of the tables. An opened table is not replaced while this stays the same."""
        return zlib.crc32(json.dumps([self.status.report.get("layers"), self.languages]).encode())


def show_queue(request: HtmxRequest) -> HttpResponse:
    """Show the queue, or its live part."""
    workers = list(list_live_workers())
    working = [worker for worker in workers if worker.level]
    able = [worker for worker in working if worker.is_able]
    shares = list_waiting_shares(MATCHES_TIMED)
    capabilities = best_capabilities(able)
    reader = reader_of(request)
    running, waiting = (
        list(list_running_matches(reader, QUEUED_MATCHES_SHOWN)),
        list_queued_matches(reader, QUEUED_MATCHES_SHOWN),
    )
    own = list(list_queued_matches_of_owner(reader, OWN_MATCHES_SHOWN)) if reader else []
    rows = iter(estimate_rows(list_rows([*running, *own, *waiting], reader=reader)))
    remote = describe_remote_waiting([match.pk for match in waiting])
    context = {
        "running": list(islice(rows, len(running))),
        "own": list_own_rows(list(islice(rows, len(own)))),
        "waiting": [(row, remote.get(row.match.pk, "")) for row in rows],
        "waiting_count": count_queued_matches(),
        "analyses": fetch_analysis_figures(),
        "uploads": count_waiting_uploads(),
        "workers": [QueueWorker(worker, shares.get(worker.worker)) for worker in workers],
        "lesson": find_lesson(),
        "is_blocked": bool(workers) and not working,
        "is_drained": bool(working) and not able,
        "has_open_channel": bool(capabilities) and not any(one.is_for_rated for one in capabilities),
        "is_for_some": bool(able) and not any(worker.level in LEVELS_FOR_ALL_AUTHORS for worker in able),
        "stuck_count": (stuck := unplayable_matches(capabilities)).count() - keep_remote_matches(stuck).count(),
        "remote": fetch_remote_figures(),
        "hint": next((worker.hint for worker in workers if worker.hint), None),
    }
    template = "home/_queue.html" if request.htmx else "home/queue.html"
    return render(request, template, context)


def list_own_rows(rows: Sequence[MatchRow]) -> list[dict[str, Any]]:
    """Return the rows with their places in the queue, and about when they begin."""
    places = places_in_queue([row.match for row in rows])
    return [
        {
            "row": row,
            "waiting": waiting,
            "begins_at": None if waiting.seconds is None else now() + timedelta(seconds=waiting.seconds),
        }
        for row in rows
        for waiting in [places[row.match.pk]]
    ]


# Start a lesson, and end it, as staff.


class LessonForm(forms.Form):
    """The end of a lesson, and why it is held."""

    until = forms.CharField(
        label=gettext_lazy("Ends at"), max_length=40, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )
    why = forms.CharField(
        label=gettext_lazy("Why"), max_length=500, help_text=gettext_lazy("Recorded in the audit log.")
    )


@login_required
def manage_lesson(request: HttpRequest) -> HttpResponse:
    """Start a lesson, change its end, or end it: all by staff alone."""
    staff = signed_in_reader(request)
    if not staff.is_staff:
        raise PermissionDenied
    form = LessonForm(request.POST if request.method == "POST" and "until" in request.POST else None)
    if form.is_bound and form.is_valid():
        with refusal_in_form(form, "until"):
            act = StartLesson(form.cleaned_data["until"])
            messages.success(request, carry_out(act, by=staff, why=form.cleaned_data["why"]))
            return redirect("queue")
    elif request.method == "POST" and not form.is_bound:
        with refusal_as_message(request):
            messages.success(request, carry_out(EndLesson(), by=staff, why=request.POST.get("why", "")))
        return redirect("queue")
    context = {"form": form, "lesson": find_lesson(), "hours": MAX_LESSON // timedelta(hours=1)}
    return render(request, "home/lesson.html", context, status=400 if form.errors else 200)


# The first steps, from nothing to a rated bot, and the sample bots to start from.

BOT_START_COMMANDS = {
    "python": "python3 bot.py",
    "javascript": "node bot.js",
    "java": "java -cp bot.jar Bot",
}
"""The command that starts a bot, by language, where it is not the bot itself."""
ZIP_TIMESTAMP = (2000, 1, 1, 0, 0, 0)


def show_first_steps(request: HttpRequest) -> HttpResponse:
    """Show the first steps."""
    chosen = request.GET.get("language", "")
    context = {
        **build_game_name_context(),
        "ladders": list_main_ladders(),
        "chosen": LANGUAGES[chosen if chosen in STARTER_LANGUAGES else STARTER_LANGUAGES[0]],
        "starters": [LANGUAGES[key] for key in STARTER_LANGUAGES],
        "guides": [
            {
                "language": language,
                "version": version,
                "command": BOT_START_COMMANDS.get(language.key, "./bot"),
                "has_starter": language.key in STARTER_LANGUAGES,
            }
            for language, version in list_languages()
        ],
        "packages": list_offered_versions(),
        "limits": Limits(),
        "site": request.build_absolute_uri("/").rstrip("/"),
        "source_url": settings.SOURCE_URL,
    }
    return render(request, "home/start.html", context)


def download_starter(request: HttpRequest, language: str) -> HttpResponse:
    """Send a sample bot as a zip that can be uploaded as it is. Raises Http404 where there is none."""
    if language not in STARTER_LANGUAGES:
        raise Http404(_("No sample bot in this language."))
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for path in sorted((STARTERS_FOLDER / language).iterdir()):
            archive.writestr(ZipInfo(path.name, ZIP_TIMESTAMP), path.read_bytes())
    return HttpResponse(
        packed.getvalue(),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{language}.zip"'},
    )


def download_protocol(request: HttpRequest) -> FileResponse:
    """Send the guide for authors, with the protocol and transcripts."""
    return FileResponse(AUTHORS_GUIDE.open("rb"), content_type="text/plain; charset=utf-8")


# Show people whether the arena is up, what waits, and what the last day was like.

logger = logging.getLogger(__name__)

HOURS_SHOWN = 24
KEPT_HOURS = "hours-that-are-over"
FAILURES_PERIOD = timedelta(minutes=15)
MOST_FAILURES = 1 / 20
"""The part of the attempts of that time that may fail before the page says so."""


@dataclass(frozen=True, slots=True)
class ArenaPart:
    """A part of the arena that `readiness` looks at, in words for everybody."""

    name: str | Promise
    fine: str | Promise
    broken: str | Promise
    """Its state in a word or two where it isn't fine."""
    effect: str | Promise
    """What that means for readers."""
    is_vital: bool = True
    """Whether nothing goes on without it; without another part, things are late."""


OK = gettext_lazy("OK")
DOWN = gettext_lazy("down")
ARENA_PARTS = {
    "database": ArenaPart(gettext_lazy("Database"), OK, DOWN, gettext_lazy("Pages and matches fail.")),
    "migrations": ArenaPart(
        gettext_lazy("Schema"),
        gettext_lazy("up to date"),
        gettext_lazy("wrong version"),
        gettext_lazy("Pages and matches may fail."),
    ),
    "workers": ArenaPart(
        gettext_lazy("Workers"),
        OK,
        DOWN,
        gettext_lazy("No worker with a working sandbox has reported recently, so no matches are being played."),
    ),
    "broker": ArenaPart(
        gettext_lazy("Message queue"), OK, DOWN, gettext_lazy("Matches start later than usual."), is_vital=False
    ),
}
"""The parts that are described, by their keys in `readiness`."""
MATCH_KINDS = {
    "trial": gettext_lazy("Trials"),
    "ladder": gettext_lazy("Ladder matches"),
    "comparison": gettext_lazy("Comparisons"),
    "tournament": gettext_lazy("Tournaments"),
    "challenge": gettext_lazy("Challenges"),
    OTHER_KIND: gettext_lazy("Other"),
}


def show_status(request: HttpRequest) -> HttpResponse:
    """Show the status of the arena. Without a database, that alone is told."""
    problems = readiness.look()
    parts = [describe_part(part, problems.get(part)) for part in readiness.parts]
    context = {
        "parts": parts,
        "is_up": all(part["is_fine"] or part["is_degraded"] for part in parts),
        "is_degraded": bool(problems),
    }
    try:
        context |= build_figures(now()) | {"remote": fetch_remote_figures()}
    except DatabaseError as error:
        logger.warning("The status page has no figures, as the database failed: %s", first_line(error))
        context["is_unknown"] = True
    return render(request, "home/status.html", context)


def describe_part(part: str, problem: Problem | None) -> dict[str, Any]:
    """Return how a part is in words for everybody, and since when it isn't fine, as far as known."""
    described = ARENA_PARTS.get(part, ArenaPart(part, OK, DOWN, ""))
    if problem is None:
        return {"name": described.name, "is_fine": True, "state": described.fine}
    return {
        "name": described.name,
        "is_fine": False,
        "is_degraded": not described.is_vital,
        "state": described.broken,
        "sentence": described.effect,
        "since": problem.since,
    }


def build_figures(at: datetime) -> dict[str, Any]:
    """Return workers, queue and pictures."""
    hours = fetch_hours(at)
    workers = list_workers_since(at - HOURS_SHOWN * HOUR)
    failed, attempts = count_attempts(at - FAILURES_PERIOD)
    waiting = fetch_waiting_by_kind()
    return {
        "hatched": HATCH_PATTERN_SVG,
        "trouble": describe_trouble(failed, attempts),
        "workers": [(QueueWorker(worker, None), worker.seen_at < at - WORKER_TIMEOUT) for worker in workers],
        "waiting": sum(one.matches for one in waiting.values()),
        "queue": [
            {"name": MATCH_KINDS[kind], "matches": one.matches, "oldest": one.oldest}
            for kind, one in waiting.items()
            if one.matches or kind != OTHER_KIND
        ],
        "pictures": [picture_matches(hours), picture_waiting(hours), picture_attempts(hours)],
    }


def describe_trouble(failed: int, attempts: int) -> str:
    """Return why matches are delayed, if so many attempts to play one failed; else an empty text."""
    if failed <= MOST_FAILURES * attempts:
        return ""
    text = gettext(
        "The arena is busy: %(failed)s of %(attempts)s attempts to play a match failed in the last 15 "
        "minutes. They'll be retried; no bot loses because of it."
    )
    return text % {"failed": format_count(failed), "attempts": format_count(attempts)}


def fetch_hours(at: datetime) -> list[Hour]:
    """Return the hours shown, the one that goes on last. Those that are over don't change, so they are kept."""
    current = at.replace(minute=0, second=0, microsecond=0)
    first = current - (HOURS_SHOWN - 1) * HOUR
    over = [hour for hour in (Hour(*row) for row in cache.get(KEPT_HOURS, ())) if first <= hour.begins_at < current]
    if not over or over[0].begins_at != first:
        over = []
    if len(over) < HOURS_SHOWN - 1:
        over += list_hours(first + len(over) * HOUR, current)
        cache.set(KEPT_HOURS, [tuple(hour) for hour in over], HOURS_SHOWN * HOUR / timedelta(seconds=1))
    return over + list_hours(current, at)


def picture_matches(hours: Sequence[Hour]) -> dict[str, Any]:
    """Return how many matches ended with a result, as a chart with its numbers by hour, the newest first."""
    total = sum(hour.matches for hour in hours)
    words = ngettext("%(count)s match in 24 hours", "%(count)s matches in 24 hours", total)
    legend = words % {"count": format_count(total)}
    times = [hour.begins_at for hour in hours]
    drawing = draw_hour_columns(times, [([hour.matches for hour in hours], "var(--ink)")], legend, format_count)
    rows = [(hour.begins_at, [format_count(hour.matches)]) for hour in reversed(hours)]
    columns, title = [gettext("Matches")], gettext("Matches per hour")
    return {"key": "matches", "title": title, "legend": legend, "drawing": drawing, "columns": columns, "rows": rows}


def picture_waiting(hours: Sequence[Hour]) -> dict[str, Any]:
    """Return how long matches had waited before they were played."""
    drawing = draw_hour_lines(
        [hour.begins_at for hour in hours],
        [hour.median_wait_s for hour in hours],
        [hour.p95_wait_s for hour in hours],
        gettext("Match waiting times by hour; numbers in the table below"),
        format_duration,
    )
    rows = [
        (hour.begins_at, [format_wait(hour.median_wait_s), format_wait(hour.p95_wait_s)]) for hour in reversed(hours)
    ]
    legend = gettext("solid: median; dashed: 95th percentile")
    columns = [gettext("Median"), gettext("95th percentile")]
    title = gettext("Waiting time")
    return {"key": "waiting", "title": title, "legend": legend, "drawing": drawing, "columns": columns, "rows": rows}


def picture_attempts(hours: Sequence[Hour]) -> dict[str, Any]:
    """Return how many attempts to play a match the arena failed. None of them counts for a bot."""
    lost, failed = [hour.lost for hour in hours], [hour.failed for hour in hours]
    words = gettext("Last 24 hours: worker stopped in %(lost)s attempts, arena failed in %(failed)s") % {
        "lost": format_count(sum(lost)),
        "failed": format_count(sum(failed)),
    }
    kinds = [(failed, "var(--bad)"), (lost, "url(#hatched)")]
    drawing = draw_hour_columns([hour.begins_at for hour in hours], kinds, words, format_count)
    rows = [(hour.begins_at, [format_count(hour.lost), format_count(hour.failed)]) for hour in reversed(hours)]
    legend = gettext("hatched: worker stopped; solid: arena failed. Matches are retried.")
    columns = [gettext("Worker stopped"), gettext("Arena failed")]
    title = gettext("Attempts without a result")
    return {"key": "attempts", "title": title, "legend": legend, "drawing": drawing, "columns": columns, "rows": rows}


def format_wait(seconds: float | None) -> str:
    """Return a waiting time, or a dash where no match ended."""
    return "–" if seconds is None else format_duration(seconds)
