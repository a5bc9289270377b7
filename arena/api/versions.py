"""Versions of a bot: upload one, follow its trial, compare it with another, and challenge other bots."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema_field,
)
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    ListField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena.api.frame import (
    ARCHIVE_TYPE,
    BINARY_RESPONSE,
    ChangedOptionsField,
    ChoiceField,
    EstimateSerializer,
    FaultField,
    HtmlUrlField,
    LuckSerializer,
    MessageText,
    NamedVersionSerializer,
    NewOptionsField,
    OptionsField,
    PrivateMessageText,
    Resource,
    SeriesSerializer,
    UploadSerializer,
    VariantField,
    VersionSerializer,
    operation,
    read_idempotency_key,
    respond_unless_known,
    version_or_404,
)
from arena.api.matches import VERDICTS, MatchSerializer, WaitingSerializer, attach_parts
from arena.api.requests import (
    bot_or_404,
    check_owner,
    find_bot_of_token,
    is_owner,
    own_bot_or_404,
    require_row,
    require_unrestricted_token,
)
from arena.api.tournaments import tournament_or_404
from arena.bots.models import Bot, BotVersion
from arena.bots.services import MAX_DECLARATION_LENGTH, submit_version
from arena.contests.challenges.models import Challenge
from arena.contests.challenges.services import (
    create_challenge,
    create_practice_match,
    fetch_challenge,
    list_challenges,
    list_practice,
)
from arena.contests.comparisons import services as comparisons
from arena.contests.comparisons.models import Comparison
from arena.contests.comparisons.services import ComparisonSettings
from arena.contests.comparisons.sprt import LLR_BOUND, MAX_PAIRS, PRESETS
from arena.contests.ladders.queries import explain_hold
from arena.contests.ladders.services.entering import promote_to_ladders
from arena.contests.ladders.services.remote import declare_version
from arena.core.http import forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import render_message
from arena.matches.models import Match, Trial
from arena.matches.queries import (
    find_version_with_trials,
    list_edition_trials,
    list_trial_seats,
    list_versions_with_trials,
    newest_prefetched_trial,
)
from arena.matches.queue import place_in_queue

# Versions of a bot: uploading one, following its trial, and letting it play.


class VersionTrialSerializer(Serializer):
    """The match that decides whether a version is accepted."""

    match = IntegerField(source="match_id", help_text="The match's id.")
    state = ChoiceField(Match.State.choices, source="match.state", help_text="The match's state.")
    waiting = SerializerMethodField(help_text="Its place in the queue; null once it has run, and in lists.")

    @extend_schema_field(WaitingSerializer(allow_null=True))
    def get_waiting(self, trial: Trial) -> dict[str, Any] | None:
        """Return the place in the queue."""
        if self.context.get("is_list") or trial.match.state != Match.State.QUEUED:
            return None
        return WaitingSerializer(place_in_queue(trial.match)).data


class EditionTrialSerializer(Serializer):
    """The leg that decides whether an accepted version joins an edition's ladders."""

    edition = CharField(help_text="Key of the edition.")
    match = IntegerField(source="match_id", help_text="The match's id.")
    state = ChoiceField(Match.State.choices, source="match.state", help_text="The match's state.")
    has_passed = BooleanField(
        allow_null=True, help_text="Whether the version joins the edition's ladders; null until known."
    )
    reason = MessageText(source="fault", help_text="Why it doesn't join them; empty without a fault.")
    detail = PrivateMessageText(
        "version.bot", source="fault_detail", help_text="Error details; empty for anyone but its owner."
    )


