"""The arena and your account: versions, languages, the queue; who you are, tokens, notices, webhooks, follows."""

from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import PermissionDenied
from drf_spectacular.utils import extend_schema_field
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

from arena.api.frame import ChoiceField, MessageText, Resource, build_absolute_url, operation
from arena.api.ladders import ladder_or_404
from arena.api.matches import MatchSerializer, WaitingSerializer, attach_parts
from arena.api.requests import (
    BySession,
    bot_or_404,
    find_bot_of_token,
    is_signed_in,
    require_row,
    require_unrestricted_token,
)
from arena.bots import teams
from arena.bots.queries import list_own_bots
from arena.bots.teams import MAX_TOKEN_NAME_LENGTH, BadTokenName
from arena.contests.following.models import Follow
from arena.contests.following.services import Subject, attach_ladders, find_follow, follow, list_follows, unfollow
from arena.core.http import forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import render_message
from arena.core.release import arena_version
from arena.matches.models import MAX_LESSON, Match, find_lesson
from arena.matches.queue import (
    count_queued_matches,
    count_running_matches,
    list_queued_matches_of_bots,
    places_in_queue,
)
from arena.matches.workers import list_offered_languages
from arena.operations.staff_acts import EndLesson, StaffAct, StartLesson, carry_out
from arena.people.accounts.models import User
from arena.people.accounts.names import find_author
from arena.people.accounts.services import renew_calendar_link, sign_calendar_key
from arena.people.notices import services as notices
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from arena.people.notices.services import SUBSCRIBABLE_EVENTS
from arena.runner.languages import LANGUAGES
from arena.runner.protocol import PROTOCOL_VERSION
from engine.replay import FORMAT

# The account that the request is authenticated as.


class OwnTokenSerializer(Serializer):
    """The token of the request."""

    name = CharField(help_text="What the token is for.")
    prefix = CharField(help_text="First characters of the token.")
    bot = CharField(
        source="bot.slug", default=None, allow_null=True, help_text="Slug of its bot; null for all of the owner's bots."
    )


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

    @operation("me", "Show who you are", MeSerializer)
    def show(self, request: Request) -> Response:
        """Return who the request is authenticated as."""
        return self.respond(request.user)


# Tokens, created and revoked by people with a session, never by a token.


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


class NewTokenSerializer(TokenSerializer):
    """A new token with its text."""

    token = CharField(help_text="The token itself. It is shown this once.")


class TokenDraftSerializer(Serializer):
    """A token to be created."""

    name = CharField(max_length=MAX_TOKEN_NAME_LENGTH, help_text="What the token is for.")
    bot = SlugField(
        required=False, allow_null=True, help_text="Slug of its bot; if omitted, it is for all bots, future ones too."
    )


class Tokens(Resource):
    """Your tokens."""

    permission_classes = [BySession]

    @operation("tokens_list", "List your tokens", [TokenSerializer])
    def list(self, request: Request) -> Response:
        """List your tokens that were not revoked, newest first."""
        return self.respond_page(teams.list_valid_tokens(self.user))

    @operation("tokens_create", "Create a token", NewTokenSerializer, status=201, reads=TokenDraftSerializer)
    def create(self, request: Request) -> Response:
        """Create a token. Its text is shown this once."""
        draft = self.read_data()
        slug = draft.get("bot")
        message = _("You have no bot at %(slug)s.") % {"slug": slug}
        bot = require_row(list_own_bots(self.user).filter(slug=slug).first(), message) if slug else None
        try:
            token, text = teams.issue_token(owner=self.user, name=draft["name"], bot=bot)
        except BadTokenName as error:
            raise ValidationError({"name": [render_message(error.message)]}) from None
        shown: Any = token
        shown.token = text
        response = self.respond(shown)
        response["Cache-Control"] = "no-store"
        return response

    @operation("tokens_destroy", "Revoke a token", status=204)
    def revoke(self, request: Request, pk: int) -> Response:
        """Revoke a token at once and for good."""
        token = require_row(teams.find_valid_token(self.user, pk), _("You have no such token."))
        teams.revoke_token(token=token, owner=self.user)
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


