"""How a version fared in its trial: for everybody what was called, for its owner what it said."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, ChoiceField, FloatField, IntegerField, Serializer

from arena.api.auth import bot_or_404, own_bot_or_404
from arena.api.fields import FaultField
from arena.api.frame import Resource
from arena.api.versions import VersionTrialSerializer, find_version
from arena.bots.models import BotVersion
from arena.matches.models import LegSeat, Match, Trial
from arena.runner.verdict import Verdict

VERDICTS = [verdict.value for verdict in Verdict]


class TrialLegSerializer(Serializer):
    number = IntegerField(source="leg.number")
    verdict = ChoiceField(VERDICTS)
    place = IntegerField(help_text="1 is first; equal places are shared.")
    score = FloatField()
    decisions = IntegerField(source="leg.decisions", allow_null=True, help_text="Number of decisions of all seats.")


class TrialSerializer(VersionTrialSerializer):
    legs = TrialLegSerializer(many=True, help_text="Empty until the match is over.")


class TrialLogLegSerializer(Serializer):
    number = IntegerField(source="leg.number")
    verdict = ChoiceField(VERDICTS)
    fault = FaultField(
        allow_null=True,
        help_text="Keys: message (what was wrong), sent, request, stderr (the last line of the log).",
    )
    stderr = CharField(help_text="The end of what it wrote there; empty after some weeks.")


class TrialLogSerializer(Serializer):
    build_log = CharField(help_text="What the compiler said.")
    legs = TrialLogLegSerializer(many=True)


def latest_trial(version: BotVersion) -> Trial | None:
    trials = list(version.trials.all())
    return trials[-1] if trials else None


def legs_of(trial: Trial | None) -> QuerySet[LegSeat]:
    """How its version fared in each leg, once all are over."""
    seats = LegSeat.objects.filter(participant__index=0, leg__match__state=Match.State.FINISHED)
    of_trial = seats.filter(leg__match=trial.match_id) if trial else seats.none()
    return of_trial.select_related("leg").defer("leg__record").order_by("leg__number")


class VersionTrial(Resource):
    serializer_class = TrialSerializer

    @extend_schema(operation_id="bots_versions_trial", summary="The trial of a version")
    def get(self, request: Request, slug: str, number: int) -> Response:
        """The latest one; a version may have a second where the arena failed to play the first."""
        trial = latest_trial(find_version(bot_or_404(slug), number))
        if trial is None:
            raise NotFound("This version has had no trial yet.")
        trial.legs = legs_of(trial).defer("stderr", "fault", "leg__record")
        return self.respond(trial)


class VersionLog(Resource):
    serializer_class = TrialLogSerializer

    @extend_schema(operation_id="bots_versions_log", summary="What your version said while it was built and on trial")
    def get(self, request: Request, slug: str, number: int) -> Response:
        version = find_version(own_bot_or_404(request, slug), number)
        return self.respond({"build_log": version.build_log, "legs": legs_of(latest_trial(version))})
