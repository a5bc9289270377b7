"""The rules of matches and contests: changes of an edition's options in requests, and their name in responses."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework.serializers import DictField, Field, IntegerField, JSONField, Serializer

from arena.ladders.queries.titles import find_variant_name
from arena.matches.variants import HasRules
from arena.messages import render_message
from engine.series import GAMES_RANGE, POINTS_RANGE


class OptionsField(JSONField):
    """All rule options in force."""

    def __init__(self) -> None:
        super().__init__(read_only=True, help_text="All rule options in force.")


class ChangedOptionsField(JSONField):
    """The rule options that differ from the edition's."""

    def __init__(self) -> None:
        super().__init__(
            read_only=True, help_text="Rule options that differ from the edition's, with their values; often empty."
        )


@extend_schema_field(OpenApiTypes.STR)
class VariantField(Field):
    """The name of an edition with its changed options."""

    def __init__(self) -> None:
        super().__init__(
            source="*",
            read_only=True,
            help_text="Name of the edition and its changed options, in the reader's language.",
        )

    def to_representation(self, played: HasRules) -> str:
        """Return the name."""
        return render_message(find_variant_name(played))


class NewOptionsField(DictField):
    """Rule options in a request."""

    def __init__(self) -> None:
        super().__init__(
            required=False,
            help_text='Rule options with their values, as in {"scout": "at-once"}; those that are omitted are the '
            "edition's. Options that are exactly those of another edition give that edition.",
        )


class SeriesSerializer(Serializer):
    """The length of a series of games: one of the two is null or omitted."""

    games = IntegerField(
        required=False,
        allow_null=True,
        min_value=GAMES_RANGE[0],
        max_value=GAMES_RANGE[-1],
        help_text="Number of games after which it ends.",
    )
    points = IntegerField(
        required=False,
        allow_null=True,
        min_value=POINTS_RANGE[0],
        max_value=POINTS_RANGE[-1],
        help_text="Series score of either bot with which it ends.",
    )