class BotVersionSerializer(Serializer):
    """A version of a bot."""

    bot = CharField(source="bot.slug", help_text="Slug of the bot.")
    number = IntegerField(help_text="Version number, starting at 1.")
    state = ChoiceField(BotVersion.State.choices, help_text="The version's state.")
    is_final = BooleanField(help_text="Whether it was accepted or rejected, so its state won't change again.")
    state_reason = MessageText(help_text="Why it was rejected; empty otherwise.")
    state_detail = PrivateMessageText("bot", help_text="Error details; empty for anyone but its owner.")
    is_on_hold = BooleanField(help_text="Whether it's on hold until it's promoted to the ladders.")
    hold_reason = SerializerMethodField(
        help_text="Why the ladders have no room for it; empty unless that's why it's on hold."
    )
    language = CharField(help_text="Key of the programming language; `remote` for remote bots.")
    declared = CharField(help_text="What a remote bot runs on, in its author's words; empty for other bots.")
    packages = DictField(
        child=CharField(),
        help_text="Version of each package that it uses, by name: those that it was tried with. Mostly empty.",
    )
    size = IntegerField(help_text="Size of all files in bytes, unpacked.")
    sha256 = CharField(help_text="SHA-256 of the source; empty for remote bots.")
    created_at = DateTimeField(help_text="When it was uploaded.")
    uploaded_by = SerializerMethodField(help_text="The uploader's username; null for anyone but its authors.")
    url = SerializerMethodField(help_text="The version's address in the API.")
    html_url = HtmlUrlField()
    trial = SerializerMethodField(help_text="Its trial, or null.")
    editions = SerializerMethodField(
        help_text="Its trials in the game's other editions, which begin once it's accepted. It joins "
        "the ladders of those it passes."
    )

    def get_uploaded_by(self, version: BotVersion) -> str | None:
        """Return who uploaded it."""
        if version.uploaded_by is None or not is_owner(self.context["request"], version.bot):
            return None
        return version.uploaded_by.username

    def get_hold_reason(self, version: BotVersion) -> str:
        """Return why there is no room for it."""
        reason = explain_hold(version)
        return "" if reason is None else render_message(reason)

    def get_url(self, version: BotVersion) -> str:
        """Return the address."""
        address = reverse("api_version", args=[version.bot.slug, version.number])
        return str(self.context["request"].build_absolute_uri(address))

    @extend_schema_field(VersionTrialSerializer(allow_null=True))
    def get_trial(self, version: BotVersion) -> dict[str, Any] | None:
        """Return the latest trial."""
        trial = newest_prefetched_trial(version)
        return None if trial is None else VersionTrialSerializer(trial, context=self.context).data

    @extend_schema_field(EditionTrialSerializer(many=True))
    def get_editions(self, version: BotVersion) -> Any:
        """Return the latest trial in each other edition."""
        return EditionTrialSerializer(list_edition_trials(version), many=True, context=self.context).data


def version_with_trials_or_404(bot: Bot, number: int) -> BotVersion:
    """Return that version of a bot with its trials. Raise NotFound."""
    message = _("%(bot)s has no version %(number)d.") % {"bot": bot.name, "number": number}
    return require_row(find_version_with_trials(bot, number), message)


IDEMPOTENCY_KEY_PARAMETER = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="A key chosen by the client, at most 100 characters. Sending an upload again with "
    "the same key, for example after a lost response, returns the same version.",
)


# The trial of a version: its verdicts for everybody, its logs for the owner.


class TrialLegSerializer(Serializer):
    """The version's result in a leg."""

    number = IntegerField(source="leg.number", help_text="Leg number, starting at 1.")
    verdict = ChoiceField(VERDICTS, help_text="Verdict on the version: ok, or its fault.")
    place = IntegerField(help_text="Place in the leg; ties share a place.")
    score = FloatField(help_text="Score in the game.")
    decisions = IntegerField(source="leg.decisions", allow_null=True, help_text="Number of decisions by all seats.")


class TrialSerializer(VersionTrialSerializer):
    """A trial with its legs."""

    legs = TrialLegSerializer(many=True, help_text="The trial's legs; empty until the match is finished.")


class TrialLogLegSerializer(Serializer):
    """A leg's log."""

    number = IntegerField(source="leg.number", help_text="Leg number, starting at 1.")
    verdict = ChoiceField(VERDICTS, help_text="Verdict on the version: ok, or its fault.")
    fault = FaultField(
        allow_null=True,
        help_text="Keys: message (what was wrong), sent, request, stderr (last line of the log); null without a fault.",
    )
    stderr = CharField(help_text="End of the bot's stderr output; deleted after some weeks.")


class TrialLogSerializer(Serializer):
    """A version's logs."""

    build_log = CharField(help_text="The compiler's output.")
    legs = TrialLogLegSerializer(many=True, help_text="The legs' logs; empty until the match is finished.")


