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
from arena.matches.workers import find_offered_packages, list_offered_languages
from arena.operations.staff_acts import EndLesson, StaffAct, StartLesson, carry_out
from arena.people.accounts.models import User
from arena.people.accounts.names import find_author
from arena.people.accounts.services import renew_calendar_link, sign_calendar_key
from arena.people.notices import services as notices
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from arena.people.notices.services import SUBSCRIBABLE_EVENTS
from arena.runner.languages import LANGUAGES, PYTHON
from arena.runner.protocol import PROTOCOL_VERSION
from engine.replay import FORMAT

# The account that the request is authenticated as.


class OwnTokenSerializer(Serializer):
    """The token of the request."""

    name = CharField(help_text="What the token is for.")
    prefix = CharField(help_text="The token's first characters.")
    bot = CharField(
        source="bot.slug", default=None, allow_null=True, help_text="Slug of its bot; null for all the owner's bots."
    )


class MeSerializer(Serializer):
    """The user of the request."""

    username = CharField(help_text="Your username.")
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
        """Return the user and token that made the request."""
        return self.respond(request.user)


# Tokens, created and revoked by people with a session, never by a token.


class TokenSerializer(Serializer):
    """A token, without its text."""

    id = IntegerField(source="pk", help_text="Id of the token.")
    name = CharField(help_text="What the token is for.")
    bot = CharField(
        source="bot.slug", default=None, allow_null=True, help_text="Slug of its bot; null for all the owner's bots."
    )
    prefix = CharField(help_text="The token's first characters.")
    created_at = DateTimeField(help_text="When it was created.")
    last_used_at = DateTimeField(allow_null=True, help_text="When it was last used, accurate to about a minute.")


class NewTokenSerializer(TokenSerializer):
    """A new token, with its text."""

    token = CharField(help_text="The token itself, shown only once.")


class TokenDraftSerializer(Serializer):
    """A token to create."""

    name = CharField(max_length=MAX_TOKEN_NAME_LENGTH, help_text="What the token is for.")
    bot = SlugField(
        required=False,
        allow_null=True,
        help_text="Slug of the bot that the token is for. Defaults to all your bots, including future ones.",
    )


class Tokens(Resource):
    """Your tokens."""

    permission_classes = [BySession]

    @operation("tokens_list", "List your tokens", [TokenSerializer])
    def list(self, request: Request) -> Response:
        """List your valid tokens, newest first."""
        return self.respond_page(teams.list_valid_tokens(self.user))

    @operation("tokens_create", "Create a token", NewTokenSerializer, status=201, reads=TokenDraftSerializer)
    def create(self, request: Request) -> Response:
        """Create a token. The token itself is shown only once."""
        draft = self.read_data()
        slug = draft.get("bot")
        message = _("You don't have a bot with the address %(slug)s.") % {"slug": slug}
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
        """Revoke a token immediately and permanently."""
        token = require_row(teams.find_valid_token(self.user, pk), _("No such token."))
        teams.revoke_token(token=token, owner=self.user)
        return Response(status=204)


# Notices: what the arena tells a user.


class NoticeSerializer(Serializer):
    """A notification."""

    id = IntegerField(source="pk", help_text="The notification's id.")
    event = ChoiceField(Event.choices, help_text="What happened.")
    text = MessageText(help_text="Sentence in the reader's language.")
    html_url = SerializerMethodField(help_text="Address of the page it's about, or null.")
    created_at = DateTimeField(help_text="When it happened.")
    read_at = DateTimeField(source="seen_at", allow_null=True, help_text="When it was marked as read; null if unread.")

    def get_html_url(self, notice: Notice) -> str | None:
        """Return the address."""
        return build_absolute_url(self.context["request"], notice.url) if notice.url else None


class NoticeQuery(Serializer):
    """Filters for the list of notifications."""

    unread = BooleanField(required=False, help_text="Only unread notifications.")


class MarkedSerializer(Serializer):
    """Number of notifications marked as read."""

    marked = IntegerField(help_text="Number of notifications that were unread.")


