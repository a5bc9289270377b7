"""How a tournament goes: rounds, standings, the crosstable, and its deals."""

from collections import defaultdict
from dataclasses import asdict
from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    ListField,
    Serializer,
)

from arena.api.examples import CROSSTABLE_LINE, DEALT, TABLE_LINE, TOURNAMENT_DEALS, TOURNAMENT_ROUND, response_example
from arena.api.frame import Resource
from arena.api.paging import CursorPaging
from arena.api.tournaments import find_tournament
from arena.matches.models import Leg, Match
from arena.tournaments.models import Entrant, Pairing, PairingMatch, PairingSeat, Round
from arena.tournaments.services.matches import deal_number, revealed_secret
from arena.tournaments.services.rows import read_field, read_rounds, read_standings
from arena.tournaments.standings import crosstable
from engine.registry import find_game


class PairingSeatSerializer(Serializer):
    number = IntegerField(source="entrant.number", help_text="The entrant's.")
    bot = CharField(source="entrant.bot.slug")
    points = FloatField(allow_null=True, help_text="Null until the pairing is over.")
    score = FloatField(allow_null=True, help_text="The sum of its series scores; null until the pairing is over.")


class PairingMatchSerializer(Serializer):
    match = IntegerField(source="match_id")
    number = IntegerField(help_text="Which of the pairing's, from 1.")
    state = ChoiceField(Match.State.choices, source="match.state")
    counts = BooleanField(help_text="False where another is played instead, or none was needed.")


class PairingSerializer(Serializer):
    board = IntegerField(help_text="From 1.")
    name = CharField(help_text="The group, or the place in the bracket; may be empty.")
    must_decide = BooleanField(help_text="One of two goes on.")
    is_over = BooleanField()
    played = BooleanField(help_text="False for a bye, and where somebody won without playing.")
    seats = PairingSeatSerializer(many=True, help_text="In the order of the first leg; one alone has a bye.")
    matches = PairingMatchSerializer(source="pairing_matches", many=True)


@response_example("First", TOURNAMENT_ROUND)
class RoundSerializer(Serializer):
    number = IntegerField(help_text="From 1.")
    take = IntegerField(help_text="How often it had been played before.")
    is_current = BooleanField(help_text="False once it was played again.")
    void_reason = CharField()
    started_at = DateTimeField()
    finished_at = DateTimeField(allow_null=True)
    pairings = PairingSerializer(many=True)


class RoundQuery(Serializer):
    number = IntegerField(min_value=1, max_value=999, required=False, help_text="Only this round.")
    void = BooleanField(required=False, help_text="Also those that count no more.")


class RoundPaging(CursorPaging):
    """Rounds are long."""

    default_limit = 5
    max_limit = 20


