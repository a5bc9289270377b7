"""Export a tournament: standings as CSV, all of it as JSON, and an archive of pages that work from disk."""

import csv
import json
import re
import threading
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache, cached_property
from html import unescape
from io import RawIOBase, StringIO
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import orjson
from django.contrib.staticfiles import finders
from django.core.serializers.json import DjangoJSONEncoder
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.safestring import SafeString
from django.utils.timezone import localtime, now
from django.utils.translation import get_language, override
from rcssmin import cssmin
from rjsmin import jsmin

from arena.contests.comparisons.services import is_deal_in_play
from arena.contests.tournaments.document import (
    DOCUMENT_FORMAT,
    DOCUMENT_PATH,
    INDEX_PATH,
    MANIFEST_PATH,
    REPLAY_SCRIPT_PATH,
    SCRIPT_PATH,
    STANDINGS_PATH,
    STYLE_PATH,
    ArchiveManifest,
    build_record_path,
    build_replay_path,
    build_round_path,
    compute_deal_number,
)
from arena.contests.tournaments.models import Entrant, OrganiserAct, Round, Tournament
from arena.contests.tournaments.overview import Overview, PairingOverview, fetch_matches, fetch_overview
from arena.contests.tournaments.phases import Phase, find_round_reached
from arena.contests.tournaments.queries import MatchFacts, fetch_match_facts, list_acts
from arena.contests.tournaments.services.access import NoArchive, check_archivable, find_tournament_by_key
from arena.contests.tournaments.services.matches import fetch_revealed_secret
from arena.contests.tournaments.standings import TIE_BREAKS, Standing
from arena.core.http import HeldStream, forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import render_message
from arena.matches.models import Leg, Match
from arena.matches.queries import find_finished_match, list_legs, list_legs_with_records, list_seats
from arena.pages.formatting import CSV_START, escape_spreadsheet_formula, rules_title
from arena.pages.matches.frames import build_frames
from arena.pages.matches.match_page import build_leg_context
from arena.pages.matches.replay import play_back
from arena.pages.serving import tournament_or_404
from arena.pages.svg.icons import ICON_SHEET_PATH
from arena.pages.tournaments.rounds import build_round_attempt
from arena.pages.tournaments.tournament_page import build_results, describe_tournament, draw_ending
from arena.people.groups.models import Audience
from arena.runner.data_files import join_style_sheets
from engine.registry import GAMES

# Export a tournament: its standings as CSV, and all of it as JSON.

SCORE_COLUMNS = ("score", "points", "game_points", "played", "wins", "draws", "losses", "byes")
PHASE_COLUMNS = ("group", "first_phase_place", "knockout_reached")
TIE_BREAK_COLUMNS = tuple(key for key, *_rest in TIE_BREAKS if key not in SCORE_COLUMNS)

PHASE_FIELDS = ("number", "key", "first_round", "rounds_over", "rounds_planned")


class SupportsWrite(Protocol):
    """A file or a response that takes text."""

    def write(self, text: str, /) -> Any:
        """Take a text."""