class Versions(Resource):
    """The versions of a bot."""

    parser_classes = [MultiPartParser]

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context, in which lists are marked."""
        return super().get_serializer_context() | {"is_list": self.operation.paging is not None}

    @operation("bots_versions_list", "List a bot's versions", [BotVersionSerializer])
    def list(self, request: Request, slug: str) -> Response:
        """List a bot's versions, newest first."""
        return self.respond_page(list_versions_with_trials(bot_or_404(request, slug)), ordering=("-number",))

    @operation(
        "bots_versions_create",
        "Upload a version",
        BotVersionSerializer,
        reads=UploadSerializer,
        parameters=[IDEMPOTENCY_KEY_PARAMETER],
        responses={
            201: OpenApiResponse(BotVersionSerializer, "The new version, waiting for its trial."),
            200: OpenApiResponse(BotVersionSerializer, "The existing version with these files or this key."),
        },
        errors=("422",),
    )
    def upload(self, request: Request, slug: str) -> Response:
        """Upload a version. The older one keeps playing until this one is accepted. Poll until `is_final` is true."""
        bot = own_bot_or_404(request, slug)
        key = read_idempotency_key(request)
        upload = self.read_data()
        version, is_new = submit_version(
            owner=self.user, bot=bot, files=upload["program"], hold=upload["hold"], key=key
        )
        return self.respond(version_with_trials_or_404(version.bot, version.number), 201 if is_new else 200)

    @operation("bots_versions_retrieve", "Show a version", BotVersionSerializer)
    def show(self, request: Request, slug: str, number: int) -> Response:
        """Return a version."""
        return self.respond(version_with_trials_or_404(bot_or_404(request, slug), number))

    @operation("bots_versions_promote", "Promote a version", BotVersionSerializer)
    def promote(self, request: Request, slug: str, number: int) -> Response:
        """Enter an accepted version on all ladders for its game, replacing the bot's current version."""
        bot = own_bot_or_404(request, slug)
        promote_to_ladders(version=version_with_trials_or_404(bot, number), owner=self.user)
        return self.respond(version_with_trials_or_404(bot, number))

    @operation("bots_versions_source", "Download a version's source", responses=BINARY_RESPONSE)
    def download(self, request: Request, slug: str, number: int) -> HttpResponseBase:
        """Return a zip with the files of one of your versions."""
        version = version_with_trials_or_404(own_bot_or_404(request, slug), number)

        def send() -> HttpResponse:
            headers = {
                # A stranger's bytes must never be rendered by a browser.
                "Content-Disposition": f'attachment; filename="{version.source_filename}"',
                "X-Content-Type-Options": "nosniff",
            }
            return HttpResponse(version.stored_source.zipped, content_type=ARCHIVE_TYPE, headers=headers)

        return respond_unless_known(request, version.sha256, send)

    @operation("bots_versions_trial", "Show a version's trial", TrialSerializer)
    def show_trial(self, request: Request, slug: str, number: int) -> Response:
        """Return the version's latest trial. If the arena failed to play the first, the version gets a second one."""
        version = version_with_trials_or_404(bot_or_404(request, slug), number)
        trial: Any = require_row(newest_prefetched_trial(version), _("This version hasn't had a trial yet."))
        trial.legs = list_trial_seats(trial, with_logs=False)
        return self.respond(trial)

    @operation("bots_versions_log", "Show a version's logs", TrialLogSerializer)
    def show_log(self, request: Request, slug: str, number: int) -> Response:
        """Return the compiler's output for one of your versions, and the version's log from its trial."""
        version = version_with_trials_or_404(own_bot_or_404(request, slug), number)
        legs = list_trial_seats(newest_prefetched_trial(version), with_logs=True)
        return self.respond({"build_log": version.build_log, "legs": legs})


# Versions of remote bots, which are declared instead of uploaded.


class DeclarationSerializer(Serializer):
    """A remote bot's new version."""

    declared = CharField(
        max_length=MAX_DECLARATION_LENGTH,
        help_text="What it runs on from now on, in your words. Shown with its results.",
    )


class RemoteVersions(Resource):
    """The versions of a remote bot."""

    @operation(
        "bots_versions_declare",
        "Declare a remote bot's version",
        BotVersionSerializer,
        reads=DeclarationSerializer,
        responses={
            201: OpenApiResponse(BotVersionSerializer, "The new version. It replaces the older one on open ladders."),
            200: OpenApiResponse(BotVersionSerializer, "The newest version, which is declared with these words."),
        },
    )
    def declare(self, request: Request, slug: str) -> Response:
        """Declare a new version of your remote bot, such as one with another model. It needs no trial."""
        bot = own_bot_or_404(request, slug)
        version, is_new = declare_version(bot=bot, by=self.user, **self.read_data())
        return self.respond(version_with_trials_or_404(bot, version.number), 201 if is_new else 200)


# Comparisons: whether a version is better than another. Public; the owner of the version starts and stops one.


