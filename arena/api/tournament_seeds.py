"""The seeds of a tournament, which its organiser may order."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ListField, Serializer, SlugField

from arena.api.tournaments import TournamentAction
from arena.tournaments.services import seeding
from arena.tournaments.settings import MAX_ENTRANTS


class SeedsSerializer(Serializer):
    """The order of the seeds: either field."""

    bots = ListField(
        child=SlugField(),
        required=False,
        max_length=MAX_ENTRANTS,
        help_text="Slugs of bots, the best first. The others follow by strength; an empty list leaves all to it.",
    )
    places_in = SlugField(required=False, help_text="Slug of a finished tournament whose places are taken.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check that there is one of the fields."""
        if len(attrs) != 1:
            raise ValidationError(_("Give either bots or places_in."))
        return attrs


class TournamentSeeds(TournamentAction):
    """The seeds of a tournament before its start."""

    @extend_schema(operation_id="tournaments_seeds", summary="Order the seeds of a tournament", request=SeedsSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Order the seeds, until the first round is drawn."""
        sent = self.read_data(SeedsSerializer)
        if "bots" in sent:
            return self.act(request, slug, seeding.order_seeds, bots=sent["bots"])
        return self.act(request, slug, seeding.take_seeds, source=sent["places_in"])