class Notices(Resource):
    """Your notices."""

    permission_classes = [IsAuthenticated]

    @operation("notices_list", "List your notices", [NoticeSerializer], query=NoticeQuery, errors=("403",))
    def list(self, request: Request) -> Response:
        """List your notices, newest first."""
        return self.respond_page(
            notices.list_notices(self.unrestricted_user, only_unread=self.query.get("unread", False))
        )

    @operation("notices_mark_read", "Mark all your notices as read", MarkedSerializer)
    def mark_read(self, request: Request) -> Response:
        """Mark all your notices as read."""
        return Response({"marked": notices.mark_notices_read(user=self.unrestricted_user)})


# Webhooks: addresses that get a POST for every event. The signing key is shown once, when the webhook is created.


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


class Webhooks(Resource):
    """Your webhooks. They concern all of your bots, so a token for one of them is refused."""

    permission_classes = [IsAuthenticated]

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse tokens for one bot."""
        super().initial(request, *args, **kwargs)
        require_unrestricted_token(request)

    def webhook_or_404(self, pk: int) -> Webhook:
        """Return the user's webhook. Raise NotFound, for other users' webhooks too."""
        return require_row(notices.find_webhook(self.user, pk), _("You have no such webhook."))

    @operation("webhooks_list", "List your webhooks", [WebhookSerializer], errors=("403",))
    def list(self, request: Request) -> Response:
        """List your webhooks."""
        return self.respond_page(notices.list_webhooks(self.user), ordering=("pk",))

    @operation("webhooks_create", "Create a webhook", NewWebhookSerializer, status=201, reads=WebhookSerializer)
    def create(self, request: Request) -> Response:
        """Create a webhook. The response has the key that signs its requests, this once."""
        return self.respond(notices.add_webhook(owner=self.user, **self.read_data()))

    @operation("webhooks_retrieve", "Show a webhook", WebhookSerializer)
    def show(self, request: Request, pk: int) -> Response:
        """Return a webhook."""
        return self.respond(self.webhook_or_404(pk))

    @operation("webhooks_destroy", "Delete a webhook", status=204)
    def delete_with_deliveries(self, request: Request, pk: int) -> Response:
        """Delete a webhook with its deliveries."""
        notices.delete_webhook(webhook=self.webhook_or_404(pk))
        return Response(status=204)

    @operation("webhooks_enable", "Enable a webhook", WebhookSerializer)
    def enable(self, request: Request, pk: int) -> Response:
        """Enable a webhook that was disabled after failures."""
        notices.enable_webhook(webhook=self.webhook_or_404(pk))
        return self.respond(self.webhook_or_404(pk))

    @operation("webhooks_test", "Test a webhook", DeliverySerializer, status=201)
    def test(self, request: Request, pk: int) -> Response:
        """Send a ping to a webhook."""
        return self.respond(notices.queue_test_delivery(webhook=self.webhook_or_404(pk)))

    @operation("webhooks_deliveries", "List the deliveries of a webhook", [DeliverySerializer])
    def list_deliveries(self, request: Request, pk: int) -> Response:
        """List what was sent, or is to be sent, to a webhook, newest first."""
        return self.respond_page(notices.list_deliveries(self.webhook_or_404(pk)))


# What you follow: bots, authors and ladders. Following something twice, or unfollowing it twice, changes nothing.


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


class FollowedSubjects(Resource):
    """What you follow."""

    permission_classes = [IsAuthenticated]

    @operation("following_list", "List what you follow", [FollowSerializer], errors=("403",))
    def list(self, request: Request) -> Response:
        """List what you follow, newest first. Nobody else sees it."""
        return self.respond_page(list_follows(self.unrestricted_user), attach=attach_ladders)


class FollowResource(Resource):
    """Base of what can be followed. It concerns the user alone, so a token for one bot is refused."""

    permission_classes = [IsAuthenticated]

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse tokens for one bot."""
        super().initial(request, *args, **kwargs)
        require_unrestricted_token(request)

    def find_subject(self, **path: str) -> Subject:
        """Return what the address names. Raise NotFound."""
        raise NotImplementedError

    @operation(None, "Show whether you follow it", FollowSerializer)
    def show(self, request: Request, **path: str) -> Response:
        """Return since when you follow it; 404 if you don't."""
        found = find_follow(self.user, self.find_subject(**path))
        return self.respond_follow(require_row(found, _("You don't follow this.")))

    @operation(None, "Follow it", FollowSerializer, status=(200, 201))
    def follow(self, request: Request, **path: str) -> Response:
        """Follow it. The status is 201 if you didn't before."""
        followed, is_new = follow(user=self.user, subject=self.find_subject(**path))
        return self.respond_follow(followed, 201 if is_new else 200)

    @operation(None, "Unfollow it", status=204)
    def unfollow(self, request: Request, **path: str) -> Response:
        """Follow it no more."""
        unfollow(user=self.user, subject=self.find_subject(**path))
        return Response(status=204)

    def respond_follow(self, followed: Follow, status: int = 200) -> Response:
        """Return a follow."""
        attach_ladders([followed])
        return self.respond(followed, status)


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


