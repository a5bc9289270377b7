"""Rounds, standings, crosstable and deals of a tournament, and what its organisers decide."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    ListField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena.api.frame import ChoiceField, MessageText, Resource, operation
from arena.api.groups import AnnouncementSerializer, NewAnnouncementSerializer
from arena.api.requests import CursorPaging, require_row, require_unrestricted_token
from arena.api.tournaments import (
    MAX_REASON_LENGTH,
    ReasonSerializer,
    TournamentResource,
    TournamentSerializer,
    own_tournament_or_404,
    reader_of,
    tournament_or_404,
)
from arena.contests.tournaments import queries
from arena.contests.tournaments.document import compute_deal_number
from arena.contests.tournaments.formats.brackets import is_bout_name
from arena.contests.tournaments.models import Entrant, OrganiserActKind, PairingMatch, Round, Tournament
from arena.contests.tournaments.overview import PairingOverview, attach_matches, fetch_boards
from arena.contests.tournaments.queries import list_co_organisers
from arena.contests.tournaments.services.access import add_co_organiser, is_organiser, remove_co_organiser
from arena.contests.tournaments.services.announcing import announce, delete_announcement
from arena.contests.tournaments.services.matches import (
    fetch_revealed_secret,
    read_field,
    read_phases,
    read_rounds,
    read_standings,
)
from arena.contests.tournaments.services.playing import DecidedOutcome, PairingDecision, decide_pairing, undo_decision
from arena.contests.tournaments.standings import Standing, build_crosstable
from arena.core.http import forbid_caching
from arena.core.messages import gettext as _
from arena.matches.models import Match
from arena.matches.queries import fetch_deal_hashes
from arena.operations.upkeep import end_rehearsal, rehearse
from engine.registry import find_game

# Rounds, standings, crosstable and deals of a tournament.


class PairingSeatSerializer(Serializer):
    """An entrant in a pairing."""

    number = IntegerField(help_text="The entrant's seed.")
    bot = CharField(help_text="The bot's slug.")
    points = FloatField(allow_null=True, help_text="Points in the pairing; null until it's finished.")
    game_points = FloatField(allow_null=True, help_text="Sum of game points; null until it's finished.")


class PairingMatchSerializer(Serializer):
    """A pairing's match."""

    match = IntegerField(help_text="The match's id.")
    number = IntegerField(help_text="Number of the match in its pairing, starting at 1.")
    state = ChoiceField(Match.State.choices, help_text="The match's state.")
    counts = BooleanField(help_text="Whether it counts; false if another match replaces it, or none was needed.")


class PairingDecisionMadeSerializer(Serializer):
    """An organiser's decision about a pairing."""

    at = DateTimeField(help_text="When it was made.")
    given_points = ListField(
        child=FloatField(), allow_null=True, help_text="Points given, by seat; null if it took back a decision."
    )
    reason = CharField(help_text="Reason; can be empty if a decision was taken back before the next round.")


class PairingSerializer(Serializer):
    """A round's pairing."""

    board = IntegerField(help_text="Board number, starting at 1.")
    name = CharField(help_text="Group, or place in the bracket; may be empty.")
    must_decide = BooleanField(help_text="Whether it can't be tied, as in a knockout.")
    is_over = BooleanField(help_text="Whether it's finished.")
    played = BooleanField(help_text="Whether it was played; false for byes, walkovers and given results.")
    given_points = ListField(
        child=FloatField(),
        allow_null=True,
        help_text="Points given by an organiser, by seat; null if its matches decide.",
    )
    given_reason = CharField(help_text="Why an organiser decided it; empty otherwise.")
    decisions = PairingDecisionMadeSerializer(many=True, help_text="All decisions about it, oldest first.")
    stale_rounds = ListField(
        child=IntegerField(),
        help_text="Numbers of later rounds drawn before the latest decision, which stay as drawn.",
    )
    seats = PairingSeatSerializer(many=True, help_text="Entrants in the first leg's order; a single one has a bye.")
    matches = PairingMatchSerializer(many=True, help_text="The pairing's matches.")


