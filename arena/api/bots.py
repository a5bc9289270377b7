"""Bots: who plays, whose they are, and where they stand."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field, extend_schema_serializer
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    FloatField,
    IntegerField,
    Serializer,
    SerializerMethodField,
)

from arena.api.auth import bot_or_404, check_general, own_bot_or_404
from arena.api.fields import MessageText
from arena.api.frame import Resource
from arena.baked import baked
from arena.bots.lookups import ask_newest
from arena.bots.models import Bot, BotVersion
from arena.bots.services import MAX_NAME, BadName, create_bot
from arena.ladders.models import Entry
from arena.ladders.services.entering import pause_bot, resume_bot
from engine.registry import GAMES

IN_PLAY = [Entry.State.ACTIVE.value, Entry.State.SUSPENDED.value]


class BotEntrySerializer(Serializer):
    """A version of a bot on a ladder that runs."""

    game = CharField(source="ladder.game")
    edition = CharField(source="ladder.edition")
    season = IntegerField(source="ladder.season")
    version = IntegerField(source="version.number")
    state = ChoiceField(IN_PLAY)
    state_reason = MessageText(help_text="Why it doesn't play; empty where it does.")
    rating = FloatField(help_text="Elo.")
    margin_95 = FloatField(help_text="Half of the 95 % interval, Elo.")
    is_ranked = BooleanField(help_text="Its rating is known well enough for a rank.")
    rank_low = IntegerField(allow_null=True, help_text="The best of its plausible ranks.")
    rank_high = IntegerField(allow_null=True, help_text="The worst of them.")
    group = IntegerField(allow_null=True, help_text="Entries of one group can't be told apart; 1 is the best.")
    matches = IntegerField(help_text="Rated ones.")


class NewestSerializer(Serializer):
    number = IntegerField()
    state = ChoiceField(BotVersion.State.choices)
    language = CharField()


KINGFISHER = {
    "slug": "kingfisher",
    "name": "Kingfisher",
    "owner": "ana",
    "game": "battleline",
    "created_at": "2026-05-03T09:12:44Z",
    "page": "https://arena.example.org/bots/kingfisher/",
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


@extend_schema_serializer(examples=[OpenApiExample("Kingfisher", KINGFISHER, response_only=True)])
class BotSerializer(Serializer):
    slug = CharField(help_text="Its name in addresses.")
    name = CharField()
    owner = CharField(source="owner.username")
    game = CharField()
    created_at = DateTimeField()
    page = SerializerMethodField(help_text="Where people look at it.")
    latest_version = SerializerMethodField(help_text="The latest version; null where there is none yet.")
    entries = SerializerMethodField(help_text="What plays for it, or is suspended, on ladders that run.")

    def get_page(self, bot: Bot) -> str:
        return self.context["request"].build_absolute_uri(bot.get_absolute_url())

    @extend_schema_field(NewestSerializer(allow_null=True))
    def get_latest_version(self, bot: Bot) -> dict[str, Any] | None:
        newest = bot.latest_version
        return newest and {"number": newest.number, "state": newest.state, "language": newest.language}

    @extend_schema_field(BotEntrySerializer(many=True))
    def get_entries(self, bot: Bot) -> list[dict[str, Any]]:
        return BotEntrySerializer(bot.in_play, many=True).data


class BotDraftSerializer(Serializer):
    name = CharField(max_length=MAX_NAME, help_text="It can't be changed later.")
    game = ChoiceField(list(GAMES))


class BotQuery(Serializer):
    game = ChoiceField(list(GAMES), required=False)
    owner = CharField(max_length=150, required=False, help_text="User name.")
    search = CharField(max_length=MAX_NAME, required=False, help_text="What its name has in it.")


def add_parts(bots: Sequence[Bot]) -> None:
    """What is shown beside each bot: its newest version, and what plays for it."""
    keys = [bot.pk for bot in bots]
    newest = {version.bot_id: version for version in ask_newest(keys)}
    entries: dict[int, list[Entry]] = {}
    for entry in ask_in_play(keys):
        entries.setdefault(entry.version.bot_id, []).append(entry)
    for bot in bots:
        bot.latest_version, bot.in_play = newest.get(bot.pk), entries.get(bot.pk, [])


def with_parts(bot: Bot) -> Bot:
    add_parts([bot])
    return bot


@baked
def ask_in_play(bots: Sequence[int]) -> QuerySet[Entry]:
    """On ladders that run, suspended or not."""
    entries = Entry.objects.exclude(state=Entry.State.RETIRED).filter(version__bot__in=bots, ladder__closed_at=None)
    entries = entries.select_related("ladder", "version").defer("ladder__secret", "version__build_log")
    return entries.order_by("version__number", "ladder")


class BotList(Resource):
    serializer_class = BotSerializer
    query_class = BotQuery
    ordering = ("slug",)

    @extend_schema(summary="All bots", parameters=[BotQuery], responses=BotSerializer(many=True))
    def get(self, request: Request) -> Response:
        """In the order of their slugs."""
        asked = dict(self.query)
        bots = Bot.objects.called(asked.pop("search")) if "search" in asked else Bot.objects.all()
        lookups = {"game": "game", "owner": "owner__username"}
        bots = bots.filter(**{lookups[name]: value for name, value in asked.items()})
        return self.respond_page(bots.select_related("owner"), attach=add_parts)

    @extend_schema(summary="A new bot", request=BotDraftSerializer, responses={201: BotSerializer})
    def post(self, request: Request) -> Response:
        """It has no version yet. Not with a token that is for one bot."""
        check_general(request)
        draft = self.read_data(BotDraftSerializer)
        try:
            bot = create_bot(owner=request.user, **draft)
        except BadName as error:
            raise ValidationError({"name": [str(error)]}) from None
        return self.respond(with_parts(bot), status=201)


class BotDetail(Resource):
    serializer_class = BotSerializer

    @extend_schema(summary="One bot")
    def get(self, request: Request, slug: str) -> Response:
        return self.respond(with_parts(bot_or_404(slug)))


class BotPause(Resource):
    serializer_class = BotSerializer

    @extend_schema(operation_id="bots_pause", summary="Take a bot out of play", request=None, responses=BotSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """On all ladders, until it is resumed. Its ratings are kept."""
        bot = own_bot_or_404(request, slug)
        pause_bot(bot=bot, owner=bot.owner)
        return self.respond(with_parts(bot))


class BotResume(Resource):
    serializer_class = BotSerializer

    @extend_schema(operation_id="bots_resume", summary="Let a bot play again", request=None, responses=BotSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """On all ladders on which it was paused, or suspended after faults."""
        bot = own_bot_or_404(request, slug)
        resume_bot(bot=bot, owner=bot.owner)
        return self.respond(with_parts(bot))