def standings_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the standings as CSV, best first; before the start, the entrants. Raise Http404.

    The last columns are of the first of two phases; they are empty in a tournament of one.
    """
    overview = fetch_overview(tournament_or_404(request, slug))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}.csv"'
    write_standings(overview, response)
    return response


def write_standings(overview: Overview, file: SupportsWrite) -> None:
    """Write the standings as CSV."""
    file.write(CSV_START)
    writer = csv.writer(file)
    faults = Counter(fault.entrant for fault in overview.faults)
    writer.writerow(
        [
            "place",
            "seed",
            "bot",
            "author",
            "version",
            "state",
            *SCORE_COLUMNS,
            *TIE_BREAK_COLUMNS,
            "faults",
            *PHASE_COLUMNS,
            "decided_by_organiser",
        ]
    )
    earlier = find_earlier_places(overview)
    for standing in overview.standings if overview.field else []:
        entrant = overview.by_number[standing.number]
        values = [getattr(standing, name) for name in (*SCORE_COLUMNS, *TIE_BREAK_COLUMNS)]
        row = [standing.place or None, standing.number, *name_entrant(entrant), *values, faults[standing.number]]
        row += earlier.get(standing.number, [None] * len(PHASE_COLUMNS))
        row.append(overview.given_counts[standing.number])
        writer.writerow([escape_spreadsheet_formula("" if value is None else value) for value in row])
    for entrant in overview.entrants:
        if entrant.number is None:
            writer.writerow(
                [
                    "",
                    "",
                    *map(escape_spreadsheet_formula, name_entrant(entrant)),
                    *[""] * (len(SCORE_COLUMNS + TIE_BREAK_COLUMNS + PHASE_COLUMNS) + 2),
                ]
            )


def find_earlier_places(overview: Overview) -> dict[int, list[Any]]:
    """Return by seed the cells of the first of two phases: group, place there, and how far each came afterwards.

    The last is 1 for the winner, 2 in the final, 3 for who has won the match for third place, then 4, 8 and so on.
    """
    if not overview.field or not overview.has_phases:
        return {}
    reached = {
        standing.number: find_round_reached(standing, overview.phases, overview.settings)
        for standing in overview.standings
    }
    return {
        standing.number: [table.name or None, standing.place or None, reached[standing.number]]
        for table in overview.phases[0].tables
        for standing in table.standings
    }


def name_entrant(entrant: Entrant) -> list[Any]:
    """Return the cells that identify an entrant."""
    return [entrant.bot.name, ", ".join(entrant.bot.author_names), entrant.version.number, entrant.state]


def tournament_json(request: HttpRequest, slug: str) -> HttpResponse:
    """Send a tournament as JSON. Raise Http404."""
    overview = fetch_overview(tournament_or_404(request, slug), is_wanted=lambda _round: True)
    fetch_matches(overview)
    options = orjson.OPT_INDENT_2 | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS
    content = orjson.dumps(export_tournament(overview), DjangoJSONEncoder().default, options)
    response = HttpResponse(content, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{slug}.json"'
    return response


def export_tournament(overview: Overview) -> dict[str, Any]:
    """Return a tournament as JSON."""
    tournament = overview.tournament
    facts = fetch_match_facts(tournament)
    names = (
        "slug",
        "title",
        "description",
        "game",
        "edition",
        "options",
        "changed_options",
        "settings",
        "is_rated",
        "is_low_priority",
        "allows_remote",
        "entries_close_at",
        "max_entrants",
        "max_entrants_per_author",
        "state",
        "commitment",
        "created_at",
        "started_at",
        "finished_at",
    )
    return {
        "format": DOCUMENT_FORMAT,
        **{name: getattr(tournament, name) for name in names},
        "state_reason": str(tournament.state_reason or ""),
        "organiser": tournament.organiser.username,
        "secret": fetch_revealed_secret(tournament),
        "entrants": [export_entrant(entrant) for entrant in overview.entrants],
        "rounds": [export_round(overview, round, facts) for round in overview.rounds],
        "standings": [export_standing(standing) for standing in overview.standings] if overview.field else [],
        "phases": [export_phase(phase) for phase in overview.phases] if overview.field else [],
        "faults": [asdict(fault) for fault in overview.faults] if overview.field else [],
        "decisions": [export_act(act) for act in list_acts(tournament, as_organiser=False)],
        "missing_rounds": str(overview.missing_rounds or ""),
        "forecast": tournament.forecast,
    }


def export_act(act: OrganiserAct) -> dict[str, Any]:
    """Return what an organiser decided as JSON."""
    return {
        "at": act.at,
        "by": act.actor.username if act.actor else None,
        "act": act.act,
        "text": str(act.text),
        "reason": act.reason,
    }


def export_standing(standing: Standing) -> dict[str, Any]:
    """Return a standing as JSON; who was disqualified has no place."""
    return {**read_fields(standing), "place": standing.place or None}


def read_fields(row: Any) -> dict[str, Any]:
    """Return the values of a dataclass by their names, as they are: `asdict` copies each of thousands of lists."""
    return {field.name: getattr(row, field.name) for field in fields(row)}


def export_phase(phase: Phase) -> dict[str, Any]:
    """Return a phase as JSON, with its standings: of groups, a table for each."""
    tables = [{"name": one.name, "standings": list(map(export_standing, one.standings))} for one in phase.tables]
    return {**{name: getattr(phase, name) for name in PHASE_FIELDS}, "tables": tables}


def export_entrant(entrant: Entrant) -> dict[str, Any]:
    """Return an entrant as JSON."""
    return {
        "number": entrant.number,
        "bot": entrant.bot.slug,
        "name": entrant.bot.name,
        "author": entrant.bot.owner.username,
        "authors": entrant.bot.author_names,
        "version": entrant.version.number,
        "is_remote": entrant.bot.is_remote,
        "declared": entrant.version.declared,
        "state": entrant.state,
        "state_reason": str(entrant.state_reason or ""),
        "entered_late": entrant.entered_late,
        "skipped_version": entrant.skipped_version,
        "rating": entrant.rating,
        "left_in_round": entrant.left_in_round,
        "place": entrant.place,
    }


def export_round(overview: Overview, round: Round, facts: Mapping[int, MatchFacts]) -> dict[str, Any]:
    """Return a round as JSON."""
    names = ("number", "attempt", "is_latest_attempt", "started_at", "finished_at")
    return {
        **{name: getattr(round, name) for name in names},
        "order": overview.draw_orders[round.pk],
        "replay_reason": str(round.replay_reason or ""),
        "pairings": [export_board(overview, round, board, facts) for board in overview.boards.get(round.pk, [])],
    }


def export_board(
    overview: Overview, round: Round, board: PairingOverview, facts: Mapping[int, MatchFacts]
) -> dict[str, Any]:
    """Return a pairing as JSON."""
    return {
        "board": board.number,
        "name": board.name,
        "must_decide": board.must_decide,
        "is_over": board.is_over,
        "played": board.played,
        "entrants": board.numbers,
        "points": board.points if board.is_over else None,
        "scores": board.game_points if board.is_over else None,
        "given_points": board.given_points,
        "given_reason": board.given_reason,
        "decisions": [export_decision(overview, decision) for decision in board.decisions],
        "matches": [
            {
                "id": match.match,
                "number": match.number,
                "deal": compute_deal_number(round.attempt, round.number, board.number, match.number),
                "counts": match.counts,
                "state": match.state,
                "points": match.points or None,
                **read_fields(facts[match.match]),
            }
            for match in board.matches
        ],
    }


def export_decision(overview: Overview, decision: Mapping[str, Any]) -> dict[str, Any]:
    """Return a decision on a pairing as JSON; of the rounds drawn by then, those that are shown are counted."""
    return {
        "at": decision["at"],
        "after": sum(order <= decision["after"] for order in overview.whole_orders.values()),
        "given_points": decision["points"],
        "given_before": decision["given_before"],
        "reason": decision["reason"],
    }


# Style sheets, scripts and icons in one piece each: browsers load neither modules nor fonts from files on disk.

ARCHIVED_STYLE_SHEETS = ("css/site.css", "css/watch.css")
PAGE_SCRIPTS = ("js/archive.js", "js/copy.js")
REPLAY_MODULES = ("js/motion.js", "js/replay_player.js", "js/replay.js")
"""The viewer's modules, each after those that it imports."""
JS_IMPORT = re.compile(r"""^import \{[\w, ]+\} from "[\w./]+";\n""", re.MULTILINE)
JS_EXPORT = re.compile(r"^export ", re.MULTILINE)


