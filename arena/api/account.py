"""The arena and your account: versions, languages, the queue; who you are, tokens, notices, webhooks, follows."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field, extend_schema_serializer
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    IntegerField,
    ListField,
    Serializer,
    SerializerMethodField,
    SlugField,
    URLField,
)

from arena.api.frame import ChoiceField, MessageText, Resource, build_absolute_url
from arena.api.ladders import ladder_or_404
from arena.api.matches import MatchSerializer, WaitingSerializer, attach_parts
from arena.api.requests import (
    BySession,
    bot_or_404,
    find_bot_of_token,
    is_signed_in,
    require_row,
    require_unrestricted_token,
    require_user,
)
from arena.api.schema import (
    EXAMPLE_NEW_WEBHOOK,
    EXAMPLE_QUEUE,
    describe_error_response,
    request_example,
    response_example,
)
from arena.bots.queries import list_own_bots
from arena.bots.teams import (
    MAX_TOKEN_NAME_LENGTH,
    BadTokenName,
    find_valid_token,
    issue_token,
    list_valid_tokens,
    revoke_token,
)
from arena.contests.following.models import Follow
from arena.contests.following.services import Subject, attach_ladders, find_follow, follow, list_follows, unfollow
from arena.core.messages import render_message
from arena.core.release import arena_version
from arena.matches.models import Match
from arena.matches.queue import (
    count_queued_matches,
    count_running_matches,
    list_queued_matches_of_bots,
    places_in_queue,
)
from arena.matches.workers import list_offered_languages
from arena.people.accounts.models import User
from arena.people.accounts.names import find_author
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from arena.people.notices.services import (
    SUBSCRIBABLE_EVENTS,
    add_webhook,
    delete_webhook,
    enable_webhook,
    find_webhook,
    list_deliveries,
    list_notices,
    list_webhooks,
    mark_notices_read,
    queue_test_delivery,
)
from arena.runner.languages import LANGUAGES
from arena.runner.protocol import PROTOCOL_VERSION
from engine.replay import FORMAT

# The account that the request is authenticated as.

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


# Tokens, created and revoked by people with a session, never by a token.

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


# Notices: what the arena tells a user.


class NoticeSerializer(Serializer):
    """A notice."""

    id = IntegerField(source="pk", help_text="Id of the notice.")
    event = ChoiceField(Event.choices, help_text="What happened.")
    text = MessageText(help_text="Sentence in the reader's language.")
    html_url = SerializerMethodField(help_text="Address of the page it is about; null where there is none.")
    created_at = DateTimeField(help_text="When it happened.")
    read_at = DateTimeField(source="seen_at", allow_null=True, help_text="When it was marked as read; null before.")

    def get_html_url(self, notice: Notice) -> str | None:
        """Return the address."""
        return build_absolute_url(self.context["request"], notice.url) if notice.url else None


class NoticeQuery(Serializer):
    """Filters of the list of notices."""

    unread = BooleanField(required=False, help_text="Only notices not marked as read.")


class MarkedSerializer(Serializer):
    """The number of notices that were marked."""

    marked = IntegerField(help_text="Number of notices that were unread.")


class NoticeList(Resource):
    """Your notices."""

    is_list = True
    permission_classes = [IsAuthenticated]
    serializer_class = NoticeSerializer
    query_class = NoticeQuery

    @extend_schema(
        operation_id="notices_list",
        summary="List your notices",
        parameters=[NoticeQuery],
        responses={200: NoticeSerializer(many=True), 403: describe_error_response("403")},
    )
    def get(self, request: Request) -> Response:
        """List your notices, newest first."""
        user = require_unrestricted_token(request)
        return self.respond_page(list_notices(user, only_unread=self.query.get("unread", False)))


class MarkNoticesRead(Resource):
    """Marking notices as read."""

    permission_classes = [IsAuthenticated]
    serializer_class = MarkedSerializer

    @extend_schema(operation_id="notices_mark_read", summary="Mark all your notices as read", request=None)
    def post(self, request: Request) -> Response:
        """Mark all your notices as read."""
        return Response({"marked": mark_notices_read(user=require_unrestricted_token(request))})


# Webhooks: addresses that get a POST for every event. The signing key is shown once, when the webhook is created.


@request_example("For a build server", EXAMPLE_NEW_WEBHOOK)
class WebhookSerializer(Serializer):
    """A webhook."""

    id = IntegerField(source="pk", read_only=True, help_text="Id of the webhook.")
    url = URLField(max_length=300, help_text="Address that gets signed POST requests; it must be on the internet.")
    events = ListField(
        child=ChoiceField([event.value for event in SUBSCRIBABLE_EVENTS]),
        min_length=1,
        help_text="Events it is called for.",
    )
    is_active = BooleanField(read_only=True, help_text="Whether it is called; false after too many failures in a row.")
    failures = IntegerField(read_only=True, help_text="Number of failed deliveries in a row.")
    created_at = DateTimeField(read_only=True, help_text="When it was created.")


class NewWebhookSerializer(WebhookSerializer):
    """A new webhook with its signing key."""

    key = CharField(read_only=True, help_text="Key that signs the requests. It is shown this once.")


class DeliverySerializer(Serializer):
    """An event for a webhook."""

    id = IntegerField(source="pk", help_text="Id of the delivery.")
    event = ChoiceField(Event.choices, help_text="What happened.")
    payload = DictField(help_text="Content of the request, as JSON.")
    state = ChoiceField(Delivery.State.choices, help_text="State of the delivery.")
    attempts = IntegerField(help_text="Number of attempts.")
    status = IntegerField(allow_null=True, help_text="HTTP status of the last response; null where there was none.")
    error = MessageText(help_text="What was wrong with the last attempt; empty otherwise.")
    created_at = DateTimeField(help_text="When the event happened.")
    next_at = DateTimeField(help_text="When the next attempt is due, while the delivery waits.")


class WebhookResource(Resource):
    """Base of the webhooks. They concern all of a user's bots, so a token for one of them is refused."""

    permission_classes = [IsAuthenticated]
    serializer_class: type[Serializer] = WebhookSerializer

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse tokens for one bot."""
        super().initial(request, *args, **kwargs)
        require_unrestricted_token(request)

    def webhook_or_404(self, pk: int) -> Webhook:
        """Return the user's webhook. Raise NotFound, for other users' webhooks too."""
        return require_row(find_webhook(require_user(self.request), pk), _("You have no such webhook."))


class WebhookList(WebhookResource):
    """Your webhooks."""

    is_list = True
    ordering = ("pk",)

    @extend_schema(
        operation_id="webhooks_list",
        summary="List your webhooks",
        responses={200: WebhookSerializer(many=True), 403: describe_error_response("403")},
    )
    def get(self, request: Request) -> Response:
        """List your webhooks."""
        return self.respond_page(list_webhooks(require_user(request)))

    @extend_schema(
        operation_id="webhooks_create",
        summary="Create a webhook",
        responses={201: NewWebhookSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a webhook. The response has the key that signs its requests, this once."""
        return self.respond(
            add_webhook(owner=require_user(request), **self.read_data()), NewWebhookSerializer, status=201
        )


