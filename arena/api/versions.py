"""Versions of a bot: handing one in, following it, and letting it play."""

from typing import Any

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    IntegerField,
    Serializer,
    SerializerMethodField,
)

from arena import tasks
from arena.api.auth import bot_or_404, is_owner, own_bot_or_404
from arena.api.errors import find
from arena.api.etags import respond_unless_known
from arena.api.fields import MessageText
from arena.api.frame import Resource
from arena.api.matches import WaitingSerializer
from arena.api.schema import error_response
from arena.api.uploads import UploadSerializer, key_of
from arena.bots.models import Bot, BotVersion
from arena.bots.services import submit_version
from arena.ladders.services.entering import promote
from arena.matches.models import Match, Trial
from arena.matches.waiting import place_in_queue
from arena.messages import render_message


class VersionTrialSerializer(Serializer):
    """The match that decides whether a version is accepted."""

    match = IntegerField(source="match_id")
    state = ChoiceField(Match.State.choices, source="match.state")
    waiting = SerializerMethodField(help_text="Its place in the queue; null once it runs, and in lists.")

    @extend_schema_field(WaitingSerializer(allow_null=True))
    def get_waiting(self, trial: Trial) -> dict[str, Any] | None:
        if self.context.get("is_list") or trial.match.state != Match.State.QUEUED:
            return None
        return WaitingSerializer(place_in_queue(trial.match)).data


THIRD = {
    "bot": "kingfisher",
    "number": 3,
    "state": "on_trial",
    "is_final": False,
    "reason": "",
    "detail": "",
    "is_on_hold": False,
    "language": "python",
    "size": 6144,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "created_at": "2026-05-03T09:12:44Z",
    "url": "https://arena.example.org/api/v1/bots/kingfisher/versions/3/",
    "page": "https://arena.example.org/bots/kingfisher/v/3/",
    "trial": {
        "match": 1207,
        "state": "queued",
        "waiting": {"ahead": 2, "seconds": 9.5, "reason": "Two other trials come first."},
    },
}


@extend_schema_serializer(examples=[OpenApiExample("on trial", THIRD, response_only=True)])
class BotVersionSerializer(Serializer):
    bot = CharField(source="bot.slug")
    number = IntegerField(help_text="From 1.")
    state = ChoiceField(BotVersion.State.choices)
    is_final = BooleanField(help_text="Accepted or rejected: its state won't change any more.")
    reason = MessageText(source="state_reason", help_text="Why it was rejected; empty unless it was.")
    detail = SerializerMethodField(help_text="What went wrong exactly; empty for everybody but its owner.")
    is_on_hold = BooleanField(help_text="It waits to be promoted to the ladders.")
    language = CharField()
    size = IntegerField(help_text="Bytes of all files, unpacked.")
    sha256 = CharField(help_text="Of its source.")
    created_at = DateTimeField()
    url = SerializerMethodField(help_text="Where to ask again.")
    page = SerializerMethodField(help_text="Where people look at it.")
    trial = SerializerMethodField(help_text="Null until it is on trial.")

    def get_detail(self, version: BotVersion) -> str:
        may_see = version.state_detail and is_owner(self.context["request"], version.bot)
        return render_message(version.state_detail) if may_see else ""

    def get_url(self, version: BotVersion) -> str:
        address = reverse("api_version", args=[version.bot.slug, version.number])
        return self.context["request"].build_absolute_uri(address)

    def get_page(self, version: BotVersion) -> str:
        return self.context["request"].build_absolute_uri(version.get_absolute_url())

    @extend_schema_field(VersionTrialSerializer(allow_null=True))
    def get_trial(self, version: BotVersion) -> dict[str, Any] | None:
        trials = version.trials.all()
        return VersionTrialSerializer(list(trials)[-1], context=self.context).data if trials else None


def with_trials(versions: QuerySet[BotVersion]) -> QuerySet[BotVersion]:
    trials = Trial.objects.select_related("match").defer("match__deal", "match__options", "match__limits")
    return versions.select_related("bot__owner").defer("build_log").prefetch_related(Prefetch("trials", trials))


def find_version(bot: Bot, number: int) -> BotVersion:
    """Raises NotFound."""
    return find(with_trials(bot.versions.all()), f"{bot.name} has no version {number}.", number=number)


KEY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="Chosen by the sender, 100 characters at most: sent again under the same key, as after a lost answer, "
    "an upload leads to the version it led to the first time.",
)


class VersionList(Resource):
    serializer_class = BotVersionSerializer
    parser_classes = [MultiPartParser]
    ordering = ("-number",)

    def get_serializer_context(self) -> dict[str, Any]:
        return super().get_serializer_context() | {"is_list": self.request.method == "GET"}

    @extend_schema(summary="Versions of a bot", responses=BotVersionSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The newest first."""
        return self.respond_page(with_trials(bot_or_404(slug).versions.all()))

    @extend_schema(
        summary="Upload a version",
        parameters=[KEY],
        request={"multipart/form-data": UploadSerializer},
        responses={
            201: OpenApiResponse(BotVersionSerializer, "It is the newest version now, and on its way to its trial."),
            200: OpenApiResponse(
                BotVersionSerializer, "These files, or this key, have a version already: nothing was added."
            ),
            422: error_response("422"),
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """The older version keeps playing until this one is accepted. Ask for it again until `is_final`."""
        bot = own_bot_or_404(request, slug)
        key = key_of(request)
        upload = self.read_data(UploadSerializer)
        with transaction.atomic():
            version, is_new = submit_version(
                owner=bot.owner, bot=bot, files=upload["program"], hold=upload["hold"], key=key
            )
            if is_new:
                tasks.begin_check(version)
        return self.respond(find_version(version.bot, version.number), status=201 if is_new else 200)


class VersionDetail(Resource):
    serializer_class = BotVersionSerializer

    @extend_schema(summary="One version")
    def get(self, request: Request, slug: str, number: int) -> Response:
        return self.respond(find_version(bot_or_404(slug), number))


class VersionPromote(Resource):
    serializer_class = BotVersionSerializer

    @extend_schema(
        operation_id="bots_versions_promote", summary="Let a version play", request=None, responses=BotVersionSerializer
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """On all ladders of its game, instead of whatever version plays there now. It must be accepted."""
        bot = own_bot_or_404(request, slug)
        promote(version=find_version(bot, number), owner=bot.owner)
        return self.respond(find_version(bot, number))


class VersionSource(Resource):
    @extend_schema(
        operation_id="bots_versions_source",
        summary="The files of your version, as a zip",
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        version = find_version(own_bot_or_404(request, slug), number)
        return respond_unless_known(request, version.sha256, lambda: self.send(version))

    def send(self, version: BotVersion) -> HttpResponse:
        """A stranger's bytes: to be saved, never to be shown."""
        name = f"{version.bot.slug}-v{version.number}.zip"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
        return HttpResponse(version.source.zipped, content_type="application/zip", headers=headers)
