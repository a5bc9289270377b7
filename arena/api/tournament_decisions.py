"""What organisers decide about a tournament: pairings, the record of all decisions, and who organises it."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BooleanField, CharField, DateTimeField, Serializer, SlugField

from arena import tasks
from arena.api.auth import require_user
from arena.api.examples import (
    EXAMPLE_ORGANISER,
    EXAMPLE_ORGANISER_ACT,
    EXAMPLE_PAIRING_DECISION,
    request_example,
    response_example,
)
from arena.api.fields import ChoiceField, MessageText
from arena.api.frame import Resource
from arena.api.tournaments import (
    MAX_REASON_LENGTH,
    ReasonSerializer,
    TournamentAction,
    TournamentSerializer,
    own_tournament_or_404,
    reader_of,
    tournament_or_404,
)
from arena.rehearsing import end_rehearsal, rehearse
from arena.tournaments.acts import Act
from arena.tournaments.queries.tournaments import list_acts
from arena.tournaments.services.deciding import Outcome, PairingDecision, decide_pairing, undo_decision
from arena.tournaments.services.organisers import add_co_organiser, is_organiser, remove_co_organiser


@request_example("A win", EXAMPLE_PAIRING_DECISION)
class PairingDecisionSerializer(Serializer):
    """What an organiser decides about a pairing."""

    outcome = ChoiceField(
        list(Outcome), help_text="Result of the pairing: one wins, it is even, or all lose. A knockout needs a winner."
    )
    winner = SlugField(required=False, help_text="Slug of the bot that wins; needed for a win alone.")
    reason = CharField(max_length=MAX_REASON_LENGTH, help_text="Reason, which is public.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check that a winner is named where there is one, and nowhere else."""
        if ("winner" in attrs) != (attrs["outcome"] == Outcome.WIN):
            raise ValidationError({"winner": _("Name the winner of a win, and of no other outcome.")})
        return attrs


class PairingDecide(TournamentAction):
    """Deciding a pairing."""

    @extend_schema(
        operation_id="tournaments_pairings_decide",
        summary="Decide a pairing",
        request=PairingDecisionSerializer,
    )
    def post(self, request: Request, slug: str, number: int, board: int) -> Response:
        """Give an undecided pairing of the current round a result. Its matches decide nothing any more."""
        decision = PairingDecision(**self.read_data(PairingDecisionSerializer))
        return self.act(request, slug, decide_pairing, number=number, board=board, decision=decision)


class PairingUndo(TournamentAction):
    """Taking back the decision on a pairing."""

    @extend_schema(
        operation_id="tournaments_pairings_undo",
        summary="Take back the decision on a pairing",
        request=ReasonSerializer,
    )
    def post(self, request: Request, slug: str, number: int, board: int) -> Response:
        """Let the matches of a pairing decide again, until the next round has started."""
        reason = self.read_data(ReasonSerializer).get("reason", "")
        return self.act(request, slug, undo_decision, number=number, board=board, reason=reason)


@response_example("Decided", EXAMPLE_ORGANISER_ACT)
class OrganiserActSerializer(Serializer):
    """Something that an organiser decided."""

    at = DateTimeField(help_text="When it was decided.")
    by = CharField(
        source="actor.username", default=None, allow_null=True, help_text="User name of who decided; null if unknown."
    )
    act = ChoiceField(Act.choices, help_text="Kind of the decision.")
    text = MessageText(help_text="What was decided.")
    reason = CharField(help_text="Reason in the words of who decided; may be empty.")
    is_public = BooleanField(help_text="Whether everybody who sees the tournament reads it; else its organisers alone.")


class OrganiserActs(Resource):
    """The record of what organisers decided."""

    is_list = True
    serializer_class = OrganiserActSerializer

    @extend_schema(
        operation_id="tournaments_decisions_list",
        summary="List what the organisers of a tournament decided",
        responses=OrganiserActSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List decisions, newest first. What touches no result is for organisers alone."""
        tournament = tournament_or_404(request, slug)
        as_organiser = is_organiser(tournament, reader_of(request))
        return self.respond_page(list_acts(tournament, as_organiser=as_organiser))


@response_example("A colleague", EXAMPLE_ORGANISER)
@request_example("A colleague", EXAMPLE_ORGANISER)
class OrganiserSerializer(Serializer):
    """Somebody who organises a tournament."""

    username = CharField(max_length=150, help_text="User name.")


class OrganiserList(Resource):
    """The co-organisers of a tournament."""

    is_list = True
    serializer_class = OrganiserSerializer
    permission_classes = [IsAuthenticated]

    @extend_schema(
        operation_id="tournaments_organisers_list",
        summary="List the co-organisers of a tournament",
        responses=OrganiserSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List those who organise a tournament beside who created it, as an organiser."""
        return self.respond_page(own_tournament_or_404(request, slug).co_organisers.all())

    @extend_schema(
        operation_id="tournaments_organisers_add",
        summary="Add a co-organiser",
        request=OrganiserSerializer,
        responses={201: OrganiserSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Let another user organise a tournament, too: everything but to delete it and to choose its organisers."""
        tournament, username = own_tournament_or_404(request, slug), self.read_data(OrganiserSerializer)["username"]
        user = add_co_organiser(tournament=tournament, organiser=require_user(request), username=username)
        return self.respond(user, OrganiserSerializer, status=201)


class OrganiserRemove(TournamentAction):
    """Removing a co-organiser."""

    @extend_schema(
        operation_id="tournaments_organisers_remove",
        summary="Remove a co-organiser",
        request=OrganiserSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        """End that a user organises a tournament; co-organisers may take themselves out."""
        tournament, username = own_tournament_or_404(request, slug), self.read_data(OrganiserSerializer)["username"]
        remove_co_organiser(tournament=tournament, organiser=require_user(request), username=username)
        return self.respond_tournament(request, slug)


class TournamentRehearse(TournamentAction):
    """Rehearsing a tournament."""

    @extend_schema(
        operation_id="tournaments_rehearse",
        summary="Rehearse a tournament with the sample bots",
        request=None,
        responses={201: TournamentSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Begin a short copy with sample bots that only its organisers see. It is deleted a day after its end."""
        tournament = own_tournament_or_404(request, slug)
        with transaction.atomic():
            made = rehearse(tournament=tournament, organiser=require_user(request))
            tasks.play_tournament.delay_on_commit(made.pk)
        return self.respond_tournament(request, made.slug, status=201)


class TournamentEndRehearsal(TournamentAction):
    """Ending a rehearsal."""

    @extend_schema(
        operation_id="tournaments_rehearsal_end",
        summary="Delete a rehearsal",
        request=None,
        responses={204: None},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Delete a rehearsal with its matches at once."""
        end_rehearsal(tournament=own_tournament_or_404(request, slug), organiser=require_user(request))
        return Response(status=204)
