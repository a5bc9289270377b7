"""Tokens, created and revoked by people with a session, never by a token."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_serializer
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, DateTimeField, IntegerField, Serializer, SlugField

from arena.api.auth import BySession, require_user
from arena.api.errors import require_row
from arena.api.frame import Resource
from arena.bots.queries.bots import list_own_bots
from arena.bots.queries.tokens import find_valid_token, list_valid_tokens
from arena.bots.tokens import MAX_TOKEN_NAME_LENGTH, BadTokenName, issue_token, revoke_token
from arena.messages import render_message

TOKEN_EXAMPLE = {
    "id": 5,
    "name": "CI of Kingfisher",
    "bot": "kingfisher",
    "prefix": "pnt_q7Zd",
    "created_at": "2026-05-03T09:12:44Z",
    "last_used_at": None,
}


@extend_schema_serializer(examples=[OpenApiExample("for one bot", TOKEN_EXAMPLE, response_only=True)])
class TokenSerializer(Serializer):
    """A token without its text."""

    id = IntegerField(source="pk", help_text="Id of the token.")
    name = CharField(help_text="What the token is for.")
    bot = CharField(
        source="bot.slug", default=None, allow_null=True, help_text="Slug of its bot; null for all of the owner's bots."
    )
    prefix = CharField(help_text="First characters of the token.")
    created_at = DateTimeField(help_text="When it was created.")
    last_used_at = DateTimeField(allow_null=True, help_text="When it was last used, to a minute or so.")


@extend_schema_serializer(
    examples=[OpenApiExample("for one bot", TOKEN_EXAMPLE | {"token": "pnt_q7Zd1L…"}, response_only=True)]
)
class NewTokenSerializer(TokenSerializer):
    """A new token with its text."""

    token = CharField(help_text="The token itself. It is shown this once.")


class TokenDraftSerializer(Serializer):
    """A token to be created."""

    name = CharField(max_length=MAX_TOKEN_NAME_LENGTH, help_text="What the token is for.")
    bot = SlugField(
        required=False, allow_null=True, help_text="Slug of its bot; if omitted, it is for all bots, future ones too."
    )


class TokenList(Resource):
    """Your tokens."""

    is_list = True
    permission_classes = [BySession]
    serializer_class = TokenSerializer

    @extend_schema(summary="List your tokens", responses=TokenSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List your tokens that were not revoked, newest first."""
        return self.respond_page(list_valid_tokens(require_user(request)))

    @extend_schema(summary="Create a token", request=TokenDraftSerializer, responses={201: NewTokenSerializer})
    def post(self, request: Request) -> Response:
        """Create a token. Its text is shown this once."""
        draft = self.read_data(TokenDraftSerializer)
        owner, slug = require_user(request), draft.get("bot")
        message = _("You have no bot at %(slug)s.") % {"slug": slug}
        bot = require_row(list_own_bots(owner).filter(slug=slug).first(), message) if slug else None
        try:
            token, text = issue_token(owner=owner, name=draft["name"], bot=bot)
        except BadTokenName as error:
            raise ValidationError({"name": [render_message(error.message)]}) from None
        shown: Any = token
        shown.token = text
        response = self.respond(shown, NewTokenSerializer, status=201)
        response["Cache-Control"] = "no-store"
        return response


class TokenDetail(Resource):
    """One of your tokens."""

    permission_classes = [BySession]
    serializer_class = TokenSerializer

    @extend_schema(summary="Revoke a token", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Revoke a token at once and for good."""
        owner = require_user(request)
        revoke_token(token=require_row(find_valid_token(owner, pk), _("You have no such token.")), owner=owner)
        return Response(status=204)
