"""What you follow: bots, authors and ladders. Following something twice, or unfollowing it twice, changes nothing."""

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field, extend_schema_serializer
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, DateTimeField, Serializer, SerializerMethodField

from arena.accounts.queries import find_author
from arena.api.auth import bot_or_404, require_unrestricted_token, require_user
from arena.api.errors import require_row
from arena.api.frame import Resource, build_absolute_url
from arena.api.ladders import ladder_or_404
from arena.api.schema import describe_error_response
from arena.following.models import Follow
from arena.following.queries.follows import Subject, attach_ladders, find_follow, list_follows
from arena.following.services.following import follow, unfollow

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
