"""Versions of a bot: uploading one, following its trial, and letting it play."""

from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
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
    DateTimeField,
    IntegerField,
    Serializer,
    SerializerMethodField,
)

from arena import tasks
from arena.api.auth import bot_or_404, is_owner, own_bot_or_404, require_user
from arena.api.errors import require_row
from arena.api.etags import respond_unless_known
from arena.api.fields import ChoiceField, MessageText, PrivateMessageText
from arena.api.frame import ARCHIVE_TYPE, Resource
from arena.api.matches import WaitingSerializer
from arena.api.references import HtmlUrlField
from arena.api.schema import describe_error_response
from arena.api.uploads import UploadSerializer, read_idempotency_key
from arena.bots.models import Bot, BotVersion
from arena.bots.services import submit_version
from arena.ladders.services.entering import promote_to_ladders
from arena.matches.models import Match, Trial
from arena.matches.queries.trials import find_version_with_trials, list_versions_with_trials, newest_prefetched_trial
from arena.matches.waiting import place_in_queue


class VersionTrialSerializer(Serializer):
    """The match that decides whether a version is accepted."""

    match = IntegerField(source="match_id", help_text="Id of the match.")
    state = ChoiceField(Match.State.choices, source="match.state", help_text="State of the match.")
    waiting = SerializerMethodField(help_text="Its place in the queue; null once it is played, and in lists.")

    @extend_schema_field(WaitingSerializer(allow_null=True))
    def get_waiting(self, trial: Trial) -> dict[str, Any] | None:
        """Return the place in the queue."""
        if self.context.get("is_list") or trial.match.state != Match.State.QUEUED:
            return None
        return WaitingSerializer(place_in_queue(trial.match)).data


VERSION_EXAMPLE = {
    "bot": "kingfisher",
    "number": 3,
    "state": "on_trial",
    "is_final": False,
    "state_reason": "",
    "state_detail": "",
    "is_on_hold": False,
    "language": "python",
    "size": 6144,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "created_at": "2026-05-03T09:12:44Z",
    "uploaded_by": None,
    "url": "https://arena.example.org/api/v1/bots/kingfisher/versions/3/",
    "html_url": "https://arena.example.org/bots/kingfisher/v/3/",
    "trial": {
        "match": 1207,
        "state": "queued",
        "waiting": {"ahead": 2, "seconds": 9.5, "reason": "Two other trials come first."},
    },
}


@extend_schema_serializer(examples=[OpenApiExample("on trial", VERSION_EXAMPLE, response_only=True)])
class BotVersionSerializer(Serializer):
    """A version of a bot."""

    bot = CharField(source="bot.slug", help_text="Slug of the bot.")
    number = IntegerField(help_text="Version number, starting at 1.")
    state = ChoiceField(BotVersion.State.choices, help_text="State of the version.")
    is_final = BooleanField(help_text="Whether it was accepted or rejected, so that its state won't change any more.")
    state_reason = MessageText(help_text="Why it was rejected; empty unless it was.")
    state_detail = PrivateMessageText("bot", help_text="What went wrong exactly; empty for everybody but its owner.")
    is_on_hold = BooleanField(help_text="Whether it waits to be promoted to the ladders.")
    language = CharField(help_text="Key of the programming language.")
    size = IntegerField(help_text="Size of all files in bytes, unpacked.")
    sha256 = CharField(help_text="SHA-256 of the source.")
    created_at = DateTimeField(help_text="When it was uploaded.")
    uploaded_by = SerializerMethodField(help_text="User name of who uploaded it; null for everybody but its authors.")
    url = SerializerMethodField(help_text="Address of the version in the API.")
    html_url = HtmlUrlField()
    trial = SerializerMethodField(help_text="Its trial; null until there is one.")

    def get_uploaded_by(self, version: BotVersion) -> str | None:
        """Return who uploaded it."""
        if version.uploaded_by is None or not is_owner(self.context["request"], version.bot):
            return None
        return version.uploaded_by.username

    def get_url(self, version: BotVersion) -> str:
        """Return the address."""
        address = reverse("api_version", args=[version.bot.slug, version.number])
        return str(self.context["request"].build_absolute_uri(address))

    @extend_schema_field(VersionTrialSerializer(allow_null=True))
    def get_trial(self, version: BotVersion) -> dict[str, Any] | None:
        """Return the latest trial."""
        trial = newest_prefetched_trial(version)
        return None if trial is None else VersionTrialSerializer(trial, context=self.context).data


