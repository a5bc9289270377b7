"""Bots: authors, newest version, and entries on ladders."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field, extend_schema_serializer
from rest_framework.exceptions import ValidationError
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

from arena.accounts.models import User
from arena.accounts.names import BadName
from arena.api.auth import bot_or_404, own_bot_or_404, require_unrestricted_token, require_user
from arena.api.errors import require_row
from arena.api.fields import ChoiceField, MessageText
from arena.api.frame import Resource
from arena.api.references import AuthorsField, HtmlUrlField
from arena.author_acts import delete_bot, rename_own_bot, retire_bot, return_bot
from arena.bots.models import Bot, BotVersion
from arena.bots.queries.bots import is_game_known, list_bots, list_newest_versions
from arena.bots.services import MAX_BOT_NAME_LENGTH, create_bot
from arena.groups.audience import Reader
from arena.groups.models import Group
from arena.groups.queries.groups import find_group
from arena.ladders.models import Entry
from arena.ladders.queries.entries import list_entries_in_play
from arena.ladders.services.entering import pause_bot, resume_bot
from arena.messages import render_message
from arena.staff_reports import report_new_bot
from engine.registry import GAMES

ENTRY_STATES_IN_PLAY = [Entry.State.ACTIVE.value, Entry.State.SUSPENDED.value]


class BotEntrySerializer(Serializer):
    """A version of a bot on a running ladder."""

    game = CharField(source="ladder.game", help_text="Key of the game.")
    edition = CharField(source="ladder.edition", help_text="Key of the edition.")
    season = IntegerField(source="ladder.season", help_text="Season number, starting at 1.")
    version = IntegerField(source="version.number", help_text="Version number, starting at 1.")
    state = ChoiceField(ENTRY_STATES_IN_PLAY, help_text="Whether it plays or is suspended.")
    state_reason = MessageText(help_text="Why it is suspended; empty if it is not.")
    rating = FloatField(help_text="Rating in Elo.")
    margin_95 = FloatField(help_text="Half of the rating's 95 % interval, in Elo.")
    is_ranked = BooleanField(help_text="Whether the rating is known well enough for a rank.")
    rank_low = IntegerField(allow_null=True, help_text="Lower end of its plausible ranks (the best one).")
    rank_high = IntegerField(allow_null=True, help_text="Upper end of its plausible ranks (the worst one).")
    group = IntegerField(allow_null=True, help_text="Group of entries that can't be told apart; 1 is the best group.")
    matches = IntegerField(help_text="Number of rated matches.")


class LatestVersionSerializer(Serializer):
    """The newest version of a bot."""

    number = IntegerField(help_text="Version number, starting at 1.")
    state = ChoiceField(BotVersion.State.choices, help_text="State of the version.")
    language = CharField(help_text="Key of the programming language.")


BOT_EXAMPLE = {
    "slug": "kingfisher",
    "name": "Kingfisher",
    "authors": ["ana"],
    "game": "battleline",
    "created_at": "2026-05-03T09:12:44Z",
    "stopped_at": None,
    "is_for_group_only": False,
    "html_url": "https://arena.example.org/bots/kingfisher/",
    "latest_version": {"number": 3, "state": "accepted", "language": "python"},
    "entries": [
        {
            "game": "battleline",
            "edition": "standard",
            "season": 1,
            "version": 3,
            "state": "active",
            "state_reason": "",
            "rating": 1612.4,
            "margin_95": 41.2,
            "is_ranked": True,
            "rank_low": 2,
            "rank_high": 5,
            "group": 2,
            "matches": 148,
        }
    ],
}


@extend_schema_serializer(examples=[OpenApiExample("Kingfisher", BOT_EXAMPLE, response_only=True)])
class BotSerializer(Serializer):
    """A bot."""

    slug = CharField(help_text="Name of the bot in addresses.")
    name = CharField(help_text="Name of the bot.")
    authors = AuthorsField(source="*")
    game = CharField(help_text="Key of the game it plays.")
    created_at = DateTimeField(help_text="When the bot was created.")
    stopped_at = DateTimeField(
        allow_null=True, help_text="Since when it plays nowhere, as its owner or staff wants it; null if it plays."
    )
    is_for_group_only = SerializerMethodField(help_text="Whether only the members of a group see it.")
    html_url = HtmlUrlField()
    latest_version = SerializerMethodField(help_text="Newest version; null before the first upload.")
    entries = SerializerMethodField(help_text="Its entries on running ladders, playing or suspended.")

    def get_is_for_group_only(self, bot: Bot) -> bool:
        """Return whether it is for a group."""
        return bot.group_id is not None

    @extend_schema_field(LatestVersionSerializer(allow_null=True))
    def get_latest_version(self, bot: Any) -> dict[str, Any] | None:
        """Return the version that was attached."""
        latest = bot.latest_version
        return latest and {"number": latest.number, "state": latest.state, "language": latest.language}

    @extend_schema_field(BotEntrySerializer(many=True))
    def get_entries(self, bot: Any) -> list[dict[str, Any]]:
        """Return the entries that were attached."""
        return list(BotEntrySerializer(bot.in_play, many=True).data)


class BotDraftSerializer(Serializer):
    """A bot to be created."""

    name = CharField(max_length=MAX_BOT_NAME_LENGTH, help_text="Name of the bot.")
    game = ChoiceField(list(GAMES), help_text="Key of the game it plays.")
    group = SlugField(
        required=False, allow_null=True, help_text="Slug of a group of yours whose members alone see it; null: public."
    )


class BotNameSerializer(Serializer):
    """The new name of a bot."""

    name = CharField(max_length=MAX_BOT_NAME_LENGTH, help_text="New name of the bot; its address changes with it.")


class KnownGameField(ChoiceField):
    """The key of a game that is installed, or that has bots from when it was."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the key. Raises ValidationError, which names the installed games."""
        return data if is_game_known(str(data)) else super().to_internal_value(data)


