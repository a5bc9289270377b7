"""The trial of a version: its verdicts for everybody, its logs for the owner."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, FloatField, IntegerField, Serializer

from arena.api.auth import bot_or_404, own_bot_or_404
from arena.api.errors import require_row
from arena.api.fields import ChoiceField, FaultField
from arena.api.frame import Resource
from arena.api.matches import VERDICTS
from arena.api.versions import VersionTrialSerializer, version_or_404
from arena.matches.queries.trials import list_trial_seats, newest_prefetched_trial


class TrialLegSerializer(Serializer):
    """The result of the version in a leg."""

    number = IntegerField(source="leg.number", help_text="Number of the leg, starting at 1.")
    verdict = ChoiceField(VERDICTS, help_text="Verdict on the version: ok, or its fault.")
    place = IntegerField(help_text="Place in the leg; ties share a place.")
    score = FloatField(help_text="Score as the game counts it.")
    decisions = IntegerField(source="leg.decisions", allow_null=True, help_text="Number of decisions of all seats.")


class TrialSerializer(VersionTrialSerializer):
    """A trial with its legs."""

    legs = TrialLegSerializer(many=True, help_text="Legs of the trial; empty until the match is finished.")


class TrialLogLegSerializer(Serializer):
    """The log of a leg."""

    number = IntegerField(source="leg.number", help_text="Number of the leg, starting at 1.")
    verdict = ChoiceField(VERDICTS, help_text="Verdict on the version: ok, or its fault.")
    fault = FaultField(
        allow_null=True,
        help_text="Keys: message (what was wrong), sent, request, stderr (last line of the log); null without a fault.",
    )
    stderr = CharField(help_text="End of what the bot wrote to stderr; deleted after some weeks.")


class TrialLogSerializer(Serializer):
    """The logs of a version."""

    build_log = CharField(help_text="Output of the compiler.")
    legs = TrialLogLegSerializer(many=True, help_text="Logs of the legs; empty until the match is finished.")


class VersionTrial(Resource):
    """The trial of a version."""

    serializer_class = TrialSerializer

    @extend_schema(operation_id="bots_versions_trial", summary="Show the trial of a version")
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Return the latest trial. A version may have a second one where the arena failed to play the first."""
        version = version_or_404(bot_or_404(request, slug), number)
        trial: Any = require_row(newest_prefetched_trial(version), _("This version has had no trial yet."))
        trial.legs = list_trial_seats(trial, with_logs=False)
        return self.respond(trial)


class VersionLog(Resource):
    """The logs of a version."""

    serializer_class = TrialLogSerializer

    @extend_schema(operation_id="bots_versions_log", summary="Show the logs of a version")
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Return what the compiler said of one of your versions, and what the version wrote in its trial."""
        version = version_or_404(own_bot_or_404(request, slug), number)
        legs = list_trial_seats(newest_prefetched_trial(version), with_logs=True)
        return self.respond({"build_log": version.build_log, "legs": legs})