def read_static_file(path: str) -> bytes:
    """Return a static file as it is in the source."""
    found = finders.find(path)
    if not isinstance(found, str):
        raise FileNotFoundError(path)
    return Path(found).read_bytes()


@cache
def build_style_sheet() -> str:
    """Return all style sheets as one, with fonts and pictures inside."""
    sheet: str = cssmin(join_style_sheets(ARCHIVED_STYLE_SHEETS, read_static_file))
    return sheet


@cache
def build_script(modules: Sequence[str]) -> str:
    """Return modules, each after those that it imports, as one classic script."""
    parts = [JS_EXPORT.sub("", JS_IMPORT.sub("", read_static_file(path).decode())) for path in modules]
    script: str = jsmin('(() => {\n"use strict";\n' + "\n".join(parts) + "\n})();\n")
    return script


@cache
def read_icon_sheet() -> SafeString:
    """Return the icons, to stand in each page: browsers take none from another file on disk."""
    return SafeString(read_static_file(ICON_SHEET_PATH).decode())


# Turn the links of the site's pages into links between the files of an archive.

LINK_PATTERN = re.compile(r' href="(/[^"]*)"')
MATCH_PATH = re.compile(r"/matches/(\d+)/")
ROUND_PATH = re.compile(r"rounds/(\d+)/")