class BotQuery(Serializer):
    """Filters of the list of bots."""

    game = KnownGameField(list(GAMES), required=False, help_text="Only bots that play this game.")
    author = CharField(max_length=150, required=False, help_text="Only bots of the author with this user name.")
    search = CharField(
        max_length=MAX_BOT_NAME_LENGTH, required=False, help_text="Only bots with this text in their names."
    )


def attach_versions_and_entries(reader: Reader, bots: Sequence[Any]) -> None:
    """Read what a reader is shown beside each bot: its newest version and its entries on ladders."""
    keys = [bot.pk for bot in bots]
    newest = {version.bot_id: version for version in list_newest_versions(keys)}
    entries: dict[int, list[Entry]] = {}
    for entry in list_entries_in_play(reader, keys):
        entries.setdefault(entry.version.bot_id, []).append(entry)
    for bot in bots:
        bot.latest_version, bot.in_play = newest.get(bot.pk), entries.get(bot.pk, [])


class BotResource(Resource):
    """An address that returns one bot."""

    serializer_class = BotSerializer

    def respond_bot(self, bot: Bot, status: int = 200) -> Response:
        """Return the bot with its parts."""
        attach_versions_and_entries(self.request.user, [bot])
        return self.respond(bot, BotSerializer, status)


class BotList(BotResource):
    """All bots."""

    is_list = True
    query_class = BotQuery
    ordering = ("slug",)

    @extend_schema(summary="List bots", parameters=[BotQuery], responses=BotSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List bots in the order of their slugs."""
        attach = partial(attach_versions_and_entries, request.user)
        return self.respond_page(list_bots(request.user, **self.query), attach=attach)

    @extend_schema(summary="Create a bot", request=BotDraftSerializer, responses={201: BotSerializer})
    def post(self, request: Request) -> Response:
        """Create a bot without versions. Not allowed for a token for one bot."""
        user = require_unrestricted_token(request)
        try:
            sent = self.read_data(BotDraftSerializer)
            group = group_or_404(user, sent.pop("group", None))
            bot = create_bot(owner=user, group=group, **sent)
        except BadName as error:
            raise ValidationError({"name": [render_message(error.message)]}) from None
        report_new_bot(bot=bot)
        return self.respond_bot(bot, status=201)


def group_or_404(user: User, slug: str | None) -> Group | None:
    """Return the group of a user, or None where none is named. Raise NotFound."""
    if not slug:
        return None
    return require_row(find_group(user, slug), _("You are in no group at %(slug)s.") % {"slug": slug})


class BotDetail(BotResource):
    """One bot."""

    @extend_schema(summary="Show a bot")
    def get(self, request: Request, slug: str) -> Response:
        """Return a bot."""
        return self.respond_bot(bot_or_404(request, slug))

    @extend_schema(summary="Rename a bot", request=BotNameSerializer, responses=BotSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Give a bot another name and address. Records of its earlier matches keep the old name."""
        user = require_unrestricted_token(request)
        bot = own_bot_or_404(request, slug)
        try:
            rename_own_bot(bot=bot, owner=user, **self.read_data(BotNameSerializer))
        except BadName as error:
            raise ValidationError({"name": [render_message(error.message)]}) from None
        bot.refresh_from_db()
        return self.respond_bot(bot)

    @extend_schema(summary="Delete a bot", responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Delete a bot that has played nothing but trials, with its versions and their files."""
        user = require_unrestricted_token(request)
        delete_bot(bot=own_bot_or_404(request, slug), owner=user)
        return Response(status=204)


class BotPause(BotResource):
    """Pausing a bot."""

    @extend_schema(operation_id="bots_pause", summary="Pause a bot", request=None, responses=BotSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Take a bot out of play on all ladders until it is resumed. Its ratings are kept."""
        bot = own_bot_or_404(request, slug)
        pause_bot(bot=bot, owner=require_user(request))
        return self.respond_bot(bot)


class BotResume(BotResource):
    """Resuming a bot."""

    @extend_schema(operation_id="bots_resume", summary="Resume a bot", request=None, responses=BotSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Let a bot play again on all ladders where it was paused, or suspended after faults."""
        bot = own_bot_or_404(request, slug)
        resume_bot(bot=bot, owner=require_user(request))
        return self.respond_bot(bot)


class BotRetire(BotResource):
    """Retiring a bot."""

    @extend_schema(operation_id="bots_retire", summary="Retire a bot", request=None, responses=BotSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Take a bot off all ladders and out of all tournaments, comparisons and live games until it returns."""
        bot = own_bot_or_404(request, slug)
        retire_bot(bot=bot, owner=require_user(request))
        return self.respond_bot(bot_or_404(request, slug))


class BotReturn(BotResource):
    """Letting a retired bot play again."""

    @extend_schema(
        operation_id="bots_return", summary="Let a retired bot play again", request=None, responses=BotSerializer
    )
    def post(self, request: Request, slug: str) -> Response:
        """Let a retired bot play again where it was, with its ratings."""
        bot = own_bot_or_404(request, slug)
        return_bot(bot=bot, owner=require_user(request))
        return self.respond_bot(bot_or_404(request, slug))
