"""Tokens: made and revoked by people only, in front of the site."""

from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_serializer
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, DateTimeField, IntegerField, Serializer, SlugField

from arena.api.auth import BySession
from arena.api.errors import find
from arena.api.frame import Resource
from arena.bots.models import Bot, Token
from arena.bots.tokens import MAX_TOKEN_NAME, BadTokenName, issue_token, revoke_token

FOR_CI = {
    "id": 5,
    "name": "CI of Kingfisher",
    "bot": "kingfisher",
    "hint": "pnt_q7Zd",
    "created_at": "2026-05-03T09:12:44Z",
    "last_used_at": None,
}


@extend_schema_serializer(examples=[OpenApiExample("for one bot", FOR_CI, response_only=True)])
class TokenSerializer(Serializer):
    id = IntegerField(source="pk")
    name = CharField(help_text="What it is for.")
    bot = CharField(source="bot.slug", default=None, allow_null=True, help_text="Null: all of the owner's bots.")
    hint = CharField(help_text="How it begins.")
    created_at = DateTimeField()
    last_used_at = DateTimeField(allow_null=True, help_text="To a minute or so.")


@extend_schema_serializer(
    examples=[OpenApiExample("for one bot", FOR_CI | {"token": "pnt_q7Zd1L…"}, response_only=True)]
)
class NewTokenSerializer(TokenSerializer):
    token = CharField(help_text="Shown this once.")


class TokenDraftSerializer(Serializer):
    name = CharField(max_length=MAX_TOKEN_NAME, help_text="What it is for.")
    bot = SlugField(required=False, allow_null=True, help_text="Without it: for all bots there are and will be.")


class TokenList(Resource):
    permission_classes = [BySession]
    serializer_class = TokenSerializer

    @extend_schema(summary="Your tokens that are valid", responses=TokenSerializer(many=True))
    def get(self, request: Request) -> Response:
        return self.respond_page(Token.objects.valid().filter(owner=request.user).select_related("bot"))

    @extend_schema(summary="A new token", request=TokenDraftSerializer, responses={201: NewTokenSerializer})
    def post(self, request: Request) -> Response:
        draft = self.read_data(TokenDraftSerializer)
        slug = draft.get("bot")
        bot = slug and find(Bot.objects.of(request.user), f"You have no bot at {slug}.", slug=slug)
        try:
            token, text = issue_token(owner=request.user, name=draft["name"], bot=bot or None)
        except BadTokenName as error:
            raise ValidationError({"name": [str(error)]}) from None
        token.token = text
        response = self.respond(token, NewTokenSerializer, status=201)
        response["Cache-Control"] = "no-store"
        return response


class TokenDetail(Resource):
    permission_classes = [BySession]
    serializer_class = TokenSerializer

    @extend_schema(summary="Revoke a token", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        token = find(Token.objects.valid().filter(owner=request.user), "You have no such token.", pk=pk)
        revoke_token(token=token, owner=request.user)
        return Response(status=204)
