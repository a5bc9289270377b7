"""Build the files of an archive, one after the other: a large tournament is never whole in memory."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.template.loader import render_to_string
from django.utils.timezone import now
from django.utils.translation import override

from arena.comparisons.queries.shared_deals import is_deal_in_play
from arena.groups.audience import Audience
from arena.matches.models import Leg, Match
from arena.matches.queries.replays import find_finished_match, list_legs, list_legs_with_records, list_seats
from arena.pages.formatting import rules_title
from arena.pages.matches.detail import build_leg_context
from arena.pages.matches.frames import build_frames
from arena.pages.matches.replay import play_back
from arena.pages.tournaments.archive.assets import (
    PAGE_SCRIPTS,
    REPLAY_MODULES,
    build_script,
    build_style_sheet,
    read_icon_sheet,
)
from arena.pages.tournaments.archive.links import Links
from arena.pages.tournaments.detail import build_results, describe, draw_ending
from arena.pages.tournaments.export import export_tournament, write_standings
from arena.pages.tournaments.rounds import build_attempt
from arena.tournaments.archive_format import (
    DOCUMENT_PATH,
    INDEX_PATH,
    MANIFEST_PATH,
    REPLAY_SCRIPT_PATH,
    SCRIPT_PATH,
    STANDINGS_PATH,
    STYLE_PATH,
    Manifest,
    build_record_path,
    build_replay_path,
    build_round_path,
)
from arena.tournaments.models import Tournament
from arena.tournaments.queries.overview import Overview, fetch_matches, fetch_overview
from arena.tournaments.services.matches import fetch_revealed_secret
from engine.registry import GAMES

BELOW = "../"
"""The way from a page in a folder to the first page."""
File = tuple[str, bytes]


@dataclass
class Archive:
    """The archive of a tournament that is over, as everybody sees it who may see the tournament."""

    tournament: Tournament
    arena: str
    """Address of the arena."""
    language: str
    manifest: Manifest = field(init=False)

    def __post_init__(self) -> None:
        self.manifest = Manifest(
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
    def links(self) -> Links:
        """Return where links lead."""
        shown = self.legs if self.tournament.game in GAMES else {}
        replays = {(key, leg.number) for key, legs in shown.items() for leg in legs if leg.record_hash}
        return Links(self.tournament.get_absolute_url(), self.arena, replays)

    def write_files(self) -> Iterator[File]:
        """Yield all files, the manifest last."""
        for path, content in self._list_files():
            self.manifest.add(path, content)
            yield path, content
        yield MANIFEST_PATH, json.dumps(self.manifest.as_json(), indent=1).encode()

    def _list_files(self) -> Iterator[File]:
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
                **describe(self.tournament),
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
            attempts = [build_attempt(self.overview, round) for round in reversed(rounds)]
        known = {round.number for round in self.overview.rounds}
        return self._render(
            "round",
            BELOW,
            number=number,
            attempts=attempts,
            previous=number - 1 if number - 1 in known else None,
            next=number + 1 if number + 1 in known else None,
        )

    def _write_match(self, key: int, legs: list[Leg]) -> Iterator[File]:
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
        return self._render("lost", BELOW, match=match, leg=leg, legs=legs)

    def _render_replay(self, match: Match, leg: Leg, legs: list[Leg]) -> bytes:
        seats = list_seats([leg])
        with override(self.language):
            playback = play_back(leg.record_data, None)
            frames = build_frames(playback, seats)
            frames["parts"] = [self.links.rewrite(part, BELOW) for part in frames["parts"]]
            context = build_leg_context(playback, 0, match.limits.get("move_ms", 0))
            rules = rules_title(match)
        return self._render(
            "match",
            BELOW,
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