class Notices(Resource):
    """Your notices."""

    permission_classes = [IsAuthenticated]

    @operation("notices_list", "List your notifications", [NoticeSerializer], query=NoticeQuery, errors=("403",))
    def list(self, request: Request) -> Response:
        """List your notifications, newest first."""
        return self.respond_page(
            notices.list_notices(self.unrestricted_user, only_unread=self.query.get("unread", False))
        )

    @operation("notices_mark_read", "Mark all your notifications as read", MarkedSerializer)
    def mark_read(self, request: Request) -> Response:
        """Mark all your notifications as read."""
        return Response({"marked": notices.mark_notices_read(user=self.unrestricted_user)})


# Webhooks: addresses that get a POST for every event. The signing key is shown once, when the webhook is created.


class WebhookSerializer(Serializer):
    """A webhook."""

    id = IntegerField(source="pk", read_only=True, help_text="The webhook's id.")
    url = URLField(max_length=300, help_text="Address that receives signed POST requests. It must be on the internet.")
    events = ListField(
        child=ChoiceField([event.value for event in SUBSCRIBABLE_EVENTS]),
        min_length=1,
        help_text="Events that trigger it.",
    )
    is_active = BooleanField(read_only=True, help_text="Whether it's enabled; false after too many failures in a row.")
    failures = IntegerField(read_only=True, help_text="Number of failed deliveries in a row.")
    created_at = DateTimeField(read_only=True, help_text="When it was created.")


class NewWebhookSerializer(WebhookSerializer):
    """A new webhook with its signing key."""

    key = CharField(read_only=True, help_text="Key that signs the requests, shown only once.")


class DeliverySerializer(Serializer):
    """A delivery to a webhook."""

    id = IntegerField(source="pk", help_text="The delivery's id.")
    event = ChoiceField(Event.choices, help_text="What happened.")
    payload = DictField(help_text="Body of the request, as JSON.")
    state = ChoiceField(Delivery.State.choices, help_text="The delivery's state.")
    attempts = IntegerField(help_text="Number of attempts.")
    status = IntegerField(allow_null=True, help_text="HTTP status of the last response; null without one.")
    error = MessageText(help_text="Why the last attempt failed; empty otherwise.")
    created_at = DateTimeField(help_text="When the event happened.")
    next_at = DateTimeField(help_text="When the next attempt will be made, while the delivery is pending.")


class Webhooks(Resource):
    """Your webhooks. They concern all of your bots, so a token for one of them is refused."""

    permission_classes = [IsAuthenticated]

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse tokens for one bot."""
        super().initial(request, *args, **kwargs)
        require_unrestricted_token(request)

    def webhook_or_404(self, pk: int) -> Webhook:
        """Return the user's webhook. Raise NotFound, for other users' webhooks too."""
        return require_row(notices.find_webhook(self.user, pk), _("No such webhook."))

    @operation("webhooks_list", "List your webhooks", [WebhookSerializer], errors=("403",))
    def list(self, request: Request) -> Response:
        """List your webhooks."""
        return self.respond_page(notices.list_webhooks(self.user), ordering=("pk",))

    @operation("webhooks_create", "Create a webhook", NewWebhookSerializer, status=201, reads=WebhookSerializer)
    def create(self, request: Request) -> Response:
        """Create a webhook. Only this response contains the key that signs its requests."""
        return self.respond(notices.add_webhook(owner=self.user, **self.read_data()))

    @operation("webhooks_retrieve", "Show a webhook", WebhookSerializer)
    def show(self, request: Request, pk: int) -> Response:
        """Return a webhook."""
        return self.respond(self.webhook_or_404(pk))

    @operation("webhooks_destroy", "Delete a webhook", status=204)
    def delete_with_deliveries(self, request: Request, pk: int) -> Response:
        """Delete a webhook and its deliveries."""
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
        """List a webhook's deliveries, sent and pending, newest first."""
        return self.respond_page(notices.list_deliveries(self.webhook_or_404(pk)))


# What you follow: bots, authors and ladders. Following something twice, or unfollowing it twice, changes nothing.


