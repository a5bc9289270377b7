"""Whether a version is better than another. Anybody may look; the owner of the version begins and stops."""

from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    FloatField,
    IntegerField,
    ListField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena import tasks
from arena.api.auth import bot_or_404, check_owner, is_owner
from arena.api.errors import find
from arena.api.examples import COMPARISON, NEW_COMPARISON, request_example, response_example
from arena.api.fields import MessageText
from arena.api.frame import Resource
from arena.api.references import HtmlUrlField, NamedVersionSerializer, VersionSerializer, version_or_404
from arena.bots.queries.versions import list_named_versions
from arena.comparisons.models import Comparison
from arena.comparisons.services import Terms, compare, stop
from arena.comparisons.sprt import LLR_BOUND, MAX_PAIRS, PRESETS
from arena.messages import render_message


class EstimateSerializer(Serializer):
    """How much better the version is, with its 95 % interval. A test that stops early makes it look like more."""

    elo = FloatField()
    low = FloatField()
    high = FloatField()
    likelihood = FloatField(help_text="That it is better at all, from 0 to 1.")


@response_example("Running", COMPARISON)
class ComparisonSerializer(Serializer):
    id = IntegerField(source="pk")
    page = HtmlUrlField()
    owner = CharField(source="owner.username")
    game = CharField(source="version.bot.game")
    edition = CharField()
    version = VersionSerializer(help_text="The one in question.")
    baseline = VersionSerializer(help_text="What it is compared with.")
    mode = ChoiceField(Comparison.Mode.choices)
    state = ChoiceField(Comparison.State.choices)
    state_reason = MessageText(help_text="Why it ended like that, where there is more to say.")
    state_detail = SerializerMethodField(help_text="What else its owner should know; empty for everybody else.")
    elo0 = FloatField(help_text="Normalized Elo: as good as this is not better.")
    elo1 = FloatField(help_text="Normalized Elo: as good as this is better.")
    llr = FloatField(help_text="Log-likelihood ratio: at `llr_bound` it is better, at minus that it is not.")
    llr_bound = SerializerMethodField()
    pairs = IntegerField(help_text="Counted: mirrored pairs, in a field two for one.")
    max_pairs = SerializerMethodField(help_text="Then it ends without an answer.")
    pentanomial = SerializerMethodField(
        help_text="Head to head: number of pairs in which the version made 0, ½, 1, 1½ and 2 points; null in a field."
    )
    result_counts = SerializerMethodField(
        help_text="In a field: number of units by difference of points, from -2 to 2 by halves; null head to head."
    )
    estimate = EstimateSerializer(allow_null=True, help_text="Null before anything was counted.")
    promote_if_better = BooleanField(help_text="If it is better, it goes to the ladders.")
    created_at = DateTimeField()
    decided_at = DateTimeField(allow_null=True)
    promoted_at = DateTimeField(allow_null=True)

    def get_state_detail(self, comparison: Comparison) -> str:
        may_see = comparison.state_detail and is_owner(self.context["request"], comparison.version.bot)
        return render_message(comparison.state_detail) if may_see else ""

    @extend_schema_field(ListField(child=IntegerField(), allow_null=True))
    def get_pentanomial(self, comparison: Comparison) -> list[int] | None:
        return None if comparison.is_field else comparison.result_counts

    @extend_schema_field(ListField(child=IntegerField(), allow_null=True))
    def get_result_counts(self, comparison: Comparison) -> list[int] | None:
        return comparison.result_counts if comparison.is_field else None

    def get_llr_bound(self, comparison: Comparison) -> float:
        return LLR_BOUND

    def get_max_pairs(self, comparison: Comparison) -> int:
        return MAX_PAIRS


@response_example("Running", COMPARISON | {"opponents": []})
class ComparisonDetailSerializer(ComparisonSerializer):
    opponents = SerializerMethodField(help_text="Whom both play, in a field.")

    @extend_schema_field(VersionSerializer(many=True))
    def get_opponents(self, comparison: Comparison) -> list[dict[str, Any]]:
        return VersionSerializer(comparison.opponents.all(), many=True).data


@request_example("With the version before it", NEW_COMPARISON)
class NewComparisonSerializer(Serializer):
    version = NamedVersionSerializer(help_text="One of your own.")
    baseline = NamedVersionSerializer(required=False, help_text="The version before it where left out.")
    mode = ChoiceField(Comparison.Mode.choices, default=Comparison.Mode.HEAD_TO_HEAD)
    preset = ChoiceField(list(PRESETS), default="default", help_text="What is taken as not better, and as better.")
    edition = SlugField(required=False, help_text="The game's first one where left out.")
    promote_if_better = BooleanField(default=False, help_text="Whether it goes to the ladders if it is better.")


class ComparisonQuery(Serializer):
    bot = SlugField(required=False, help_text="Only those of versions of this bot.")
    owner = CharField(required=False, max_length=150)
    state = ChoiceField(Comparison.State.choices, required=False)


def with_versions() -> QuerySet[Comparison]:
    """All that the serializers read, in a fixed number of queries."""
    return Comparison.objects.select_related("owner").prefetch_related(
        Prefetch("version", list_named_versions()), Prefetch("baseline", list_named_versions())
    )


def find_comparison(pk: int) -> Comparison:
    """Raises NotFound."""
    comparisons = with_versions().prefetch_related(Prefetch("opponents", list_named_versions()))
    return find(comparisons, f"There is no comparison {pk}.", pk=pk)


class ComparisonList(Resource):
    serializer_class = NewComparisonSerializer
    query_class = ComparisonQuery

    @extend_schema(
        operation_id="comparisons_list",
        summary="Comparisons",
        parameters=[ComparisonQuery],
        responses=ComparisonSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Newest first."""
        asked = dict(self.query)
        comparisons = with_versions()
        if "bot" in asked:
            comparisons = comparisons.filter(version__bot=bot_or_404(asked["bot"]))
        if "owner" in asked:
            comparisons = comparisons.filter(owner__username=asked["owner"])
        if "state" in asked:
            comparisons = comparisons.filter(state=asked["state"])
        return self.respond_page(comparisons, ComparisonSerializer)

    @extend_schema(
        operation_id="comparisons_create",
        summary="Is this version better?",
        responses={201: ComparisonDetailSerializer},
    )
    def post(self, request: Request) -> Response:
        sent = self.read_data()
        version = version_or_404(sent["version"])
        check_owner(request, version.bot)
        begun = compare(
            owner=request.user,
            version=version,
            baseline=version_or_404(sent["baseline"]) if "baseline" in sent else None,
            terms=Terms(sent["mode"], sent["preset"], sent.get("edition", ""), sent["promote_if_better"]),
        )
        tasks.play_comparison.delay_on_commit(begun.pk)
        return self.respond(find_comparison(begun.pk), ComparisonDetailSerializer, status=201)


class ComparisonDetail(Resource):
    serializer_class = ComparisonDetailSerializer

    @extend_schema(operation_id="comparisons_retrieve", summary="One comparison")
    def get(self, request: Request, pk: int) -> Response:
        return self.respond(find_comparison(pk))


class ComparisonStop(Resource):
    permission_classes = [IsAuthenticated]
    serializer_class = ComparisonDetailSerializer

    @extend_schema(operation_id="comparisons_stop", summary="End a comparison without an answer", request=None)
    def post(self, request: Request, pk: int) -> Response:
        comparison = find_comparison(pk)
        check_owner(request, comparison.version.bot)
        stop(comparison=comparison, owner=request.user)
        return self.respond(find_comparison(pk))