@dataclass(frozen=True, slots=True)
class ArchiveLinks:
    """Where links of the tournament's pages lead in its archive."""

    home: str
    """Path of the tournament's page on the site."""
    arena: str
    """Address of the arena, for what the archive doesn't have."""
    replays: Collection[tuple[int, int]]
    """Matches and legs with a page."""
    icons: str = field(default_factory=lambda: static(ICON_SHEET_PATH))
    """Address of the icons on the site."""

    def rewrite(self, html: str, root: str) -> str:
        """Return HTML of the site for a page of the archive; `root` is the way from that page to the first one."""
        html = html.replace(f'href="{self.icons}#', 'href="#')
        return LINK_PATTERN.sub(lambda found: self._rewrite_link(found[1], root), html)

    def _rewrite_link(self, address: str, root: str) -> str:
        """Return the attribute for a link; an empty text for a match that the archive doesn't have.

        The address is as it stands in the HTML.
        """
        url = urlsplit(unescape(address))
        if found := MATCH_PATH.fullmatch(url.path):
            leg = int(parse_qs(url.query).get("leg", ["1"])[0])
            key = (int(found[1]), leg)
            return f' href="{root}{build_replay_path(*key)}"' if key in self.replays else ""
        own = self._find_own(url.path)
        return f' href="{root}{own}"' if own else f' href="{self.arena}{address}"'

    def _find_own(self, path: str) -> str:
        """Return the file for a path below the tournament's page; an empty text for another one."""
        rest = path.removeprefix(self.home) if path.startswith(self.home) else None
        known = {"": INDEX_PATH, "standings.csv": STANDINGS_PATH, "tournament.json": DOCUMENT_PATH}
        if rest is None or rest in known:
            return known[rest] if rest is not None else ""
        found = ROUND_PATH.fullmatch(rest)
        return build_round_path(int(found[1])) if found else ""


# Build the files of an archive, one after the other: a large tournament is never whole in memory.

WAY_UP = "../"
"""The way from a page in a folder to the first page."""
ArchivedFile = tuple[str, bytes]