class FollowSerializer(Serializer):
    """A bot, author or ladder that you follow."""

    bot = CharField(source="bot.slug", default=None, allow_null=True, help_text="The bot's slug; null for others.")
    author = CharField(
        source="author.username",
        default=None,
        allow_null=True,
        help_text="The author's username; null for others.",
    )
    game = SerializerMethodField(help_text="Key of the ladder's game; null for others.")
    edition = SerializerMethodField(help_text="Key of the ladder's edition; null for others.")
    clock = CharField(help_text="Clock of an open ladder: open or slow; empty for others.")
    html_url = SerializerMethodField(help_text="Address of its page for people; null if it no longer has one.")
    created_at = DateTimeField(help_text="When you started following it.")

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
        """List what you follow, newest first. Only you can see it."""
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

    @operation(None, "Show whether you follow a bot, author or ladder", FollowSerializer)
    def show(self, request: Request, **path: str) -> Response:
        """Return when you started following the bot, author or ladder, or 404 if you don't follow it."""
        found = find_follow(self.user, self.find_subject(**path))
        return self.respond_follow(require_row(found, _("You don't follow this.")))

    @operation(None, "Follow a bot, author or ladder", FollowSerializer, status=(200, 201))
    def follow(self, request: Request, **path: str) -> Response:
        """Follow a bot, author or ladder. The status is 201 if you didn't follow it before."""
        followed, is_new = follow(user=self.user, subject=self.find_subject(**path))
        return self.respond_follow(followed, 201 if is_new else 200)

    @operation(None, "Unfollow a bot, author or ladder", status=204)
    def unfollow(self, request: Request, **path: str) -> Response:
        """Stop following a bot, author or ladder."""
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
        return require_row(find_author(name), _("No author called %(name)s.") % {"name": name})


class FollowLadder(FollowResource):
    """Following a ladder, in all its seasons."""

    def find_subject(self, **path: str) -> Subject:
        """Return the running season of the ladder. Raise NotFound."""
        return ladder_or_404(**path)


class FollowOpenLadder(FollowLadder):
    """Following an open ladder, in all its seasons. Only the operations' names differ."""

    @operation("following_open_ladders_retrieve", "Show whether you follow an open ladder", FollowSerializer)
    def show(self, request: Request, **path: str) -> Response:
        """Return when you started following the open ladder, or 404 if you don't follow it."""
        answer: Response = super().show(request, **path)
        return answer

    @operation("following_open_ladders_update", "Follow an open ladder", FollowSerializer, status=(200, 201))
    def follow(self, request: Request, **path: str) -> Response:
        """Follow an open ladder. The status is 201 if you didn't follow it before."""
        answer: Response = super().follow(request, **path)
        return answer

    @operation("following_open_ladders_destroy", "Unfollow an open ladder", status=204)
    def unfollow(self, request: Request, **path: str) -> Response:
        """Stop following an open ladder."""
        answer: Response = super().unfollow(request, **path)
        return answer


# The arena itself: which version it is, and what it speaks.


class ArenaSerializer(Serializer):
    """An arena."""

    version = CharField(allow_null=True, help_text="Version of Pennant; null if it runs without being installed.")
    protocol = IntegerField(help_text="Version of the bot protocol, as in `hello`.")
    record_format = CharField(help_text="Format of its records.")


# List the programming languages that bots may be written in.


class PackageSerializer(Serializer):
    """A package that bots can import."""

    name = CharField(help_text="Name of the package, as a bot writes it into requirements.txt.")
    version = CharField(help_text="Version of the package.")


