"""A bot: rating, versions, matches and faults."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena.analysis.queries.bots import fetch_draw_luck
from arena.bots import offering
from arena.bots.models import Bot, BotVersion
from arena.bots.queries.teams import find_invitation
from arena.bots.queries.versions import list_versions
from arena.comparisons.luck import is_luck_measured
from arena.comparisons.queries.luck import find_luck_suspension
from arena.errors import ArenaError
from arena.ladders.models import Entry
from arena.ladders.queries.entries import list_current_entries
from arena.ladders.queries.standings import find_rank
from arena.ladders.services import entering
from arena.livegames.queries.opponents import find_opponent
from arena.matches.models import Match
from arena.matches.queries.bot_matches import (
    find_queue_place_of,
    list_faulty_matches,
    list_lost_matches,
    list_started_matches,
    list_unrated_matches,
)
from arena.matches.queries.lists import keep_visible_matches
from arena.matches.queries.played import attach_verdicts, list_newest_participants
from arena.messages import render_message
from arena.pages.account.following import build_follow_button
from arena.pages.bots.faults import last_fault, read_health
from arena.pages.bots.head_to_head import read_form
from arena.pages.bots.lookup import bot_or_404, own_bot_or_403
from arena.pages.bots.strength import build_rating_history, list_rivals
from arena.pages.bots.thinking import read_thinking
from arena.pages.matches.results import list_rows
from arena.pages.play.people import player_of
from arena.pages.reader import signed_in_reader
from arena.pages.svg.charts import HATCH_PATTERN_SVG, draw_fault_shares
from arena.pages.tournaments.index import list_current_lines
from arena.runner.verdict import Verdict
from arena.tournaments.queries.tournaments import list_podium_places
from engine.registry import GAMES

MATCHES_SHOWN = 8
TITLES_SHOWN = 6
TOURNAMENTS_SHOWN = 5
MAX_VERSIONS_SHOWN = 20
MAX_MATCHES_FILTERED = 100
"""A filter looks through this many of a bot's newest matches."""
AUDIENCES = {
    Bot.PlayedBy.EVERYBODY.value: gettext_lazy("everybody"),
    Bot.PlayedBy.OWNER.value: gettext_lazy("only me"),
    Bot.PlayedBy.NOBODY.value: gettext_lazy("nobody"),
}
"""Who may play live games against a bot."""
MATCH_FILTERS = {
    "": gettext_lazy("All"),
    "lost": gettext_lazy("Lost"),
    "faults": gettext_lazy("Faults"),
    "unrated": gettext_lazy("Unrated"),
}


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version as a row of its bot's versions."""

    version: BotVersion
    entry: Entry | None
    """Its entry on the ladder that the page shows."""
    legs: int
    faults: int

    @property
    def score(self) -> float | None:
        """Return its share of the points in rated matches, from 0 to 1; None before the first."""
        return self.entry.points / self.entry.matches if self.entry and self.entry.matches else None