class WebhookDetail(WebhookResource):
    """One webhook."""

    @extend_schema(operation_id="webhooks_retrieve", summary="Show a webhook")
    def get(self, request: Request, pk: int) -> Response:
        """Return a webhook."""
        return self.respond(self.webhook_or_404(pk))

    @extend_schema(
        operation_id="webhooks_destroy",
        summary="Delete a webhook",
        responses={204: None},
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Delete a webhook with its deliveries."""
        delete_webhook(webhook=self.webhook_or_404(pk))
        return Response(status=204)


class WebhookEnable(WebhookResource):
    """Enabling a webhook."""

    @extend_schema(operation_id="webhooks_enable", summary="Enable a webhook", request=None)
    def post(self, request: Request, pk: int) -> Response:
        """Enable a webhook that was disabled after failures."""
        enable_webhook(webhook=self.webhook_or_404(pk))
        return self.respond(self.webhook_or_404(pk))


class WebhookTest(WebhookResource):
    """Testing a webhook."""

    serializer_class = DeliverySerializer

    @extend_schema(
        operation_id="webhooks_test", summary="Test a webhook", request=None, responses={201: DeliverySerializer}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Send a ping to a webhook."""
        return self.respond(queue_test_delivery(webhook=self.webhook_or_404(pk)), status=201)


class DeliveryList(WebhookResource):
    """Deliveries of a webhook."""

    is_list = True
    serializer_class = DeliverySerializer

    @extend_schema(
        operation_id="webhooks_deliveries",
        summary="List the deliveries of a webhook",
        responses=DeliverySerializer(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        """List what was sent, or is to be sent, to a webhook, newest first."""
        return self.respond_page(list_deliveries(self.webhook_or_404(pk)))


# What you follow: bots, authors and ladders. Following something twice, or unfollowing it twice, changes nothing.

EXAMPLE_FOLLOW = {
    "bot": "kingfisher",
    "author": None,
    "game": None,
    "edition": None,
    "html_url": "https://arena.example.org/bots/kingfisher/",
    "created_at": "2026-05-03T09:12:44Z",
}


@extend_schema_serializer(examples=[OpenApiExample("a bot", EXAMPLE_FOLLOW, response_only=True)])
class FollowSerializer(Serializer):
    """Something that you follow: a bot, an author or a ladder."""

    bot = CharField(source="bot.slug", default=None, allow_null=True, help_text="Slug of the bot; null if it is none.")
    author = CharField(
        source="author.username",
        default=None,
        allow_null=True,
        help_text="User name of the author; null if it is none.",
    )
    game = SerializerMethodField(help_text="Key of the ladder's game; null if it is no ladder.")
    edition = SerializerMethodField(help_text="Key of the ladder's edition; null if it is no ladder.")
    html_url = SerializerMethodField(help_text="Address of its page for people; null where it has none any more.")
    created_at = DateTimeField(help_text="Since when you follow it.")

    def get_game(self, follow: Follow) -> str | None:
        """Return the key of the game of a ladder."""
        return follow.game or None

    def get_edition(self, follow: Follow) -> str | None:
        """Return the key of the edition of a ladder."""
        return follow.edition or None

    @extend_schema_field(CharField(allow_null=True))
    def get_html_url(self, follow: Follow) -> str | None:
        """Return the address."""
        subject = follow.bot or follow.author or follow.ladder
        return build_absolute_url(self.context["request"], subject.get_absolute_url()) if subject else None


class FollowList(Resource):
    """What you follow."""

    is_list = True
    permission_classes = [IsAuthenticated]
    serializer_class = FollowSerializer

    @extend_schema(
        operation_id="following_list",
        summary="List what you follow",
        responses={200: FollowSerializer(many=True), 403: describe_error_response("403")},
    )
    def get(self, request: Request) -> Response:
        """List what you follow, newest first. Nobody else sees it."""
        return self.respond_page(list_follows(require_unrestricted_token(request)), attach=attach_ladders)


class FollowResource(Resource):
    """Base of what can be followed. It concerns the user alone, so a token for one bot is refused."""

    permission_classes = [IsAuthenticated]
    serializer_class = FollowSerializer

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse tokens for one bot."""
        super().initial(request, *args, **kwargs)
        require_unrestricted_token(request)

    def find_subject(self, **path: str) -> Subject:
        """Return what the address names. Raise NotFound."""
        raise NotImplementedError

    @extend_schema(summary="Show whether you follow it")
    def get(self, request: Request, **path: str) -> Response:
        """Return since when you follow it; 404 if you don't."""
        found = find_follow(require_user(request), self.find_subject(**path))
        return self.respond_follow(require_row(found, _("You don't follow this.")))

    @extend_schema(summary="Follow it", request=None, responses={200: FollowSerializer, 201: FollowSerializer})
    def put(self, request: Request, **path: str) -> Response:
        """Follow it. The status is 201 if you didn't before."""
        followed, is_new = follow(user=require_user(request), subject=self.find_subject(**path))
        return self.respond_follow(followed, 201 if is_new else 200)

    @extend_schema(summary="Unfollow it", responses={204: None})
    def delete(self, request: Request, **path: str) -> Response:
        """Follow it no more."""
        unfollow(user=require_user(request), subject=self.find_subject(**path))
        return Response(status=204)

    def respond_follow(self, followed: Follow, status: int = 200) -> Response:
        """Return a follow."""
        attach_ladders([followed])
        return self.respond(followed, status=status)


class FollowBot(FollowResource):
    """Following a bot."""

    def find_subject(self, **path: str) -> Subject:
        """Return the bot. Raise NotFound."""
        return bot_or_404(self.request, path["slug"])


class FollowAuthor(FollowResource):
    """Following an author."""

    def find_subject(self, **path: str) -> Subject:
        """Return the author. Raise NotFound."""
        name = path["name"]
        return require_row(find_author(name), _("There is no author called %(name)s.") % {"name": name})


class FollowLadder(FollowResource):
    """Following a ladder, in all its seasons."""

    def find_subject(self, **path: str) -> Subject:
        """Return the running season of the ladder. Raise NotFound."""
        return ladder_or_404(path["game"], path["edition"])


# The arena itself: which version it is, and what it speaks.


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


# List the programming languages that bots may be written in.


@extend_schema_serializer(
    examples=[
        OpenApiExample("Python", {"key": "python", "title": "Python", "entry": "bot.py", "version": "3.11.2, 3.12.4"})
    ]
)
class LanguageSerializer(Serializer):
    """A programming language."""

    key = CharField(help_text="Key of the language, as versions of bots have it.")
    title = CharField(help_text="Name of the language.")
    entry = CharField(help_text="File at the top of a program that makes it a program in this language.")
    version = CharField(help_text="Version of the interpreter or compiler; several where machines differ.")


class LanguageList(Resource):
    """The programming languages."""

    pagination_class = None

    @extend_schema(summary="List languages", responses=LanguageSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the languages that some machine of this site can run at the moment."""
        rows = [
            {"key": key, "title": LANGUAGES[key].title, "entry": LANGUAGES[key].entry, "version": version}
            for key, version in list_offered_languages().items()
        ]
        return Response(LanguageSerializer(rows, many=True).data)


# The queue: how many matches are played and wait, and when yours are due.

MAX_OWN_MATCHES_LISTED = 10


class WaitingMatchSerializer(Serializer):
    """A match in the queue."""

    match = MatchSerializer()
    waiting = WaitingSerializer()


@response_example("One waits", EXAMPLE_QUEUE)
class QueueSerializer(Serializer):
    """The queue."""

    running = IntegerField(help_text="Number of matches that are being played.")
    waiting = IntegerField(help_text="Number of matches that wait.")
    own = WaitingMatchSerializer(
        many=True,
        help_text=f"Waiting matches of your bots in the order of the queue, at most {MAX_OWN_MATCHES_LISTED}.",
    )


class Queue(Resource):
    """The queue."""

    serializer_class = QueueSerializer
    pagination_class = None

    @extend_schema(operation_id="queue_retrieve", summary="Show the queue")
    def get(self, request: Request) -> Response:
        """Return the length of the queue, and the matches of your bots in it."""
        own = list_own_matches(request)
        places = places_in_queue(own)
        return self.respond(
            {
                "running": count_running_matches(),
                "waiting": count_queued_matches(),
                "own": [{"match": match, "waiting": places[match.pk]} for match in own],
            }
        )


def list_own_matches(request: Request) -> list[Match]:
    """List the waiting matches of the user's bots, or of the bot that the token is for."""
    if not is_signed_in(request.user):
        return []
    own = list_queued_matches_of_bots(list_own_bots(request.user, find_bot_of_token(request)), MAX_OWN_MATCHES_LISTED)
    attach_parts(own)
    return own