class RoundSerializer(Serializer):
    """A round."""

    number = IntegerField(help_text="Round number, starting at 1.")
    phase = SerializerMethodField(help_text="Number of its phase, starting at 1.")
    attempt = IntegerField(help_text="Number of times the round was played before.")
    is_latest_attempt = BooleanField(help_text="Whether it counts; false once it was replayed.")
    replay_reason = MessageText(help_text="Why it was replayed; empty otherwise.")
    started_at = DateTimeField(help_text="When it started.")
    finished_at = DateTimeField(allow_null=True, help_text="When it ended, or null.")
    pairings = SerializerMethodField(help_text="Pairings by board.")

    def get_phase(self, round: Round) -> int:
        """Return 2 for a round of a knockout after another phase, and 1 for all others."""
        if self.context["tournament"].format.first_phase is None:
            return 1
        return 1 + any(is_bout_name(board.name) for board in self.context["boards"][round.pk])

    @extend_schema_field(PairingSerializer(many=True))
    def get_pairings(self, round: Round) -> list[dict[str, Any]]:
        """Return the pairings; a page of a large tournament has hundreds, which serializers would take longer for."""
        return [describe_board(board, self.context["bots"]) for board in self.context["boards"][round.pk]]


def describe_board(board: PairingOverview, bots: Mapping[int, str]) -> dict[str, Any]:
    """Return a pairing as `PairingSerializer` says, with the slugs of the bots by seed."""
    return {
        "board": board.number,
        "name": board.name,
        "must_decide": board.must_decide,
        "is_over": board.is_over,
        "played": board.played,
        "given_points": None if board.given_points is None else list(map(float, board.given_points)),
        "given_reason": board.given_reason,
        "decisions": [
            {"at": one["at"], "given_points": one["points"], "reason": one["reason"]} for one in board.decisions
        ],
        "stale_rounds": board.stale_rounds,
        "seats": [
            {"number": number, "bot": bots[number], "points": points, "game_points": game_points}
            for number, points, game_points in zip(board.numbers, board.points, board.game_points, strict=True)
        ],
        "matches": [
            {"match": one.match, "number": one.number, "state": one.state, "counts": one.counts}
            for one in board.matches
        ],
    }


class RoundQuery(Serializer):
    """Filters for the list of rounds."""

    number = IntegerField(min_value=1, max_value=999, required=False, help_text="Only the round with this number.")
    all_attempts = BooleanField(required=False, help_text="Whether to also list replayed rounds.")


class RoundPaging(CursorPaging):
    """Short pages, because rounds are long."""

    default_limit = 5
    max_limit = 20


class TableLineSerializer(Serializer):
    """A line of the standings."""

    place = IntegerField(
        help_text="Place, starting at 1; in a bracket, shared by bots eliminated in the same round; "
        "0 for a disqualified bot."
    )
    number = IntegerField(help_text="The entrant's seed.")
    bot = CharField(help_text="The bot's slug.")
    name = CharField(help_text="The bot's name.")
    authors = ListField(child=CharField(), help_text="Usernames of the bot's authors.")
    version = IntegerField(help_text="Version number, starting at 1.")
    score = FloatField(
        help_text="Points or game points, depending on the settings; with two phases, those from the first."
    )
    points = FloatField(help_text="Sum of its pairings' points.")
    game_points = FloatField(help_text="Sum of the game points.")
    played = IntegerField(help_text="Number of pairings played, without byes and walkovers.")
    wins = IntegerField(help_text="Number of pairings won.")
    draws = IntegerField(help_text="Number of pairings tied.")
    losses = IntegerField(help_text="Number of pairings lost.")
    byes = IntegerField(help_text="Number of pairings won without playing.")
    direct = FloatField(
        allow_null=True, help_text="Points against entrants with the same score; null unless all have met."
    )
    buchholz = FloatField(help_text="Buchholz score.")
    buchholz_cut_1 = FloatField(help_text="Buchholz score without the lowest.")
    sonneborn_berger = FloatField(help_text="Sonneborn-Berger score.")
    lot = IntegerField(help_text="Lot, drawn before the first round; the lowest is first.")
    is_out = BooleanField(help_text="Whether it was withdrawn or disqualified.")
    reached_round = IntegerField(help_text="How far it got, by the format's count.")


class StandingsQuery(Serializer):
    """Which standings to show."""

    phase = IntegerField(
        min_value=1, max_value=2, required=False, help_text="Only results from the phase with this number."
    )
    group = CharField(required=False, max_length=2, help_text="Only this group of the phase, such as A.")


def name_entrant(entrant: Entrant) -> dict[str, Any]:
    """Return the values that identify an entrant."""
    bot = entrant.bot
    return {"bot": bot.slug, "name": bot.name, "authors": bot.author_names, "version": entrant.version.number}


