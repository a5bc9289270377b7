"""Unrated matches that authors want."""

from collections.abc import Sequence

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import DateTimeField, IntegerField, Serializer, SlugField

from arena import tasks
from arena.api.auth import check_owner
from arena.api.examples import CHALLENGE, MATCH, NEW_CHALLENGE, request_example, response_example
from arena.api.frame import Resource
from arena.api.matches import MatchSerializer, add_parts
from arena.api.references import NamedVersionSerializer, version_or_404
from arena.challenges.models import Challenge
from arena.challenges.services import challenge
from arena.matches.models import Match


@response_example("Played", {"id": 5, "created_at": MATCH["created_at"], "match": CHALLENGE})
class ChallengeSerializer(Serializer):
    id = IntegerField(source="pk")
    created_at = DateTimeField()
    match = MatchSerializer()


@request_example("Against Heron", NEW_CHALLENGE)
class NewChallengeSerializer(Serializer):
    version = NamedVersionSerializer(help_text="One of your own.")
    opponent = NamedVersionSerializer(help_text="One that is on a ladder now, or another of your own.")
    edition = SlugField(required=False, help_text="The game's first one where left out.")


def with_match(challenges: QuerySet[Challenge]) -> QuerySet[Challenge]:
    return challenges.prefetch_related(Prefetch("match", Match.objects.lean()))


def add_match_parts(challenges: Sequence[Challenge]) -> None:
    add_parts([challenge.match for challenge in challenges])


class ChallengeList(Resource):
    permission_classes = [IsAuthenticated]
    serializer_class = NewChallengeSerializer

    @extend_schema(operation_id="challenges_list", summary="Your challenges", responses=ChallengeSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Newest first. A token for one bot sees those of that bot."""
        challenges = Challenge.objects.filter(owner=request.user)
        if request.auth is not None and request.auth.bot_id is not None:
            challenges = challenges.filter(version__bot=request.auth.bot_id)
        return self.respond_page(with_match(challenges), ChallengeSerializer, add_match_parts)

    @extend_schema(
        operation_id="challenges_create", summary="Challenge another bot", responses={201: ChallengeSerializer}
    )
    def post(self, request: Request) -> Response:
        sent = self.read_data()
        version = version_or_404(sent["version"])
        check_owner(request, version.bot)
        made = challenge(
            owner=request.user,
            version=version,
            opponent=version_or_404(sent["opponent"]),
            edition=sent.get("edition", ""),
        )
        tasks.play_next.delay_on_commit()
        made = with_match(Challenge.objects.all()).get(pk=made.pk)
        add_match_parts([made])
        return self.respond(made, ChallengeSerializer, status=201)