@dataclass
class TournamentArchive:
    """The archive of a tournament that is over, as everybody sees it who may see the tournament."""

    tournament: Tournament
    arena: str
    """Address of the arena."""
    language: str
    manifest: ArchiveManifest = field(init=False)

    def __post_init__(self) -> None:
        self.manifest = ArchiveManifest(
            origin=f"{self.arena}{self.tournament.get_absolute_url()}",
            language=self.language,
            made_at=now().isoformat(timespec="seconds"),
        )

    @cached_property
    def overview(self) -> Overview:
        """Return the tournament with all rounds and matches."""
        overview = fetch_overview(self.tournament, is_wanted=lambda _round: True)
        fetch_matches(overview)
        return overview

    @cached_property
    def legs(self) -> dict[int, list[Leg]]:
        """Return the legs of each match that may be shown, without records."""
        keys = [one.match for boards in self.overview.boards.values() for board in boards for one in board.matches]
        found = {key: self._list_shown_legs(key) for key in keys}
        return {key: legs for key, legs in found.items() if legs}

    def _list_shown_legs(self, key: int) -> list[Leg]:
        match = find_finished_match(Audience(self.tournament.audience_id), key)
        return [] if match is None or is_deal_in_play(match) else list_legs(match)

    @cached_property
    def links(self) -> ArchiveLinks:
        """Return where links lead."""
        shown = self.legs if self.tournament.game in GAMES else {}
        replays = {(key, leg.number) for key, legs in shown.items() for leg in legs if leg.record_hash}
        return ArchiveLinks(self.tournament.get_absolute_url(), self.arena, replays)

    def write_files(self) -> Iterator[ArchivedFile]:
        """Yield all files, the manifest last."""
        for path, content in self._list_files():
            self.manifest.add(path, content)
            yield path, content
        yield MANIFEST_PATH, json.dumps(self.manifest.as_json(), indent=1).encode()

    def _list_files(self) -> Iterator[ArchivedFile]:
        yield STYLE_PATH, build_style_sheet().encode()
        yield SCRIPT_PATH, build_script(PAGE_SCRIPTS).encode()
        yield REPLAY_SCRIPT_PATH, build_script(REPLAY_MODULES).encode()
        yield DOCUMENT_PATH, encode_json(export_tournament(self.overview))
        yield STANDINGS_PATH, self._write_standings()
        yield INDEX_PATH, self._render_index()
        for number in sorted({round.number for round in self.overview.rounds}):
            yield build_round_path(number), self._render_round(number)
        for key, legs in self.legs.items():
            yield from self._write_match(key, legs)

    def _write_standings(self) -> bytes:
        text = StringIO(newline="")
        write_standings(self.overview, text)
        return text.getvalue().encode()

    def _render(self, name: str, root: str, **context: Any) -> bytes:
        """Return a page in the archive's language."""
        with override(self.language):
            shared = {
                **describe_tournament(self.tournament),
                "icons": read_icon_sheet(),
                "root": root,
                "origin": self.manifest.origin,
                "language": self.language,
            }
            html = render_to_string(f"tournaments/archive/{name}.html", {**shared, **context})
        return self.links.rewrite(html, root).encode()

    def _render_index(self) -> bytes:
        with override(self.language):
            overview = self.overview
            has_ended = self.tournament.state == Tournament.State.FINISHED
            results = build_results(overview)
            ending = draw_ending(overview) if has_ended else ""
        return self._render(
            "index",
            "",
            **{**results, "rounds": []},
            is_archive=True,
            ending=ending,
            lines=results["rounds"],
            secret=fetch_revealed_secret(self.tournament),
            verify_command=f"pennant verify {self.tournament.slug}.zip",
            made_at=now(),
            records=sum(map(len, self.legs.values())),
        )

    def _render_round(self, number: int) -> bytes:
        with override(self.language):
            rounds = [round for round in self.overview.rounds if round.number == number]
            attempts = [build_round_attempt(self.overview, round) for round in reversed(rounds)]
        known = {round.number for round in self.overview.rounds}
        return self._render(
            "round",
            WAY_UP,
            number=number,
            attempts=attempts,
            previous=number - 1 if number - 1 in known else None,
            next=number + 1 if number + 1 in known else None,
        )

    def _write_match(self, key: int, legs: list[Leg]) -> Iterator[ArchivedFile]:
        """Yield the record and the page of each leg."""
        match = legs[0].match
        for leg in list_legs_with_records(match):
            leg.match = match
            if leg.record is None:
                self.manifest.missing_records.append(build_record_path(key, leg.number))
                if (key, leg.number) in self.links.replays:
                    yield build_replay_path(key, leg.number), self._render_lost(match, leg, legs)
                continue
            yield build_record_path(key, leg.number), leg.record_json
            if (key, leg.number) in self.links.replays:
                yield build_replay_path(key, leg.number), self._render_replay(match, leg, legs)

    def _render_lost(self, match: Match, leg: Leg, legs: list[Leg]) -> bytes:
        return self._render("lost", WAY_UP, match=match, leg=leg, legs=legs)

    def _render_replay(self, match: Match, leg: Leg, legs: list[Leg]) -> bytes:
        seats = list_seats([leg])
        with override(self.language):
            playback = play_back(leg.record_data, None)
            frames = build_frames(playback, seats)
            frames["parts"] = [self.links.rewrite(part, WAY_UP) for part in frames["parts"]]
            context = build_leg_context(playback, 0, match.limits.get("move_ms", 0))
            rules = rules_title(match)
        return self._render(
            "match",
            WAY_UP,
            match=match,
            leg=leg,
            legs=legs,
            seats=seats,
            is_loose=True,
            frames=frames,
            rules=rules,
            view="all",
            record_path=build_record_path(match.pk, leg.number),
            **context,
        )