class MeetingSerializer(Serializer):
    """A pairing of two entrants, from one's side."""

    number = IntegerField(help_text="The other entrant's seed.")
    round = IntegerField(help_text="Round number, starting at 1.")
    points = FloatField(help_text="Points: 1 for a win, ½ for a tie, 0 for a loss.")
    played = BooleanField(help_text="Whether it was played; false for walkovers.")


class CrosstableLineSerializer(Serializer):
    """A line of the crosstable."""

    number = IntegerField(help_text="The entrant's seed.")
    bot = CharField(help_text="The bot's slug.")
    meetings = MeetingSerializer(many=True, help_text="Its pairings, round by round.")


class DealsSerializer(Serializer):
    """The origin of a tournament's deals."""

    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    season = IntegerField(help_text="Season number from which deals are drawn, as in a ladder.")
    options = DictField(help_text="All rule options in force.")
    rules_version = IntegerField(help_text="Version of the rules.")
    commitment = CharField(help_text="SHA-256 of the secret, public from the start.")
    secret = CharField(allow_null=True, help_text="The secret; null until the tournament's last match has been played.")


class DealtMatchSerializer(Serializer):
    """A match's deal, as hashes."""

    number = IntegerField(help_text="Number of the deal: ((attempt × 1000 + round) × 1000 + board) × 100 + match.")
    match = IntegerField(help_text="The match's id.")
    state = ChoiceField(Match.State.choices, help_text="The match's state.")
    deal_hashes = ListField(child=CharField(), help_text="Hash of each leg's deal, public before its first move.")