def version_or_404(bot: Bot, number: int) -> BotVersion:
    """Return that version of a bot with its trials. Raise NotFound."""
    message = _("%(bot)s has no version %(number)d.") % {"bot": bot.name, "number": number}
    return require_row(find_version_with_trials(bot, number), message)


IDEMPOTENCY_KEY_PARAMETER = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="A key chosen by the client, at most 100 characters. An upload that is sent again under the same key, "
    "for example after a lost response, leads to the same version.",
)


class VersionList(Resource):
    """The versions of a bot."""

    is_list = True
    serializer_class = BotVersionSerializer
    parser_classes = [MultiPartParser]
    ordering = ("-number",)

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context, in which lists are marked."""
        return super().get_serializer_context() | {"is_list": self.request.method == "GET"}

    @extend_schema(summary="List the versions of a bot", responses=BotVersionSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the versions of a bot, newest first."""
        return self.respond_page(list_versions_with_trials(bot_or_404(request, slug)))

    @extend_schema(
        summary="Upload a version",
        parameters=[IDEMPOTENCY_KEY_PARAMETER],
        request={"multipart/form-data": UploadSerializer},
        responses={
            201: OpenApiResponse(BotVersionSerializer, "The new version, which waits for its trial."),
            200: OpenApiResponse(
                BotVersionSerializer, "The version that has these files, or was sent under this key, already."
            ),
            422: describe_error_response("422"),
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Upload a version. The older one keeps playing until this one is accepted: poll until `is_final`."""
        bot = own_bot_or_404(request, slug)
        key = read_idempotency_key(request)
        upload = self.read_data(UploadSerializer)
        with transaction.atomic():
            version, is_new = submit_version(
                owner=require_user(request), bot=bot, files=upload["program"], hold=upload["hold"], key=key
            )
            if is_new:
                tasks.begin_check(version)
        return self.respond(version_or_404(version.bot, version.number), status=201 if is_new else 200)


class VersionDetail(Resource):
    """One version."""

    serializer_class = BotVersionSerializer

    @extend_schema(summary="Show a version")
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Return a version."""
        return self.respond(version_or_404(bot_or_404(request, slug), number))


class VersionPromote(Resource):
    """Promoting a version to the ladders."""

    serializer_class = BotVersionSerializer

    @extend_schema(
        operation_id="bots_versions_promote", summary="Promote a version", request=None, responses=BotVersionSerializer
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Enter an accepted version on all ladders of its game, in place of the version that plays there now."""
        bot = own_bot_or_404(request, slug)
        promote_to_ladders(version=version_or_404(bot, number), owner=require_user(request))
        return self.respond(version_or_404(bot, number))


class VersionSource(Resource):
    """The source of a version."""

    @extend_schema(
        operation_id="bots_versions_source",
        summary="Download the source of a version",
        responses={(200, ARCHIVE_TYPE): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str, number: int) -> HttpResponseBase:
        """Return the files of one of your versions as a zip."""
        version = version_or_404(own_bot_or_404(request, slug), number)
        return respond_unless_known(request, version.sha256, lambda: self.send(version))

    def send(self, version: BotVersion) -> HttpResponse:
        """Return the files as an attachment: a stranger's bytes must never be rendered by a browser."""
        headers = {
            "Content-Disposition": f'attachment; filename="{version.source_filename}"',
            "X-Content-Type-Options": "nosniff",
        }
        return HttpResponse(version.stored_source.zipped, content_type=ARCHIVE_TYPE, headers=headers)
