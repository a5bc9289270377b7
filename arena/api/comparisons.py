"""Comparisons: whether a version is better than another. Public; the owner of the version starts and stops one."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    FloatField,
    IntegerField,
    ListField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena import tasks
from arena.api.auth import bot_or_404, check_owner, require_user
from arena.api.errors import require_row
from arena.api.examples import EXAMPLE_COMPARISON, EXAMPLE_NEW_COMPARISON, request_example, response_example
from arena.api.fields import ChoiceField, MessageText, PrivateMessageText
from arena.api.frame import Resource
from arena.api.luck import EstimateSerializer, LuckSerializer
from arena.api.references import HtmlUrlField, NamedVersionSerializer, VersionSerializer, version_or_404
from arena.api.rules import ChangedOptionsField, NewOptionsField, OptionsField, VariantField
from arena.comparisons.models import Comparison
from arena.comparisons.queries.comparisons import find_comparison, list_comparisons
from arena.comparisons.services import start_comparison, stop_comparison
from arena.comparisons.settings import ComparisonSettings
from arena.comparisons.sprt import LLR_BOUND, MAX_PAIRS, PRESETS
from arena.private_responses import forbid_caching


@response_example("Running", EXAMPLE_COMPARISON)
class ComparisonSerializer(Serializer):
    """A comparison of two versions."""

    id = IntegerField(source="pk", help_text="Id of the comparison.")
    html_url = HtmlUrlField()
    owner = CharField(source="owner.username", help_text="User name of who started it.")
    game = CharField(source="version.bot.game", help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    options = OptionsField()
    changed_options = ChangedOptionsField()
    variant = VariantField()
    version = VersionSerializer(help_text="Version in question.")
    baseline = VersionSerializer(help_text="Version it is compared with.")
    mode = ChoiceField(
        Comparison.Mode.choices, help_text="Whether the two play each other, or both the same opponents."
    )
    state = ChoiceField(Comparison.State.choices, help_text="State or outcome of the comparison.")
    state_reason = MessageText(help_text="Why it ended like that; empty where there is no more to say.")
    state_detail = PrivateMessageText("version.bot", help_text="Details; empty for everybody but the owner.")
    elo0 = FloatField(help_text="Normalized Elo of the hypothesis that the version is not better.")
    elo1 = FloatField(help_text="Normalized Elo of the hypothesis that the version is better.")
    llr = FloatField(
        help_text="Log-likelihood ratio; better at `llr_bound`, not better at minus `llr_bound`. Where the results are "
        "adjusted for luck, that in `luck` decides instead."
    )
    llr_bound = SerializerMethodField(help_text="Bound of the log-likelihood ratio.")
    pairs = IntegerField(help_text="Number of mirrored pairs that were counted; in a field, of pairs of them.")
    max_pairs = SerializerMethodField(help_text="Number of pairs after which it ends undecided.")
    pentanomial = SerializerMethodField(
        help_text="Head to head: number of pairs in which the version made 0, ½, 1, 1½ and 2 points; null in a field."
    )
    result_counts = SerializerMethodField(
        help_text="In a field: number of units by difference of points, from -2 to 2 by halves; null head to head."
    )
    estimate = EstimateSerializer(allow_null=True, help_text="Estimated difference; null before the first pair.")
    luck = LuckSerializer(allow_null=True, help_text="The results less luck; null where nothing is adjusted.")
    promote_if_better = BooleanField(help_text="Whether it is promoted to the ladders if better.")
    created_at = DateTimeField(help_text="When it was started.")
    decided_at = DateTimeField(allow_null=True, help_text="When it ended; null before.")
    promoted_at = DateTimeField(allow_null=True, help_text="When the version was promoted; null if it was not.")

    def get_llr_bound(self, comparison: Comparison) -> float:
        """Return the bound."""
        return LLR_BOUND

    def get_max_pairs(self, comparison: Comparison) -> int:
        """Return the limit."""
        return MAX_PAIRS

    @extend_schema_field(ListField(child=IntegerField(), allow_null=True))
    def get_pentanomial(self, comparison: Comparison) -> list[int] | None:
        """Return the counts of a head-to-head comparison."""
        return None if comparison.is_field else comparison.result_counts

    @extend_schema_field(ListField(child=IntegerField(), allow_null=True))
    def get_result_counts(self, comparison: Comparison) -> list[int] | None:
        """Return the counts of a field comparison."""
        return comparison.result_counts if comparison.is_field else None


@response_example("Running", EXAMPLE_COMPARISON | {"opponents": []})
class ComparisonDetailSerializer(ComparisonSerializer):
    """A comparison with its opponents."""

    opponents = SerializerMethodField(help_text="In a field: versions that both play.")

    @extend_schema_field(VersionSerializer(many=True))
    def get_opponents(self, comparison: Comparison) -> list[dict[str, Any]]:
        """Return the opponents."""
        return list(VersionSerializer(comparison.opponents.all(), many=True).data)


@request_example("With the version before it", EXAMPLE_NEW_COMPARISON)
class NewComparisonSerializer(Serializer):
    """A comparison to be started."""

    version = NamedVersionSerializer(help_text="A version of one of your bots.")
    baseline = NamedVersionSerializer(
        required=False, help_text="Version it is compared with; the one before it if omitted."
    )
    mode = ChoiceField(
        Comparison.Mode.choices,
        default=Comparison.Mode.HEAD_TO_HEAD,
        help_text="Whether the two play each other, or both the same opponents.",
    )
    preset = ChoiceField(list(PRESETS), default="default", help_text="Name of a pair of hypotheses.")
    edition = SlugField(required=False, help_text="Key of the edition; the first one of the game if omitted.")
    options = NewOptionsField()
    promote_if_better = BooleanField(default=False, help_text="Whether it is promoted to the ladders if better.")
    adjust_for_luck = BooleanField(
        default=False,
        help_text="Whether the results less a part of the luck decide: fewer matches. Needs a value function.",
    )


class ComparisonQuery(Serializer):
    """Filters of the list of comparisons."""

    bot = SlugField(required=False, help_text="Only comparisons of versions of the bot with this slug.")
    owner = CharField(required=False, max_length=150, help_text="Only comparisons started by this user.")
    state = ChoiceField(Comparison.State.choices, required=False, help_text="Only comparisons in this state.")


def comparison_or_404(request: Request, pk: int) -> Comparison:
    """Return the comparison if the reader may see it. Raise NotFound."""
    message = _("There is no comparison %(number)d.") % {"number": pk}
    comparison = require_row(find_comparison(request.user, pk), message)
    if comparison.version.bot.group_id is not None or comparison.baseline.bot.group_id is not None:
        forbid_caching(request)
    return comparison


class ComparisonList(Resource):
    """All comparisons."""

    is_list = True
    serializer_class = NewComparisonSerializer
    query_class = ComparisonQuery

    @extend_schema(
        operation_id="comparisons_list",
        summary="List comparisons",
        parameters=[ComparisonQuery],
        responses=ComparisonSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List comparisons, newest first."""
        bot = bot_or_404(request, self.query["bot"]) if "bot" in self.query else None
        names = {name: self.query.get(name, "") for name in ("owner", "state")}
        comparisons = list_comparisons(request.user, bot=bot, **names)
        return self.respond_page(comparisons, ComparisonSerializer)

    @extend_schema(
        operation_id="comparisons_create",
        summary="Start a comparison",
        responses={201: ComparisonDetailSerializer},
    )
    def post(self, request: Request) -> Response:
        """Compare one of your versions with another version, in unrated matches."""
        sent = self.read_data()
        version = version_or_404(request, sent["version"])
        check_owner(request, version.bot)
        started = start_comparison(
            owner=require_user(request),
            version=version,
            baseline=version_or_404(request, sent["baseline"]) if "baseline" in sent else None,
            settings=ComparisonSettings(
                sent["mode"],
                sent["preset"],
                sent.get("edition", ""),
                sent["promote_if_better"],
                sent.get("options", {}),
                sent["adjust_for_luck"],
            ),
        )
        tasks.play_comparison.delay_on_commit(started.pk)
        return self.respond(comparison_or_404(request, started.pk), ComparisonDetailSerializer, status=201)


class ComparisonDetail(Resource):
    """One comparison."""

    serializer_class = ComparisonDetailSerializer

    @extend_schema(operation_id="comparisons_retrieve", summary="Show a comparison")
    def get(self, request: Request, pk: int) -> Response:
        """Return a comparison."""
        return self.respond(comparison_or_404(request, pk))


class ComparisonStop(Resource):
    """Stopping a comparison."""

    permission_classes = [IsAuthenticated]
    serializer_class = ComparisonDetailSerializer

    @extend_schema(operation_id="comparisons_stop", summary="Stop a comparison", request=None)
    def post(self, request: Request, pk: int) -> Response:
        """End a comparison without an answer."""
        comparison = comparison_or_404(request, pk)
        check_owner(request, comparison.version.bot)
        stop_comparison(comparison=comparison, owner=require_user(request))
        return self.respond(comparison_or_404(request, pk))