class ArenaSerializer(Serializer):
    """An arena."""

    version = CharField(allow_null=True, help_text="Version of Pennant; null where it runs without being installed.")
    protocol = IntegerField(help_text="Version of the protocol that bots are spoken to in, as `hello` has it.")
    record_format = CharField(help_text="Format of the records that it writes.")


# List the programming languages that bots may be written in.


class LanguageSerializer(Serializer):
    """A programming language."""

    key = CharField(help_text="Key of the language, as versions of bots have it.")
    title = CharField(help_text="Name of the language.")
    entry = CharField(help_text="File at the top of a program that makes it a program in this language.")
    version = CharField(help_text="Version of the interpreter or compiler; several where machines differ.")


# The queue: how many matches are played and wait, and when yours are due.

MAX_OWN_MATCHES_LISTED = 10


class WaitingMatchSerializer(Serializer):
    """A match in the queue."""

    match = MatchSerializer()
    waiting = WaitingSerializer()


class QueueSerializer(Serializer):
    """The queue."""

    lesson_ends_at = DateTimeField(
        allow_null=True,
        help_text="When the lesson ends that runs now: until then matches of public ladders and demo tournaments wait. "
        "Null while none runs.",
    )

    running = IntegerField(help_text="Number of matches that are being played.")
    waiting = IntegerField(help_text="Number of matches that wait.")
    own = WaitingMatchSerializer(
        many=True,
        help_text=f"Waiting matches of your bots in the order of the queue, at most {MAX_OWN_MATCHES_LISTED}.",
    )


def list_own_matches(request: Request) -> list[Match]:
    """List the waiting matches of the user's bots, or of the bot that the token is for."""
    if not is_signed_in(request.user):
        return []
    bots = list_own_bots(request.user, find_bot_of_token(request))
    own = list_queued_matches_of_bots(request.user, bots, MAX_OWN_MATCHES_LISTED)
    attach_parts(own)
    return own


class Arena(Resource):
    """The arena."""

    @operation("arena", "Show the arena", ArenaSerializer, tags=["arena"])
    def show(self, request: Request) -> Response:
        """Return which version the arena is."""
        return self.respond({"version": arena_version(), "protocol": PROTOCOL_VERSION, "record_format": FORMAT})

    @operation("languages_list", "List languages", [LanguageSerializer], paging=None)
    def list_languages(self, request: Request) -> Response:
        """List the languages that some machine of this site can run at the moment."""
        rows = [
            {"key": key, "title": LANGUAGES[key].title, "entry": LANGUAGES[key].entry, "version": version}
            for key, version in list_offered_languages().items()
        ]
        return Response(self.get_serializer(rows, many=True).data)

    @operation("queue_retrieve", "Show the queue", QueueSerializer)
    def show_queue(self, request: Request) -> Response:
        """Return the length of the queue, and the matches of your bots in it."""
        own = list_own_matches(request)
        places = places_in_queue(own)
        return self.respond(
            {
                "lesson_ends_at": find_lesson_end(),
                "running": count_running_matches(),
                "waiting": count_queued_matches(),
                "own": [{"match": match, "waiting": places[match.pk]} for match in own],
            }
        )


