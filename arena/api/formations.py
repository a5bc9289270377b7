"""Formations of Battalion: their names, and how they fared in rated legs."""

from django.utils.translation import override, pgettext
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    FloatField,
    IntegerField,
    Serializer,
    SerializerMethodField,
)

from arena.api.examples import EXAMPLE_HOST, response_example
from arena.api.frame import Resource
from arena.api.references import HtmlUrlField, VersionSerializer
from arena.formations.models import MAX_SHAPE_LENGTH, Formation
from arena.formations.queries.formations import list_formations

EXAMPLE_FORMATION = {
    "shape": "0,2,4,6/1,3,5/2,4",
    "html_url": f"{EXAMPLE_HOST}/rules/battalion/formations/?shape=0%2C2%2C4%2C6%2F1%2C3%2C5%2F2%2C4",
    "index": "4-3-2",
    "cells": 9,
    "hand": 3,
    "name": "Funnel",
    "name_hu": "Tölcsér",
    "is_library": True,
    "example": "deploy 0=9,2=A,4=7,6=10/1=J,3=6,5=Q/2=K,4=5 guard=8",
    "deployed_legs": 412,
    "deployed_points": 0.58,
    "reformed_legs": 0,
    "reformed_points": None,
    "first_version": {"bot": "kingfisher", "name": "Kingfisher", "authors": ["ana"], "version": 3},
    "first_match": 4711,
}


@response_example("Funnel", EXAMPLE_FORMATION)
class FormationSerializer(Serializer):
    """A formation: a shape, whatever cards lie in it. A shape and its mirror image are the same formation."""

    shape = CharField(help_text="Half-columns of each row, front to back, as in a `deploy` action without its cards.")
    html_url = HtmlUrlField()
    index = CharField(help_text="Number of cells in each of three rows, from the front.")
    cells = IntegerField(help_text="Number of cells, without the guard's.")
    hand = IntegerField(help_text="Number of cards in hand once it is deployed.")
    name = CharField(source="english_name", help_text="Name in English; empty if it has none.")
    name_hu = SerializerMethodField(help_text="Name in Hungarian; empty if it has none.")
    is_library = BooleanField(help_text="Whether the name comes with the rules; others are given by the arena's staff.")
    example = CharField(help_text="An action that deploys it.")
    deployed_legs = IntegerField(source="deployed", help_text="Number of rated legs in which a seat deployed it.")
    deployed_points = FloatField(
        source="deployed_mean", allow_null=True, help_text="Mean points of these legs, from 0 to 1; null without any."
    )
    reformed_legs = IntegerField(source="reformed", help_text="Number of rated legs in which a seat reformed into it.")
    reformed_points = FloatField(
        source="reformed_mean", allow_null=True, help_text="Mean points of these legs, from 0 to 1; null without any."
    )
    first_version = VersionSerializer(allow_null=True, help_text="Version that laid it out first; null if none did.")
    first_match = IntegerField(
        source="first_match_id", allow_null=True, help_text="Id of the rated match in which it did; null if none did."
    )

    def get_name_hu(self, formation: Formation) -> str:
        """Return the Hungarian name; that of the library is in the catalogue."""
        if not formation.library_name:
            return formation.name_hu
        with override("hu"):
            return pgettext("named formation", formation.library_name)


class FormationQuery(Serializer):
    """Filters of formations."""

    shape = CharField(required=False, max_length=MAX_SHAPE_LENGTH, help_text="Only the formation with this shape.")
    cells = IntegerField(required=False, min_value=1, max_value=12, help_text="Only formations of so many cells.")
    named = BooleanField(
        required=False, allow_null=True, default=None, help_text="Only those with, or without, a name."
    )


class FormationList(Resource):
    """All formations with a name, and all that were laid out in a rated leg."""

    is_list = True
    serializer_class = FormationSerializer
    query_class = FormationQuery
    ordering = ("-deployed", "pk")

    @extend_schema(
        operation_id="formations_list",
        summary="List formations",
        parameters=[FormationQuery],
        responses=FormationSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the formations of Battalion, the most deployed first."""
        return self.respond_page(list_formations(**self.query))
