"""Who the API takes you for."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field, extend_schema_serializer
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, ListField, Serializer, SerializerMethodField

from arena.accounts.models import User
from arena.api.frame import Resource
from arena.bots.models import Bot

ANA = {
    "username": "ana",
    "token": {"name": "CI of Kingfisher", "hint": "pnt_q7Zd", "bot": "kingfisher"},
    "bots": ["heron", "kingfisher"],
}


class OwnTokenSerializer(Serializer):
    name = CharField()
    hint = CharField()
    bot = CharField(source="bot.slug", default=None, allow_null=True, help_text="Null: all of the owner's bots.")


@extend_schema_serializer(examples=[OpenApiExample("by a token", ANA, response_only=True)])
class MeSerializer(Serializer):
    username = CharField()
    token = SerializerMethodField(help_text="The token that asks; null for a session.")
    bots = SerializerMethodField(help_text="Slugs of your bots.")

    @extend_schema_field(OwnTokenSerializer(allow_null=True))
    def get_token(self, user: User) -> dict[str, Any] | None:
        token = self.context["request"].auth
        return None if token is None else OwnTokenSerializer(token).data

    @extend_schema_field(ListField(child=CharField()))
    def get_bots(self, user: User) -> list[str]:
        return list(Bot.objects.of(user).values_list("slug", flat=True))


class Me(Resource):
    permission_classes = [IsAuthenticated]
    serializer_class = MeSerializer

    @extend_schema(operation_id="me", summary="You")
    def get(self, request: Request) -> Response:
        return self.respond(request.user)
