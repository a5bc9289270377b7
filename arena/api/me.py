"""The account that the request is authenticated as."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field, extend_schema_serializer
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, ListField, Serializer, SerializerMethodField

from arena.accounts.models import User
from arena.api.frame import Resource
from arena.bots.queries.bots import list_own_bots

ME_EXAMPLE = {
    "username": "ana",
    "token": {"name": "CI of Kingfisher", "prefix": "pnt_q7Zd", "bot": "kingfisher"},
    "bots": ["heron", "kingfisher"],
}


class OwnTokenSerializer(Serializer):
    """The token of the request."""

    name = CharField(help_text="What the token is for.")
    prefix = CharField(help_text="First characters of the token.")
    bot = CharField(
        source="bot.slug", default=None, allow_null=True, help_text="Slug of its bot; null for all of the owner's bots."
    )


@extend_schema_serializer(examples=[OpenApiExample("by a token", ME_EXAMPLE, response_only=True)])
class MeSerializer(Serializer):
    """The user of the request."""

    username = CharField(help_text="Your user name.")
    token = SerializerMethodField(help_text="The token of the request; null for a session.")
    bots = SerializerMethodField(help_text="Slugs of your bots.")

    @extend_schema_field(OwnTokenSerializer(allow_null=True))
    def get_token(self, user: User) -> dict[str, Any] | None:
        """Return the token."""
        token = self.context["request"].auth
        return None if token is None else OwnTokenSerializer(token).data

    @extend_schema_field(ListField(child=CharField()))
    def get_bots(self, user: User) -> list[str]:
        """Return the slugs."""
        return list(list_own_bots(user).values_list("slug", flat=True))


class Me(Resource):
    """You."""

    permission_classes = [IsAuthenticated]
    serializer_class = MeSerializer

    @extend_schema(operation_id="me", summary="Show who you are")
    def get(self, request: Request) -> Response:
        """Return who the request is authenticated as."""
        return self.respond(request.user)
