"""Entrants of a tournament: list, enter, withdraw and disqualify them, and the faults of their bots."""

from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    FloatField,
    IntegerField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena.api.frame import (
    MAX_INTEGER_COLUMN_VALUE,
    AuthorsField,
    ChoiceField,
    MessageText,
    NamedVersionSerializer,
    Resource,
    VersionSerializer,
    operation,
    version_or_404,
)
from arena.api.matches import VERDICTS
from arena.api.requests import bot_or_404, check_owner, find_bot_of_token, is_owner, require_row
from arena.api.tournaments import (
    MAX_REASON_LENGTH,
    ReasonSerializer,
    own_tournament_or_404,
    reader_of,
    tournament_or_404,
)
from arena.bots.models import Bot
from arena.contests.comparisons.services import list_matches_with_deal_in_play
from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.queries import find_entrant, list_entrants, list_invitations, select_faulty_seats
from arena.contests.tournaments.services import entering
from arena.contests.tournaments.services.access import is_organiser, permit_by_code
from arena.core.http import find_client_network, forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import render_message
from arena.matches.models import LegSeat
from arena.runner.protocol import make_visible

# Entrants of a tournament: list, enter, withdraw and disqualify them.


class EntrantSerializer(Serializer):
    """A bot in a tournament."""

    number = IntegerField(allow_null=True, help_text="Seed, starting at 1; null until versions are frozen.")
    version = VersionSerializer(help_text="The version that plays.")
    updates_automatically = BooleanField(help_text="Whether newer accepted versions replace it until entries close.")
    state = ChoiceField(Entrant.State.choices, help_text="The entrant's state.")
    state_reason = MessageText(
        help_text="Why it failed its trial or check, why a version was left out, or why it left; empty otherwise."
    )
    state_detail = SerializerMethodField(
        help_text="What went wrong in its check; empty for anyone but its owner and the organiser."
    )
    entered_late = BooleanField(help_text="Whether an organiser entered it or this version after entries had closed.")
    skipped_version = IntegerField(
        allow_null=True,
        help_text="Number of a version left out because its trial hadn't ended, or null.",
    )
    check_match = IntegerField(allow_null=True, help_text="Id of the version's check match.")
    rating = FloatField(allow_null=True, help_text="Ladder rating when it was seeded, in Elo.")
    left_in_round = IntegerField(allow_null=True, help_text="Number of the first round in which it no longer plays.")
    place = IntegerField(allow_null=True, help_text="Final place; ties share a place.")
    created_at = DateTimeField(help_text="When it was entered.")

    def get_state_detail(self, entrant: Entrant) -> str:
        """Return the fault in the check if the reader is the owner or the organiser, or else an empty string."""
        is_shown = is_owner(self.context["request"], entrant.bot) or self.context["sees_all"]
        return render_message(entrant.state_detail) if is_shown and entrant.state_detail else ""


class EntrySerializer(NamedVersionSerializer):
    """A bot to enter."""

    version = IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_INTEGER_COLUMN_VALUE,
        help_text="Version number. Defaults to the newest accepted version or, without one, the newest on "
        "trial; newer versions replace it until entries close. A version on trial waits until its "
        "trial ends.",
    )
    reason = CharField(
        required=False,
        max_length=MAX_REASON_LENGTH,
        allow_blank=True,
        help_text="Reason for a late entry, which is public. Organisers need one to enter bots after entries "
        "have closed.",
    )
    code = CharField(
        required=False,
        max_length=40,
        help_text="The tournament's code, if it requires one. Each author needs to give it only once.",
    )


class TournamentInvitationSerializer(Serializer):
    """An invitation to enter a bot."""

    bot = CharField(source="bot.slug", help_text="The bot's slug.")
    authors = AuthorsField(source="bot")
    has_entered = BooleanField(help_text="Whether it has entered.")
    told_at = DateTimeField(allow_null=True, help_text="When its authors were notified; null before entries opened.")


class NamedBotSerializer(Serializer):
    """An entered bot."""

    bot = SlugField(help_text="The bot's slug.")


class LeavingSerializer(NamedBotSerializer, ReasonSerializer):
    """A bot to take out."""


def sees_all(request: Request, tournament: Tournament) -> bool:
    """Return whether the request comes from the organiser, and not with a token for one bot."""
    return find_bot_of_token(request) is None and is_organiser(tournament, request.user)


def check_may_act_for(request: Request, tournament: Tournament, bot: Bot) -> None:
    """Raise NotAuthenticated or NotYours unless the request comes from the bot's owner or the organiser."""
    if not sees_all(request, tournament):
        check_owner(request, bot)


# The faults of bots in a tournament: everybody sees which, their owners and the organisers also why.

LOG_LINES_SHOWN = 12