class Results(Resource):
    """Rounds, standings, crosstable and deals of a tournament."""

    tournament: Tournament | None = None
    boards: Mapping[int, Sequence[PairingOverview]] = {}
    bots: Mapping[int, str] = {}

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context, which has the tournament, the pairings of the page and the bots by seed."""
        known = {"tournament": self.tournament, "boards": self.boards, "bots": self.bots}
        return super().get_serializer_context() | known

    @operation(
        "tournaments_rounds_list",
        "List a tournament's rounds",
        [RoundSerializer],
        query=RoundQuery,
        paging=RoundPaging,
    )
    def list_rounds(self, request: Request, slug: str) -> Response:
        """List the rounds in order, with their pairings and results."""
        self.tournament = tournament_or_404(request, slug)
        self.bots = queries.fetch_seeded_bots(self.tournament)
        return self.respond_page(queries.list_rounds(self.tournament, **self.query), ("number", "pk"), self.read_boards)

    def read_boards(self, rounds: Sequence[Round]) -> None:
        """Read the pairings of these rounds with their matches."""
        self.boards = fetch_boards([round.pk for round in rounds])
        attach_matches(self.boards, with_points=False)

    @operation(
        "tournaments_standings",
        "Show a tournament's standings",
        [TableLineSerializer],
        query=StandingsQuery,
        paging=None,
    )
    def list_standings(self, request: Request, slug: str) -> Response:
        """List the entrants after the finished rounds, best first. The list is empty before the start.

        Ties are broken by direct encounter, Buchholz, Buchholz cut 1, Sonneborn-Berger, number of wins and drawing
        lots, in this order. In a tournament with two phases, bots that advanced come first, ordered by how far they got
        in the knockout; their scores and tie-breaks are from the first phase. With `phase`, only that phase counts, and
        groups are listed one after another.
        """
        tournament = tournament_or_404(request, slug)
        known = {entrant.number: name_entrant(entrant) for entrant in queries.list_seeded_entrants(tournament)}
        lines = [known[line.number] | asdict(line) for line in self.read_lines(tournament)] if known else []
        return Response(self.get_serializer(lines, many=True).data)

    def read_lines(self, tournament: Tournament) -> list[Standing]:
        """Return the standings that the query asks for."""
        phase, group = self.query.get("phase"), self.query.get("group")
        if phase is None and group is None:
            return read_standings(tournament)
        tables = [table for one in read_phases(tournament) if one.number == (phase or 1) for table in one.tables]
        return [line for table in tables if group is None or table.name == group for line in table.standings]

    @operation("tournaments_crosstable", "Show a tournament's crosstable", [CrosstableLineSerializer])
    def list_crosstable(self, request: Request, slug: str) -> Response:
        """List the entrants by seed, with their results against each other in the finished rounds."""
        tournament = tournament_or_404(request, slug)
        shown = self.cut_page(queries.list_seeded_entrants(tournament), ordering=("number",))
        met: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for (own, other), meetings in build_crosstable(read_field(tournament), read_rounds(tournament)).items():
            met[own] += [{"number": other} | asdict(meeting) for meeting in meetings]
        for meetings_of_one in met.values():
            meetings_of_one.sort(key=lambda meeting: meeting["round"])
        return self.respond_lines(
            [{"number": one.number, "bot": one.bot.slug, "meetings": met[one.number or 0]} for one in shown]
        )

    @operation("tournaments_deals", "Show the origin of a tournament's deals", DealsSerializer)
    def show_deals(self, request: Request, slug: str) -> Response:
        """Return the commitment and, after the tournament ends, the secret.

        As in a season, each deal is derived from its number; in a series, from this number and the game's number.
        """
        tournament = tournament_or_404(request, slug)
        return self.respond(
            {
                "game": tournament.game,
                "edition": tournament.edition,
                "season": 1,
                "options": tournament.options,
                "rules_version": find_game(tournament.game).rules_version,
                "commitment": tournament.commitment,
                "secret": fetch_revealed_secret(tournament),
            }
        )

    @operation("tournaments_deals_matches", "List a tournament's deals", [DealtMatchSerializer])
    def list_dealt_matches(self, request: Request, slug: str) -> Response:
        """List the hashes of all deals, newest first, including those of matches that no longer count."""
        shown = self.cut_page(queries.list_pairing_matches(tournament_or_404(request, slug)))
        hashes = fetch_deal_hashes([row.match_id for row in shown])
        return self.respond_lines([describe_deal(row) | {"deal_hashes": hashes[row.match_id]} for row in shown])


def describe_deal(row: PairingMatch) -> dict[str, Any]:
    """Return the deal number, the match and its state."""
    pairing, round = row.pairing, row.pairing.round
    number = compute_deal_number(round.attempt, round.number, pairing.board, row.number)
    return {"number": number, "match": row.match_id, "state": row.match.state}


# What organisers decide about a tournament: pairings, the record of all decisions, and who organises it.


class PairingDecisionSerializer(Serializer):
    """An organiser's decision about a pairing."""

    outcome = ChoiceField(
        list(DecidedOutcome),
        help_text="The pairing's result: one bot wins, it's a tie, or all lose. A knockout needs a winner.",
    )
    winner = SlugField(required=False, help_text="The winner's slug; only for a win.")
    reason = CharField(max_length=MAX_REASON_LENGTH, help_text="Reason, which is public.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check that a winner is named where there is one, and nowhere else."""
        if ("winner" in attrs) != (attrs["outcome"] == DecidedOutcome.WIN):
            raise ValidationError({"winner": _("A win needs a winner; other outcomes can't have one.")})
        return attrs


class OrganiserActSerializer(Serializer):
    """An organiser's decision."""

    at = DateTimeField(help_text="When it was decided.")
    by = CharField(
        source="actor.username", default=None, allow_null=True, help_text="Username of the organiser; null if unknown."
    )
    act = ChoiceField(OrganiserActKind.choices, help_text="Kind of the decision.")
    text = MessageText(help_text="The decision.")
    reason = CharField(help_text="Reason, in the organiser's words; may be empty.")
    is_public = BooleanField(
        help_text="Whether everyone who can see the tournament can read it; otherwise, only its organisers can."
    )


class OrganiserSerializer(Serializer):
    """A tournament's organiser."""

    username = CharField(max_length=150, help_text="Username.")


class Decisions(TournamentResource):
    """What organisers decide, as everybody reads it, and how they do."""

    @operation("tournaments_decisions_list", "List the organisers' decisions", [OrganiserActSerializer])
    def list(self, request: Request, slug: str) -> Response:
        """List decisions, newest first. Only organisers can see decisions that don't affect results."""
        tournament = tournament_or_404(request, slug)
        as_organiser = is_organiser(tournament, reader_of(request))
        return self.respond_page(queries.list_acts(tournament, as_organiser=as_organiser))

    @operation("tournaments_pairings_decide", "Decide a pairing", TournamentSerializer, reads=PairingDecisionSerializer)
    def decide(self, request: Request, slug: str, number: int, board: int) -> Response:
        """Give a pairing a result, even if it's already finished.

        The results of its matches are kept, but the decision counts. Rounds that are already drawn don't change:
        `stale_rounds` lists them. While the tournament is running or paused, you can replay these rounds to draw them
        again. If the tournament is finished, its places are updated.
        """
        decision = PairingDecision(**self.read_data())
        return self.act(slug, decide_pairing, number=number, board=board, decision=decision)

    @operation(
        "tournaments_pairings_undo", "Take back a decision on a pairing", TournamentSerializer, reads=ReasonSerializer
    )
    def undo(self, request: Request, slug: str, number: int, board: int) -> Response:
        """Let the pairing's matches decide its result again.

        Once the next round has started, this requires a reason, and the pairing's matches must have been played.
        """
        reason = self.read_data().get("reason", "")
        return self.act(slug, undo_decision, number=number, board=board, reason=reason)

    @operation("tournaments_rehearse", "Rehearse a tournament with sample bots", TournamentSerializer, status=201)
    def rehearse(self, request: Request, slug: str) -> Response:
        """Start a short copy of the tournament with sample bots. Only organisers can see it.

        It's deleted a day after it ends.
        """
        tournament = own_tournament_or_404(request, slug)
        made = rehearse(tournament=tournament, organiser=self.user)
        return self.respond_tournament(made.slug)

    @operation("tournaments_rehearsal_end", "Delete a rehearsal", status=204)
    def end_rehearsal(self, request: Request, slug: str) -> Response:
        """Delete a rehearsal and its matches immediately."""
        end_rehearsal(tournament=own_tournament_or_404(request, slug), organiser=self.user)
        return Response(status=204)


class Organisers(TournamentResource):
    """The co-organisers of a tournament."""

    permission_classes = [IsAuthenticated]

    @operation("tournaments_organisers_list", "List a tournament's co-organisers", [OrganiserSerializer])
    def list(self, request: Request, slug: str) -> Response:
        """List the tournament's organisers, except its creator. Organisers only."""
        return self.respond_page(list_co_organisers(own_tournament_or_404(request, slug)))

    @operation(
        "tournaments_organisers_add", "Add a co-organiser", OrganiserSerializer, status=201, reads=OrganiserSerializer
    )
    def add(self, request: Request, slug: str) -> Response:
        """Add a co-organiser, who can do everything except delete the tournament and choose its organisers."""
        tournament = own_tournament_or_404(request, slug)
        return self.respond(add_co_organiser(tournament=tournament, organiser=self.user, **self.read_data()))

    @operation(
        "tournaments_organisers_remove", "Remove a co-organiser", TournamentSerializer, reads=OrganiserSerializer
    )
    def remove(self, request: Request, slug: str) -> Response:
        """Remove a co-organiser. Co-organisers can remove themselves."""
        tournament = own_tournament_or_404(request, slug)
        remove_co_organiser(tournament=tournament, organiser=self.user, **self.read_data())
        return self.respond_tournament(slug)


# What organisers announce to those of a tournament.


class TournamentAnnouncements(TournamentResource):
    """The announcements of a tournament."""

    permission_classes = [IsAuthenticated]

    @operation("tournaments_announcements_list", "List a tournament's announcements", [AnnouncementSerializer])
    def list(self, request: Request, slug: str) -> Response:
        """List announcements, including changed deadlines, newest first.

        Only for organisers, entrants' authors and people the tournament is for; the list is empty for anyone else.
        """
        tournament, user = tournament_or_404(request, slug), require_unrestricted_token(request)
        forbid_caching(request)
        as_organiser = is_organiser(tournament, user)
        return self.respond_page(queries.list_announcements(tournament, user, as_organiser=as_organiser))

    @operation(
        "tournaments_announcements_create",
        "Send an announcement to a tournament",
        AnnouncementSerializer,
        status=201,
        reads=NewAnnouncementSerializer,
    )
    def announce(self, request: Request, slug: str) -> Response:
        """Send an announcement to the entrants' authors and the people the tournament is for. Organisers only.

        At most five times an hour. Recipients get a notification, and an email if they have a confirmed address and
        want emails. Authors who enter later can list the announcement.
        """
        tournament, text = own_tournament_or_404(request, slug), self.read_data()["text"]
        return self.respond(announce(tournament=tournament, organiser=self.user, text=text), 201)

    @operation("tournaments_announcements_destroy", "Delete a tournament's announcement", status=204)
    def erase(self, request: Request, slug: str, pk: int) -> Response:
        """Delete an announcement and its notifications. Emails already sent can't be recalled. Organisers only."""
        tournament = own_tournament_or_404(request, slug)
        found = queries.list_announcements(tournament, self.user, as_organiser=True).filter(pk=pk).first()
        announcement = require_row(found, _("No such announcement."))
        delete_announcement(announcement=announcement, organiser=self.user)
        return Response(status=204)