def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a bot, its strength on one ladder, its versions and recent matches."""
    bot = bot_or_404(request, slug)
    versions = attach_verdicts(list_versions(bot))
    known = list_current_entries(request.user, bot, versions[:MAX_VERSIONS_SHOWN])
    entries = [one for one in known if one.state != Entry.State.RETIRED]
    entry = next((one for one in entries if one.ladder.edition == request.GET.get("ladder")), None)
    entry = entry or next(iter(entries), None)
    health = read_health(versions)
    played = list_newest_participants(versions, MAX_MATCHES_FILTERED)
    newest = list(played) if bot.group_id is None else keep_visible_matches(request.user, played)
    participants = list(chain(*played.values()))
    chosen, luck = request.GET.get("matches", ""), fetch_draw_luck(bot)
    rows = list_rows(choose_matches(newest, bot, chosen), bot)
    context = {
        "bot": bot,
        "is_owner": bot.has_author(request.user),
        "invitation": find_invitation(bot, request.user),
        "follow": build_follow_button(request, bot),
        "is_installed": bot.game in GAMES,
        "opponent": find_opponent(player_of(request), bot),
        "audiences": AUDIENCES,
        "entries": entries,
        "entry": entry,
        "playing": entry.version if entry else next((one for one in versions if one.is_final), None),
        "suspended": [one for one in entries if not one.is_active],
        "versions": build_version_rows(versions, [one for one in known if entry and one.ladder_id == entry.ladder_id]),
        "next_number": versions[0].number + 1 if versions else 1,
        "older": max(len(versions) - MAX_VERSIONS_SHOWN, 0),
        "rows": rows,
        "waiting": None if rows or chosen else find_queue_place_of(newest),
        "filter": chosen,
        "filters": MATCH_FILTERS,
        "looked_back": len(newest),
        "health": health,
        "health_bar": draw_fault_shares(health.clean, [(one.kind.colour, one.legs) for one in health.counts]),
        "last_fault": last_fault(participants) if health.faults else None,
        "luck": luck,
        "has_luck": is_luck_measured(bot.game),
        "luck_suspension": find_luck_suspension(bot) if luck else None,
        "tournaments": list_current_lines(request.user, TOURNAMENTS_SHOWN, bot=bot),
        "titles": list_podium_places(bot, TITLES_SHOWN),
        "thinking": read_thinking(participants),
        "hatched": HATCH_PATTERN_SVG,
        **(describe_strength(entry, versions, request.GET.get("history", "")) if entry else {}),
    }
    return render(request, "bots/detail.html", context)


def describe_strength(entry: Entry, versions: Sequence[BotVersion], history: str) -> dict[str, Any]:
    """Return what the page shows of a bot on one ladder."""
    form = read_form(entry)
    version = next(one for one in versions if one.pk == entry.version_id)
    legs = sum(version.verdicts.values())
    return {
        "low": entry.rating - entry.margin_95,
        "high": entry.rating + entry.margin_95,
        "rank": find_rank(entry),
        "history": build_rating_history(entry, history),
        "rivals": list_rivals(entry, form),
        "tally": form.tally,
        "score": entry.points / entry.matches if entry.matches else None,
        "version_legs": legs,
        "version_faults": legs - version.verdicts.get(Verdict.OK, 0),
    }


def choose_matches(newest: Sequence[int], bot: Bot, kind: str) -> QuerySet[Match]:
    """List the newest of these matches of a kind in MATCH_FILTERS."""
    if kind == "lost":
        return list_lost_matches(newest, bot.pk, MATCHES_SHOWN)
    if kind == "faults":
        return list_faulty_matches(newest, bot.pk, MATCHES_SHOWN)
    if kind == "unrated":
        return list_unrated_matches(newest, MATCHES_SHOWN)
    return list_started_matches(newest, MATCHES_SHOWN)


def build_version_rows(versions: Sequence[BotVersion], entries: Sequence[Entry]) -> list[VersionRow]:
    """Return the newest versions, each with its entry among these, which are of one ladder."""
    own = {one.version_id: one for one in entries}
    rows = []
    for version in versions[:MAX_VERSIONS_SHOWN]:
        played = sum(version.verdicts.values())
        rows.append(VersionRow(version, own.get(version.pk), played, played - version.verdicts.get(Verdict.OK, 0)))
    return rows


@require_POST
@login_required
def resume_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a bot play again wherever it was suspended."""
    return change_bot(request, own_bot_or_403(request, slug), entering.resume_bot, _("%(name)s plays again."))


@require_POST
@login_required
def pause_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Suspend a bot until its owner resumes it."""
    return change_bot(request, own_bot_or_403(request, slug), entering.pause_bot, _("%(name)s is paused."))


@require_POST
@login_required
def offer_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose who may play live games against a bot."""
    chosen = partial(offering.offer_bot, played_by=request.POST.get("played_by", ""))
    done = _("Saved who may play live games against %(name)s.")
    return change_bot(request, own_bot_or_403(request, slug), chosen, done)


def change_bot(request: HttpRequest, bot: Bot, change: Callable[..., None], done: str) -> HttpResponse:
    """Change the bot and say how that went."""
    try:
        change(bot=bot, owner=signed_in_reader(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        messages.success(request, done % {"name": bot.name})
    return redirect(bot)