def encode_json(found: Any) -> bytes:
    """Return JSON as the site sends it."""
    return json.dumps(found, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1).encode()


# Send the archive of a tournament as a zip that is written while it is sent.

MAX_ARCHIVES_AT_ONCE = 1
"""In one web process: each takes one of its threads, and its processor while pages are drawn."""
BUSY_RETRY_AFTER_S = 10
free_archives = threading.BoundedSemaphore(MAX_ARCHIVES_AT_ONCE)


def send_archive(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the archive to who may see the tournament, or has a key of a reader who may. Raise Http404."""
    tournament = find_archived_tournament(request, slug)
    try:
        check_archivable(tournament)
    except NoArchive as error:
        raise Http404(render_message(error.message)) from error
    if not free_archives.acquire(blocking=False):
        return refuse_busy(request, tournament)
    arena = request.build_absolute_uri("/").rstrip("/")
    stream = HeldStream(write_zip(TournamentArchive(tournament, arena, get_language() or "en")), free_archives.release)
    headers = {
        "Content-Disposition": f'attachment; filename="{tournament.slug}.zip"',
        "Cache-Control": "no-store",
        "X-Robots-Tag": "noindex",
    }
    return StreamingHttpResponse(stream, content_type="application/zip", headers=headers)


def find_archived_tournament(request: HttpRequest, slug: str) -> Tournament:
    """Return the tournament that the reader may see, or that the key in the address opens. Raise Http404."""
    if "key" not in request.GET:
        return tournament_or_404(request, slug)
    tournament = find_tournament_by_key(slug, request.GET["key"])
    if tournament is None:
        raise Http404(_("This link has expired. Ask for a new one."))
    forbid_caching(request)
    return tournament


def refuse_busy(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Ask the reader to come back while another archive is written."""
    sentence = _("Another archive is being written. Try again in a few seconds.")
    context = {"tournament": tournament, "sentence": sentence}
    response = render(request, "tournaments/archive/refused.html", context, status=503)
    response["Retry-After"] = str(BUSY_RETRY_AFTER_S)
    return response


class ZipOutlet(RawIOBase):
    """A file that can't be read or sought, from which what was written is taken."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()

    def writable(self) -> bool:
        """Return that it can be written."""
        return True

    def write(self, content: Any) -> int:
        """Keep what is written."""
        self.written += content
        return len(content)

    def take(self) -> bytes:
        """Return what was written since the last call."""
        taken, self.written = bytes(self.written), bytearray()
        return taken


def write_zip(archive: TournamentArchive) -> Iterator[bytes]:
    """Yield the zip of an archive, a part for each file. All is in one folder."""
    outlet, slug = ZipOutlet(), archive.tournament.slug
    finished = archive.tournament.finished_at
    moment = localtime(finished).timetuple()[:6] if finished else (1980, 1, 1, 0, 0, 0)
    with ZipFile(outlet, "w", ZIP_DEFLATED) as packed:
        for path, content in archive.write_files():
            entry = ZipInfo(f"{slug}/{path}", moment)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content)
            yield outlet.take()
    yield outlet.take()