class ComparisonSerializer(Serializer):
    """A comparison of two versions."""

    id = IntegerField(source="pk", help_text="The comparison's id.")
    html_url = HtmlUrlField()
    owner = CharField(source="owner.username", help_text="Username of the person who started it.")
    game = CharField(source="version.bot.game", help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    options = OptionsField()
    changed_options = ChangedOptionsField()
    variant = VariantField()
    version = VersionSerializer(help_text="The version being tested.")
    baseline = VersionSerializer(help_text="The version it's compared with.")
    mode = ChoiceField(
        Comparison.Mode.choices, help_text="Whether the two versions play each other or the same opponents."
    )
    state = ChoiceField(Comparison.State.choices, help_text="State or outcome of the comparison.")
    state_reason = MessageText(help_text="Reason for this outcome; may be empty.")
    state_detail = PrivateMessageText("version.bot", help_text="Details; empty for anyone but the owner.")
    elo0 = FloatField(help_text="Normalized Elo of the hypothesis that the version isn't better.")
    elo1 = FloatField(help_text="Normalized Elo of the hypothesis that the version is better.")
    llr = FloatField(
        help_text="Log-likelihood ratio: better at `llr_bound`, not better at minus `llr_bound`. "
        "With an adjustment for luck, the ratio in `luck` decides instead."
    )
    llr_bound = SerializerMethodField(help_text="Bound of the log-likelihood ratio.")
    pairs = IntegerField(help_text="Number of mirrored pairs counted; in a field, of pairs of these.")
    max_pairs = SerializerMethodField(help_text="Number of pairs after which it ends undecided.")
    pentanomial = SerializerMethodField(
        help_text="Head to head: number of pairs in which the version scored 0, ½, 1, 1½ and 2 points; null in a field."
    )
    result_counts = SerializerMethodField(
        help_text="In a field: number of units by point difference, from -2 to 2 in steps of ½; null head to head."
    )
    estimate = EstimateSerializer(allow_null=True, help_text="Estimated difference; null before the first pair.")
    luck = LuckSerializer(allow_null=True, help_text="The results minus luck; null without an adjustment.")
    promote_if_better = BooleanField(help_text="Whether to promote the version to the ladders if it's better.")
    created_at = DateTimeField(help_text="When it was started.")
    decided_at = DateTimeField(allow_null=True, help_text="When it ended, or null.")
    promoted_at = DateTimeField(allow_null=True, help_text="When the version was promoted, or null.")

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


class ComparisonDetailSerializer(ComparisonSerializer):
    """A comparison, with its opponents."""

    opponents = VersionSerializer(many=True, read_only=True, help_text="In a field: versions that both play against.")


class NewComparisonSerializer(Serializer):
    """A comparison to start."""

    version = NamedVersionSerializer(help_text="A version of one of your bots.")
    baseline = NamedVersionSerializer(
        required=False, help_text="Version to compare with. Defaults to the previous version."
    )
    mode = ChoiceField(
        Comparison.Mode.choices,
        default=Comparison.Mode.HEAD_TO_HEAD,
        help_text="Whether the two versions play each other or the same opponents.",
    )
    preset = ChoiceField(list(PRESETS), default="default", help_text="Preset that defines the test's two hypotheses.")
    edition = SlugField(required=False, help_text="Key of the edition. Defaults to the game's first edition.")
    options = NewOptionsField()
    promote_if_better = BooleanField(
        default=False, help_text="Whether to promote the version to the ladders if it's better."
    )
    adjust_for_luck = BooleanField(
        default=False,
        help_text="Whether to subtract part of the luck from the results, so that fewer matches are needed. "
        "Requires a value function.",
    )


class ComparisonQuery(Serializer):
    """Filters for the list of comparisons."""

    bot = SlugField(required=False, help_text="Only comparisons of versions of the bot with this slug.")
    owner = CharField(required=False, max_length=150, help_text="Only comparisons started by this user.")
    state = ChoiceField(Comparison.State.choices, required=False, help_text="Only comparisons in this state.")


def comparison_or_404(request: Request, pk: int) -> Comparison:
    """Return the comparison if the reader may see it. Raise NotFound."""
    message = _("Comparison %(number)d doesn't exist.") % {"number": pk}
    comparison = require_row(comparisons.find_comparison(request.user, pk), message)
    if comparison.version.bot.group_id is not None or comparison.baseline.bot.group_id is not None:
        forbid_caching(request)
    return comparison


class Comparisons(Resource):
    """Comparisons."""

    @operation("comparisons_list", "List comparisons", [ComparisonSerializer], query=ComparisonQuery)
    def list(self, request: Request) -> Response:
        """List comparisons, newest first."""
        bot = bot_or_404(request, self.query["bot"]) if "bot" in self.query else None
        names = {name: self.query.get(name, "") for name in ("owner", "state")}
        return self.respond_page(comparisons.list_comparisons(request.user, bot=bot, **names))

    @operation(
        "comparisons_create",
        "Start a comparison",
        ComparisonDetailSerializer,
        status=201,
        reads=NewComparisonSerializer,
    )
    def start(self, request: Request) -> Response:
        """Compare one of your versions with another version, in unrated matches."""
        sent = self.read_data()
        version = version_or_404(request, sent["version"])
        check_owner(request, version.bot)
        started = comparisons.start_comparison(
            owner=self.user,
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
        return self.respond(comparison_or_404(request, started.pk))

    @operation("comparisons_retrieve", "Show a comparison", ComparisonDetailSerializer)
    def show(self, request: Request, pk: int) -> Response:
        """Return a comparison."""
        return self.respond(comparison_or_404(request, pk))

    @operation("comparisons_stop", "Stop a comparison", ComparisonDetailSerializer)
    def stop(self, request: Request, pk: int) -> Response:
        """Stop a comparison without a result."""
        comparison = comparison_or_404(request, pk)
        check_owner(request, comparison.version.bot)
        comparisons.stop_comparison(comparison=comparison, owner=self.user)
        return self.respond(comparison_or_404(request, pk))


# Challenges: unrated matches requested by an author.


class ChallengeSerializer(Serializer):
    """A challenge."""

    id = IntegerField(source="pk", help_text="The challenge's id.")
    created_at = DateTimeField(help_text="When it was created.")
    match = MatchSerializer(help_text="The challenge's match.")


class NewChallengeSerializer(Serializer):
    """A challenge to create."""

    version = NamedVersionSerializer(help_text="A version of one of your bots.")
    opponent = NamedVersionSerializer(help_text="A version on a ladder, or another of your versions.")
    edition = SlugField(required=False, help_text="Key of the edition. Defaults to the game's first edition.")
    options = NewOptionsField()
    series = SeriesSerializer(
        required=False,
        allow_null=True,
        help_text="Length of a series of games. Defaults to null: a mirrored pair, which is fairer.",
    )


def attach_match_parts(challenges: Sequence[Challenge]) -> None:
    """Read what is shown of the matches."""
    attach_parts([challenge.match for challenge in challenges])


class Challenges(Resource):
    """Your challenges."""

    permission_classes = [IsAuthenticated]

    @operation("challenges_list", "List your challenges", [ChallengeSerializer])
    def list(self, request: Request) -> Response:
        """List your challenges, newest first. A token limited to one bot lists only that bot's challenges."""
        challenges = list_challenges(self.user, find_bot_of_token(request))
        return self.respond_page(challenges, attach=attach_match_parts)

    @operation(
        "challenges_create", "Challenge another bot", ChallengeSerializer, status=201, reads=NewChallengeSerializer
    )
    def create(self, request: Request) -> Response:
        """Queue an unrated match between one of your versions and another version."""
        sent = self.read_data()
        version = version_or_404(request, sent["version"])
        check_owner(request, version.bot)
        made = create_challenge(
            owner=self.user,
            version=version,
            opponent=version_or_404(request, sent["opponent"]),
            edition=sent.get("edition", ""),
            options=sent.get("options"),
            series=sent.get("series"),
        )
        made = fetch_challenge(made.pk)
        attach_match_parts([made])
        return self.respond(made)


# Practise for a tournament against sample bots.


class NewPracticeSerializer(Serializer):
    """A practice match to play."""

    version = NamedVersionSerializer(help_text="A version of one of your bots.")
    opponent = SlugField(help_text="A sample bot's slug.")


class Practice(Resource):
    """Your practice matches for a tournament."""

    permission_classes = [IsAuthenticated]

    @operation("tournaments_practice_list", "List your practice matches for a tournament", [ChallengeSerializer])
    def list(self, request: Request, slug: str) -> Response:
        """List your practice matches for a tournament, newest first."""
        practice = list_practice(require_unrestricted_token(request), tournament_or_404(request, slug))
        return self.respond_page(practice, attach=attach_match_parts)

    @operation(
        "tournaments_practice_play",
        "Play a practice match for a tournament",
        ChallengeSerializer,
        status=201,
        reads=NewPracticeSerializer,
    )
    def play(self, request: Request, slug: str) -> Response:
        """Queue an unrated match between one of your versions and a sample bot, under the tournament's rules.

        You can do this until the tournament ends, if you've entered a bot or are in its group. The match counts as a
        challenge.
        """
        require_unrestricted_token(request)
        tournament, sent = tournament_or_404(request, slug), self.read_data()
        version = version_or_404(request, sent["version"])
        check_owner(request, version.bot)
        opponent = version_or_404(request, {"bot": sent["opponent"]})
        made = create_practice_match(owner=self.user, tournament=tournament, version=version, opponent=opponent)
        made = fetch_challenge(made.pk)
        attach_match_parts([made])
        return self.respond(made)