class TournamentFaultSerializer(Serializer):
    """A bot's fault in a leg that counts."""

    bot = CharField(source="participant.version.bot.slug", help_text="The bot's slug.")
    authors = AuthorsField(source="participant.version.bot")
    version = IntegerField(source="participant.version.number", help_text="Version number.")
    round = IntegerField(source="leg.match.pairing_match.pairing.round.number", help_text="Round number.")
    match = IntegerField(source="leg.match_id", help_text="The match's id.")
    leg = IntegerField(source="leg.number", help_text="Leg number, starting at 1.")
    seat = IntegerField(help_text="The bot's seat, starting at 0.")
    verdict = ChoiceField(VERDICTS, help_text="The fault.")
    message = SerializerMethodField(
        help_text="Details of the fault; empty for anyone but the bot's owner and the organisers, or if unknown."
    )
    log = SerializerMethodField(
        help_text="Last lines of the bot's log; empty for anyone but the bot's owner and the organisers."
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


class Entrants(Resource):
    """The entrants of a tournament, and the faults of their bots."""

    tournament: Tournament | None = None
    in_play: frozenset[int] = frozenset()

    def find_tournament(self, slug: str) -> Tournament:
        """Return the tournament and store it for the context. Raise NotFound."""
        self.tournament = tournament_or_404(self.request, slug)
        return self.tournament

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context, which says whether all causes are shown."""
        sees = self.tournament is not None and sees_all(self.request, self.tournament)
        return super().get_serializer_context() | {"sees_all": sees, "in_play": self.in_play}

    def respond_entrant(self, entrant: Entrant) -> Response:
        """Return the entrant as it is now."""
        assert self.tournament is not None
        return self.respond(list_entrants(self.tournament).get(pk=entrant.pk))

    @operation("tournaments_entrants_list", "List a tournament's entrants", [EntrantSerializer])
    def list(self, request: Request, slug: str) -> Response:
        """List the entrants in order of entry, including those that have left."""
        return self.respond_page(list_entrants(self.find_tournament(slug)), ordering=("pk",))

    @operation("tournaments_entrants_create", "Enter a bot", EntrantSerializer, status=201, reads=EntrySerializer)
    def enter(self, request: Request, slug: str) -> Response:
        """Enter a bot, as its owner or an organiser. Its version plays a check match against itself.

        To replace the version, send another request. A version on trial first waits until its trial ends. Once entries
        have closed, only organisers can enter bots, until the first round is drawn, and they have to give a reason.
        """
        tournament, sent = self.find_tournament(slug), self.read_data()
        bot = bot_or_404(request, sent["bot"])
        check_may_act_for(request, tournament, bot)
        version = version_or_404(request, sent) if "version" in sent else None
        if "code" in sent:
            address = find_client_network(request)
            permit_by_code(tournament=tournament, user=self.user, typed=sent["code"], address=address)
        reason = sent.get("reason", "")
        entrant = entering.enter(tournament=tournament, bot=bot, user=self.user, version=version, reason=reason)
        return self.respond_entrant(entrant)

    @operation("tournaments_invitations_list", "List a tournament's invitations", [TournamentInvitationSerializer])
    def list_invitations(self, request: Request, slug: str) -> Response:
        """List the bots whose authors are invited to enter them. Organisers see all bots, others only their own."""
        tournament = self.find_tournament(slug)
        forbid_caching(request)
        as_organiser = sees_all(request, tournament)
        found = list_invitations(tournament, reader_of(request), as_organiser=as_organiser)
        return self.respond_page(found, ordering=("pk",))

    def entrant_or_404(self, slug: str, bot: str) -> Entrant:
        """Return the entry of a bot. Raise NotFound."""
        found = find_entrant(self.find_tournament(slug), bot)
        return require_row(found, _("No bot with the address %(slug)s has entered.") % {"slug": bot})

    @operation("tournaments_approve", "Approve an entry", EntrantSerializer, reads=NamedBotSerializer)
    def approve(self, request: Request, slug: str) -> Response:
        """Approve a waiting entry, which then plays its check match; a remote bot is ready at once. Organisers only."""
        entrant = self.entrant_or_404(slug, self.read_data()["bot"])
        own_tournament_or_404(request, slug)
        return self.respond_entrant(entering.approve_entry(entrant=entrant, organiser=self.user))

    @operation("tournaments_withdraw", "Withdraw a bot", EntrantSerializer, reads=LeavingSerializer)
    def withdraw(self, request: Request, slug: str) -> Response:
        """Withdraw a bot, as its owner or an organiser. It loses its current two-bot pairings."""
        sent = self.read_data()
        entrant = self.entrant_or_404(slug, sent["bot"])
        check_may_act_for(request, entrant.tournament, entrant.bot)
        reason = sent.get("reason", "")
        return self.respond_entrant(entering.withdraw(entrant=entrant, user=self.user, reason=reason))

    @operation("tournaments_disqualify", "Disqualify a bot", EntrantSerializer, reads=LeavingSerializer)
    def disqualify(self, request: Request, slug: str) -> Response:
        """Remove a bot from the tournament permanently. Requires a reason. Organisers only."""
        sent = self.read_data()
        entrant = self.entrant_or_404(slug, sent["bot"])
        own_tournament_or_404(request, slug)
        reason = sent.get("reason", "")
        return self.respond_entrant(entering.disqualify(entrant=entrant, organiser=self.user, reason=reason))

    @operation("tournaments_faults_list", "List a tournament's faults", [TournamentFaultSerializer])
    def list_faults(self, request: Request, slug: str) -> Response:
        """List the faults in matches that count, newest first."""
        return self.respond_page(select_faulty_seats(self.find_tournament(slug)), attach=self._note_deals_in_play)

    def _note_deals_in_play(self, seats: Sequence[LegSeat]) -> None:
        """Keep the matches whose causes would tell cards that are still played with elsewhere."""
        self.in_play = frozenset(list_matches_with_deal_in_play({seat.leg.match_id for seat in seats}))