class RoundList(Resource):
    serializer_class = RoundSerializer
    query_class = RoundQuery
    pagination_class = RoundPaging
    ordering = ("number", "pk")

    @extend_schema(
        operation_id="tournaments_rounds_list",
        summary="Rounds, with pairings and results",
        parameters=[RoundQuery],
        responses=RoundSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """The first round first."""
        asked = self.query
        rounds = Round.objects.filter(tournament=find_tournament(request, slug))
        if not asked.get("void"):
            rounds = rounds.current()
        if "number" in asked:
            rounds = rounds.filter(number=asked["number"])
        return self.respond_page(with_pairings(rounds))


def with_pairings(rounds: QuerySet[Round]) -> QuerySet[Round]:
    """All that is shown of each, in a fixed number of queries."""
    seats = PairingSeat.objects.select_related("entrant__bot").order_by("index")
    matches = PairingMatch.objects.select_related("match").order_by("number", "pk")
    matches = matches.only("pairing", "match", "number", "counts", "match__state")
    parts = [Prefetch("seats", seats), Prefetch("pairing_matches", matches)]
    return rounds.prefetch_related(Prefetch("pairings", Pairing.objects.order_by("board").prefetch_related(*parts)))


@response_example("Leading", TABLE_LINE)
class TableLineSerializer(Serializer):
    place = IntegerField(help_text="In a bracket, all who came as far share theirs.")
    number = IntegerField(help_text="The entrant's.")
    bot = CharField()
    name = CharField()
    owner = CharField()
    version = IntegerField()
    score = FloatField(help_text="What counts first, as the terms say.")
    points = FloatField()
    series = FloatField(help_text="The sum of the series scores.")
    played = IntegerField(help_text="Pairings, without byes and walkovers.")
    wins = IntegerField()
    draws = IntegerField()
    losses = IntegerField()
    byes = IntegerField(help_text="Won without playing.")
    direct = FloatField(allow_null=True, help_text="Points against those with the same score, where all have met.")
    buchholz = FloatField()
    buchholz_cut_1 = FloatField()
    sonneborn_berger = FloatField()
    lot = IntegerField()
    left = BooleanField(help_text="It plays no more.")
    reached = IntegerField(help_text="How far it came, as the format has it.")


class TournamentStandings(Resource):
    """After the rounds that are over, best first. Ties are broken by direct, Buchholz, Buchholz cut 1,
    Sonneborn-Berger, wins and lot, in this order. Empty before it begins."""

    serializer_class = TableLineSerializer
    pagination_class = None

    @extend_schema(
        operation_id="tournaments_standings",
        summary="Who stands where, with tie-breaks",
        responses=TableLineSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        tournament = find_tournament(request, slug)
        entrants = Entrant.objects.field().filter(tournament=tournament).select_related("bot__owner", "version")
        known = {entrant.number: name_entrant(entrant) for entrant in entrants.defer("version__build_log")}
        lines = [known[line.number] | asdict(line) for line in read_standings(tournament)] if known else []
        return Response(self.get_serializer(lines, many=True).data)


def name_entrant(entrant: Entrant) -> dict[str, Any]:
    bot = entrant.bot
    return {"bot": bot.slug, "name": bot.name, "owner": bot.owner.username, "version": entrant.version.number}


class MeetingSerializer(Serializer):
    number = IntegerField(help_text="The other entrant's.")
    round = IntegerField()
    points = FloatField(help_text="1 where it was ahead, ½ where both had as much.")
    played = BooleanField()


@response_example("With one meeting", CROSSTABLE_LINE)
class CrosstableLineSerializer(Serializer):
    number = IntegerField(help_text="The entrant's.")
    bot = CharField()
    meetings = MeetingSerializer(many=True, help_text="With each it met, round by round.")


class Crosstable(Resource):
    """By seed. Rounds that are over count."""

    serializer_class = CrosstableLineSerializer
    ordering = ("number",)

    @extend_schema(
        operation_id="tournaments_crosstable",
        summary="Who fared how against whom",
        responses=CrosstableLineSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        tournament = find_tournament(request, slug)
        shown = self.paginate_queryset(Entrant.objects.field().filter(tournament=tournament).select_related("bot"))
        met = defaultdict(list)
        for (own, other), meetings in crosstable(read_field(tournament), read_rounds(tournament)).items():
            met[own] += [{"number": other} | asdict(meeting) for meeting in meetings]
        lines = [
            {"number": one.number, "bot": one.bot.slug, "meetings": sorted(met[one.number], key=lambda it: it["round"])}
            for one in shown
        ]
        return self.get_paginated_response(self.get_serializer(lines, many=True).data)


@response_example("Running", TOURNAMENT_DEALS)
class DealsSerializer(Serializer):
    """What all deals come from."""

    game = CharField()
    edition = CharField()
    season = IntegerField(help_text="The number that deals are drawn with, as those of a season are.")
    options = DictField(help_text="Every rule option in force.")
    rules_version = IntegerField()
    commitment = CharField(help_text="SHA-256 of the secret, public from the start.")
    secret = CharField(allow_null=True, help_text="Null until it is finished, and its last match is played.")


@response_example("Queued", DEALT)
class DealtMatchSerializer(Serializer):
    number = IntegerField(help_text="Of its deal: ((take × 1000 + round) × 1000 + board) × 100 + match.")
    match = IntegerField(help_text="Its id.")
    state = ChoiceField(Match.State.choices)
    deal_hashes = ListField(child=CharField(), help_text="One for each leg, public before its first move.")


class TournamentDeals(Resource):
    """Deals are drawn from the secret by their numbers, as those of a season are."""

    serializer_class = DealsSerializer

    @extend_schema(operation_id="tournaments_deals", summary="What its deals come from")
    def get(self, request: Request, slug: str) -> Response:
        tournament = find_tournament(request, slug)
        game = find_game(tournament.game)
        told = {name: getattr(tournament, name) for name in ("game", "edition", "commitment")}
        options = game.options(tournament.edition)
        more = {"season": 1, "options": options, "rules_version": game.rules_version}
        return self.respond(told | more | {"secret": revealed_secret(tournament)})


class DealtMatches(Resource):
    serializer_class = DealtMatchSerializer

    @extend_schema(
        operation_id="tournaments_deals_matches",
        summary="The deals of a tournament, by the hashes of their legs",
        responses=DealtMatchSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Newest first, also of matches that count no more."""
        rows = PairingMatch.objects.filter(pairing__round__tournament=find_tournament(request, slug))
        rows = rows.select_related("pairing__round", "match").defer("match__deal", "match__options", "match__limits")
        shown = self.paginate_queryset(rows)
        hashes = defaultdict(list)
        legs = Leg.objects.filter(match__in=[row.match_id for row in shown]).order_by("match", "number")
        for match, deal_hash in legs.values_list("match", "deal_hash"):
            hashes[match].append(deal_hash)
        lines = [describe_deal(row) | {"deal_hashes": hashes[row.match_id]} for row in shown]
        return self.get_paginated_response(self.get_serializer(lines, many=True).data)


def describe_deal(row: PairingMatch) -> dict[str, Any]:
    pairing, round = row.pairing, row.pairing.round
    number = deal_number(round.take, round.number, pairing.board, row.number)
    return {"number": number, "match": row.match_id, "state": row.match.state}
