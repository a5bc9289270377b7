"""The people who work on a bot: its team, invitations to it, and who leads it."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_serializer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BooleanField, CharField, DateTimeField, Serializer

from arena.accounts.models import User
from arena.accounts.queries import find_author
from arena.api.auth import bot_or_404, own_bot_or_404, require_unrestricted_token
from arena.api.errors import require_row
from arena.api.frame import Resource
from arena.author_acts import hand_over_bot, join_team
from arena.bots.models import Bot, TeamMember
from arena.bots.queries.teams import find_on_team, list_team
from arena.bots.teams import decline_invitation, invite_author, remove_author

TEAM_EXAMPLE = {
    "people": [
        {"username": "ana", "is_lead": True, "invited_by": None, "invited_at": None, "joined_at": None},
        {
            "username": "ben",
            "is_lead": False,
            "invited_by": "ana",
            "invited_at": "2026-05-04T08:00:12Z",
            "joined_at": "2026-05-04T09:31:40Z",
        },
    ]
}


class TeamMemberSerializer(Serializer):
    """A person who works on a bot, or is invited to."""

    username = CharField(help_text="User name of the person.")
    is_lead = BooleanField(help_text="Whether the person leads the team.")
    invited_by = CharField(
        allow_null=True, help_text="User name of who invited the person; null for the one who leads."
    )
    invited_at = DateTimeField(allow_null=True, help_text="When the person was invited; null for the one who leads.")
    joined_at = DateTimeField(allow_null=True, help_text="When the person joined; null for invitations and the lead.")


@extend_schema_serializer(examples=[OpenApiExample("Two people", TEAM_EXAMPLE, response_only=True)])
class TeamSerializer(Serializer):
    """The people who work on a bot."""

    people = TeamMemberSerializer(
        many=True, help_text="The authors, the one who leads first, then those who are invited."
    )


class NamedUserSerializer(Serializer):
    """A person, named."""

    username = CharField(max_length=150, help_text="User name of the person.")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on a team; the fields are described in `TeamMemberSerializer`."""

    username: str
    is_lead: bool = False
    invited_by: str | None = None
    invited_at: datetime | None = None
    joined_at: datetime | None = None


def list_people(bot: Bot) -> list[Person]:
    """Return the team with its lead, who comes first."""
    lead = Person(bot.owner.username, is_lead=True)
    return [lead, *map(_describe_place, list_team(bot))]


def _describe_place(place: TeamMember) -> Person:
    invited_by = place.invited_by.username if place.invited_by else None
    return Person(place.user.username, False, invited_by, place.invited_at, place.joined_at)


def user_on_team_or_404(bot: Bot, username: str) -> User:
    """Return the user of this name if it is on the team or invited to it. Raise NotFound."""
    return require_row(find_on_team(bot, username), _("%(person)s is not on the team.") % {"person": username})


class TeamResource(Resource):
    """An address that returns the team of a bot."""

    serializer_class = TeamSerializer

    def respond_team(self, bot: Bot, status: int = 200) -> Response:
        """Return the team as it is now."""
        return self.respond({"people": list_people(bot)}, status=status)


class Team(TeamResource):
    """The people who work on a bot."""

    @extend_schema(operation_id="bots_team_retrieve", summary="Show the team of a bot")
    def get(self, request: Request, slug: str) -> Response:
        """Return the authors of one of your bots, the one who leads first, and who is invited."""
        return self.respond_team(own_bot_or_404(request, slug))

    @extend_schema(
        operation_id="bots_team_invite",
        summary="Invite a person to the team",
        request=NamedUserSerializer,
        responses={201: TeamSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Invite a person to work on a bot, as the one who leads its team. The person accepts or refuses."""
        user = require_unrestricted_token(request)
        bot = own_bot_or_404(request, slug)
        name = self.read_data(NamedUserSerializer)["username"]
        invited = require_row(find_author(name), _("There is no author called %(name)s.") % {"name": name})
        invite_author(bot=bot, by=user, user=invited)
        return self.respond_team(bot, status=201)


class TeamPerson(TeamResource):
    """One person on the team of a bot."""

    @extend_schema(operation_id="bots_team_remove", summary="Take a person off the team", responses={204: None})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Take a person off the team or an invitation back, as the one who leads, or leave the team yourself."""
        user = require_unrestricted_token(request)
        bot = own_bot_or_404(request, slug)
        remove_author(bot=bot, by=user, user=user_on_team_or_404(bot, name))
        return Response(status=204)


class TeamLead(TeamResource):
    """Who leads the team of a bot."""

    @extend_schema(
        operation_id="bots_team_lead",
        summary="Hand over the lead",
        request=NamedUserSerializer,
        responses=TeamSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Let another author lead the team. You stay on it."""
        user = require_unrestricted_token(request)
        bot = own_bot_or_404(request, slug)
        heir = user_on_team_or_404(bot, self.read_data(NamedUserSerializer)["username"])
        return self.respond_team(hand_over_bot(bot=bot, owner=user, user=heir))


class TeamInvitation(TeamResource):
    """Your own invitation to work on a bot."""

    @extend_schema(
        operation_id="bots_invitation_accept",
        summary="Accept an invitation to a team",
        request=None,
        responses=TeamSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Work on a bot to which you are invited."""
        user = require_unrestricted_token(request)
        return self.respond_team(join_team(bot=bot_or_404(request, slug), user=user))

    @extend_schema(
        operation_id="bots_invitation_refuse", summary="Refuse an invitation to a team", responses={204: None}
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Refuse to work on a bot to which you are invited."""
        decline_invitation(user=require_unrestricted_token(request), bot=bot_or_404(request, slug))
        return Response(status=204)