# Lessons: staff lets the arena play for a class until a time.


class LessonSerializer(Serializer):
    """The lesson that runs now."""

    begun_at = DateTimeField(allow_null=True, default=None, help_text="When it began; null while none runs.")
    ends_at = DateTimeField(allow_null=True, default=None, help_text="When it ends by itself; null while none runs.")


class NewLessonSerializer(Serializer):
    """A lesson to be started."""

    ends_at = DateTimeField(
        help_text=f"When it ends by itself, at most {MAX_LESSON // timedelta(hours=1)} hours from now."
    )
    why = CharField(max_length=500, help_text="Why, for the audit log.")


class LessonEndSerializer(Serializer):
    """Why a lesson is ended."""

    why = CharField(max_length=500, help_text="Why, for the audit log.")


def find_lesson_end() -> datetime | None:
    """Return when the lesson ends that runs now, or None."""
    lesson = find_lesson()
    return None if lesson is None else lesson.ends_at


class Lessons(Resource):
    """The lesson that runs now. While it runs, matches of public ladders and demo tournaments wait."""

    @operation("lesson_retrieve", "Show the lesson", LessonSerializer, tags=["arena"])
    def show(self, request: Request) -> Response:
        """Return when the lesson that runs now began, and when it ends."""
        return self.respond(find_lesson() or {})

    @operation("lesson_start", "Start a lesson", LessonSerializer, reads=NewLessonSerializer, tags=["arena"])
    def start(self, request: Request) -> Response:
        """Start a lesson, or change the end of the one that runs. For staff.

        Until it ends, matches of public ladders and demo tournaments wait, and nothing is analysed unless somebody asks
        for it. Trials, other tournaments, challenges and live games go on.
        """
        sent = self.read_data()
        return self._carry_out(StartLesson(sent["ends_at"].isoformat()), sent["why"])

    @operation("lesson_end", "End the lesson", LessonSerializer, reads=LessonEndSerializer, tags=["arena"])
    def end(self, request: Request) -> Response:
        """End the lesson that runs before it ends by itself. For staff."""
        return self._carry_out(EndLesson(), self.read_data()["why"])

    def _carry_out(self, act: StaffAct, why: str) -> Response:
        if not (staff := require_unrestricted_token(self.request)).is_staff:
            raise PermissionDenied
        carry_out(act, by=staff, why=why)
        return self.respond(find_lesson() or {})


# The link to your calendar.


class CalendarSerializer(Serializer):
    """The link to your calendar."""

    url = URLField(
        help_text="Secret address of the calendar (RFC 5545) with the deadlines and rounds of your tournaments."
    )


class Calendars(Resource):
    """Your calendar: deadlines and rounds of the tournaments that you organise, have entered or have in a group."""

    @operation("calendar_retrieve", "Get the link to your calendar", CalendarSerializer, tags=["me"])
    def show(self, request: Request) -> Response:
        """Return the secret address of your calendar, which programs read without a token.

        With `?group=SLUG` or `?tournament=SLUG` it has those of one group or tournament alone.
        """
        return self._respond_link(require_unrestricted_token(request))

    @operation("calendar_renew", "Renew the link to your calendar", CalendarSerializer, tags=["me"])
    def renew(self, request: Request) -> Response:
        """Let the old address work no more, and return another one."""
        user = require_unrestricted_token(request)
        renew_calendar_link(user=user)
        return self._respond_link(user)

    def _respond_link(self, user: User) -> Response:
        forbid_caching(self.request)
        path = f"/calendar/{sign_calendar_key(user)}.ics"
        return self.respond({"url": build_absolute_url(self.request, path)})
