"""The adjustment of comparisons for luck, and estimated differences."""

from rest_framework.serializers import BooleanField, CharField, FloatField, IntegerField, Serializer


class EstimateSerializer(Serializer):
    """Estimated difference with its 95 % interval. A test that stops early makes the difference look larger."""

    elo = FloatField(help_text="Estimated difference in Elo.")
    low = FloatField(help_text="Lower end of the 95 % interval, in Elo.")
    high = FloatField(help_text="Upper end of the 95 % interval, in Elo.")
    likelihood = FloatField(help_text="Likelihood that the version is better at all, from 0 to 1.")


class ValueFunctionSerializer(Serializer):
    """What fixes an adjustment for luck, published before the first match."""

    version = CharField(help_text="Version of the value function.")
    hash = CharField(help_text="SHA-256 of its weights.")
    luck_share = FloatField(help_text="Share of the luck that is taken off a result.")
    cards_per_draw = IntegerField(help_text="Largest number of cards that a draw is compared with.")


class LuckSerializer(Serializer):
    """The results of a comparison less luck. They decide, unless the adjustment is suspended."""

    value_function = ValueFunctionSerializer(help_text="Value function by which luck is measured.")
    llr = FloatField(help_text="Log-likelihood ratio of the results less luck.")
    estimate = EstimateSerializer(
        allow_null=True, help_text="Difference estimated by the results less luck; null before the second pair."
    )
    adjusted_pairs = IntegerField(help_text="Number of pairs whose luck could be measured; others count as they are.")
    is_suspended = BooleanField(
        help_text="Whether `llr` of the comparison decides after all, for the luck of one of its bots is out of line."
    )
