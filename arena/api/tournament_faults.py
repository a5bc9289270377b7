"""The faults of bots in a tournament: everybody sees which, their owners and the organisers also why."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_serializer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, IntegerField, Serializer, SerializerMethodField

from arena.api.auth import is_owner
from arena.api.fields import ChoiceField
from arena.api.frame import Resource
from arena.api.matches import VERDICTS
from arena.api.references import AuthorsField
from arena.api.tournament_entrants import sees_all
from arena.api.tournaments import tournament_or_404
from arena.comparisons.queries.shared_deals import list_matches_with_deal_in_play
from arena.matches.models import LegSeat
from arena.runner.text import make_visible
from arena.tournaments.models import Tournament
from arena.tournaments.queries.faults import select_faulty_seats

LOG_LINES_SHOWN = 12
EXAMPLE_FAULT = {
    "bot": "kingfisher",
    "authors": ["ana"],
    "version": 4,
    "round": 2,
    "match": 4731,
    "leg": 1,
    "seat": 0,
    "verdict": "crash",
    "message": "The bot exited with code 1.",
    "log": "KeyError: 'plan'",
}


@extend_schema_serializer(examples=[OpenApiExample("a crash", EXAMPLE_FAULT, response_only=True)])
class TournamentFaultSerializer(Serializer):
    """A fault of a bot in a leg that counts."""

    bot = CharField(source="participant.version.bot.slug", help_text="Slug of the bot.")
    authors = AuthorsField(source="participant.version.bot")
    version = IntegerField(source="participant.version.number", help_text="Number of the version that played.")
    round = IntegerField(source="leg.match.pairing_match.pairing.round.number", help_text="Number of the round.")
    match = IntegerField(source="leg.match_id", help_text="Id of the match.")
    leg = IntegerField(source="leg.number", help_text="Number of the leg, starting at 1.")
    seat = IntegerField(help_text="Seat of the bot, starting at 0.")
    verdict = ChoiceField(VERDICTS, help_text="What the fault was.")
    message = SerializerMethodField(
        help_text="What was wrong; empty for all but the bot's owner and the organisers, and where nothing was told."
    )
    log = SerializerMethodField(
        help_text="Last lines of the bot's log; empty for all but the bot's owner and the organisers."
    )

    def get_message(self, seat: LegSeat) -> str:
        """Return the cause to who may see it."""
        return make_visible(str((seat.fault or {}).get("message", ""))) if self._is_told(seat) else ""

    def get_log(self, seat: LegSeat) -> str:
        """Return the end of the log to who may see it."""
        lines = seat.stderr.rstrip().splitlines()[-LOG_LINES_SHOWN:] if self._is_told(seat) else []
        return make_visible("\n".join(lines))

    def _is_told(self, seat: LegSeat) -> bool:
        if seat.leg.match_id in self.context["in_play"]:
            return False
        is_own = is_owner(self.context["request"], seat.participant.version.bot)
        return is_own or bool(self.context["sees_all"])


class TournamentFaults(Resource):
    """The faults in a tournament."""

    is_list = True
    serializer_class = TournamentFaultSerializer
    tournament: Tournament | None = None
    in_play: frozenset[int] = frozenset()

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context, which says whether all causes are shown."""
        sees = self.tournament is not None and sees_all(self.request, self.tournament)
        return super().get_serializer_context() | {"sees_all": sees, "in_play": self.in_play}

    @extend_schema(
        operation_id="tournaments_faults_list",
        summary="List the faults in a tournament",
        responses={200: TournamentFaultSerializer(many=True)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the faults in matches that count, newest first."""
        self.tournament = tournament_or_404(request, slug)
        return self.respond_page(select_faulty_seats(self.tournament), attach=self._note_deals_in_play)

    def _note_deals_in_play(self, seats: list[LegSeat]) -> None:
        """Keep the matches whose causes would tell cards that are still played with elsewhere."""
        self.in_play = frozenset(list_matches_with_deal_in_play({seat.leg.match_id for seat in seats}))
