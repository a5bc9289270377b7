"""Challenges: unrated matches requested by an author."""

from collections.abc import Sequence

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import DateTimeField, IntegerField, Serializer, SlugField

from arena import tasks
from arena.api.auth import check_owner, find_bot_of_token, require_user
from arena.api.examples import (
    EXAMPLE_CHALLENGE,
    EXAMPLE_MATCH,
    EXAMPLE_NEW_CHALLENGE,
    request_example,
    response_example,
)
from arena.api.frame import Resource
from arena.api.matches import MatchSerializer, attach_parts
from arena.api.references import NamedVersionSerializer, version_or_404
from arena.api.rules import NewOptionsField, SeriesSerializer
from arena.challenges.models import Challenge
from arena.challenges.queries.challenges import fetch_challenge, list_challenges
from arena.challenges.services import create_challenge


@response_example("Played", {"id": 5, "created_at": EXAMPLE_MATCH["created_at"], "match": EXAMPLE_CHALLENGE})
class ChallengeSerializer(Serializer):
    """A challenge."""

    id = IntegerField(source="pk", help_text="Id of the challenge.")
    created_at = DateTimeField(help_text="When it was made.")
    match = MatchSerializer(help_text="Match of the challenge.")


@request_example("Against Heron", EXAMPLE_NEW_CHALLENGE)
class NewChallengeSerializer(Serializer):
    """A challenge to be made."""

    version = NamedVersionSerializer(help_text="A version of one of your bots.")
    opponent = NamedVersionSerializer(help_text="A version on a ladder, or another one of yours.")
    edition = SlugField(required=False, help_text="Key of the edition; the first one of the game if omitted.")
    options = NewOptionsField()
    series = SeriesSerializer(
        required=False,
        allow_null=True,
        help_text="Length of a series of games; null, the default, for a mirrored pair, which is fairer.",
    )


def attach_match_parts(challenges: Sequence[Challenge]) -> None:
    """Read what is shown of the matches."""
    attach_parts([challenge.match for challenge in challenges])


class ChallengeList(Resource):
    """Your challenges."""

    is_list = True
    permission_classes = [IsAuthenticated]
    serializer_class = NewChallengeSerializer

    @extend_schema(
        operation_id="challenges_list", summary="List your challenges", responses=ChallengeSerializer(many=True)
    )
    def get(self, request: Request) -> Response:
        """List your challenges, newest first. A token for one bot lists those of that bot."""
        challenges = list_challenges(require_user(request), find_bot_of_token(request))
        return self.respond_page(challenges, ChallengeSerializer, attach_match_parts)

    @extend_schema(
        operation_id="challenges_create", summary="Challenge another bot", responses={201: ChallengeSerializer}
    )
    def post(self, request: Request) -> Response:
        """Queue an unrated match of one of your versions against another version."""
        sent = self.read_data()
        version = version_or_404(request, sent["version"])
        check_owner(request, version.bot)
        made = create_challenge(
            owner=require_user(request),
            version=version,
            opponent=version_or_404(request, sent["opponent"]),
            edition=sent.get("edition", ""),
            options=sent.get("options"),
            series=sent.get("series"),
        )
        tasks.play_next.delay_on_commit()
        made = fetch_challenge(made.pk)
        attach_match_parts([made])
        return self.respond(made, ChallengeSerializer, status=201)