class LanguageSerializer(Serializer):
    """A programming language."""

    key = CharField(help_text="Key of the language, as in bot versions.")
    title = CharField(help_text="The language's name.")
    entry = CharField(help_text="File at a program's top level that marks this language.")
    version = CharField(help_text="Version of the interpreter or compiler; several if machines differ.")
    packages = PackageSerializer(
        many=True, help_text="Packages that bots can import beyond the standard library; only Python has any."
    )


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
        help_text="End of the running lesson, or null. Until then, matches of public ladders and "
        "demo tournaments wait.",
    )

    running = IntegerField(help_text="Number of running matches.")
    waiting = IntegerField(help_text="Number of queued matches.")
    own = WaitingMatchSerializer(
        many=True,
        help_text=f"Your bots' queued matches in queue order, at most {MAX_OWN_MATCHES_LISTED}.",
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
        """Return the arena's version."""
        return self.respond({"version": arena_version(), "protocol": PROTOCOL_VERSION, "record_format": FORMAT})

    @operation("languages_list", "List languages", [LanguageSerializer], paging=None)
    def list_languages(self, request: Request) -> Response:
        """List the languages that this site's machines can currently run."""
        found = find_offered_packages()
        packages = [] if found is None else found.packages
        rows = [
            {
                **{"key": key, "title": LANGUAGES[key].title, "entry": LANGUAGES[key].entry, "version": version},
                "packages": packages if key == PYTHON.key else (),
            }
            for key, version in list_offered_languages().items()
        ]
        return Response(self.get_serializer(rows, many=True).data)

    @operation("queue_retrieve", "Show the queue", QueueSerializer)
    def show_queue(self, request: Request) -> Response:
        """Return the queue's length and your bots' matches in it."""
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
    """The running lesson."""

    begun_at = DateTimeField(allow_null=True, default=None, help_text="When it began; null without a running lesson.")
    ends_at = DateTimeField(allow_null=True, default=None, help_text="When it ends; null without a running lesson.")


class NewLessonSerializer(Serializer):
    """A lesson to start."""

    ends_at = DateTimeField(help_text=f"When it ends, at most {MAX_LESSON // timedelta(hours=1)} hours from now.")
    why = CharField(max_length=500, help_text="Reason, recorded in the audit log.")


class LessonEndSerializer(Serializer):
    """Reason for ending a lesson."""

    why = CharField(max_length=500, help_text="Reason, recorded in the audit log.")


def find_lesson_end() -> datetime | None:
    """Return when the lesson ends that runs now, or None."""
    lesson = find_lesson()
    return None if lesson is None else lesson.ends_at


class Lessons(Resource):
    """The running lesson. While it runs, matches of public ladders and demo tournaments wait."""

    @operation("lesson_retrieve", "Show the lesson", LessonSerializer, tags=["arena"])
    def show(self, request: Request) -> Response:
        """Return when the running lesson began and when it ends."""
        return self.respond(find_lesson() or {})

    @operation("lesson_start", "Start a lesson", LessonSerializer, reads=NewLessonSerializer, tags=["arena"])
    def start(self, request: Request) -> Response:
        """Start a lesson, or change when the running lesson ends. Staff only.

        During a lesson, public ladder matches, demo tournaments and unrequested analyses wait. Trials, other
        tournaments, challenges and live games continue.
        """
        sent = self.read_data()
        return self._carry_out(StartLesson(sent["ends_at"].isoformat()), sent["why"])

    @operation("lesson_end", "End the lesson", LessonSerializer, reads=LessonEndSerializer, tags=["arena"])
    def end(self, request: Request) -> Response:
        """End the running lesson early. Staff only."""
        return self._carry_out(EndLesson(), self.read_data()["why"])

    def _carry_out(self, act: StaffAct, why: str) -> Response:
        if not (staff := require_unrestricted_token(self.request)).is_staff:
            raise PermissionDenied
        carry_out(act, by=staff, why=why)
        return self.respond(find_lesson() or {})


# Link to your calendar.


class CalendarSerializer(Serializer):
    """Link to your calendar."""

    url = URLField(help_text="Secret address of the calendar (RFC 5545) with your tournaments' deadlines and rounds.")


class Calendars(Resource):
    """Your calendar: deadlines and rounds of the tournaments that you organise, have entered or have in a group."""

    @operation("calendar_retrieve", "Get the link to your calendar", CalendarSerializer, tags=["me"])
    def show(self, request: Request) -> Response:
        """Return your calendar's secret address, which programs can read without a token.

        To limit the calendar to one group or tournament, add `?group=SLUG` or `?tournament=SLUG` to its address.
        """
        return self._respond_link(require_unrestricted_token(request))

    @operation("calendar_renew", "Renew the link to your calendar", CalendarSerializer, tags=["me"])
    def renew(self, request: Request) -> Response:
        """Replace your calendar's address. The old one stops working."""
        user = require_unrestricted_token(request)
        renew_calendar_link(user=user)
        return self._respond_link(user)

    def _respond_link(self, user: User) -> Response:
        forbid_caching(self.request)
        path = f"/calendar/{sign_calendar_key(user)}.ics"
        return self.respond({"url": build_absolute_url(self.request, path)})
