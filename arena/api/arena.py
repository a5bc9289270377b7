"""The arena itself: which version it is, and what it speaks."""

from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_serializer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, IntegerField, Serializer

from arena.api.frame import Resource
from arena.release import arena_version
from arena.runner.protocol import PROTOCOL_VERSION
from engine.record_shape import FORMAT


@extend_schema_serializer(
    examples=[
        OpenApiExample("an arena", {"version": "0.1.0", "protocol": 1, "record_format": "arena-replay/1"}),
    ]
)
class ArenaSerializer(Serializer):
    """An arena."""

    version = CharField(allow_null=True, help_text="Version of Pennant; null where it runs without being installed.")
    protocol = IntegerField(help_text="Version of the protocol that bots are spoken to in, as `hello` has it.")
    record_format = CharField(help_text="Format of the records that it writes.")


class Arena(Resource):
    """The arena."""

    pagination_class = None

    @extend_schema(operation_id="arena", summary="Show the arena", responses=ArenaSerializer, tags=["arena"])
    def get(self, request: Request) -> Response:
        """Return which version the arena is."""
        row = {"version": arena_version(), "protocol": PROTOCOL_VERSION, "record_format": FORMAT}
        return Response(ArenaSerializer(row).data)
