"""Upload a version and follow it to the ladder: stages, thinking times and faults."""

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from statistics import quantiles
from typing import Any

import orjson
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest
from django.core.files.uploadedfile import InMemoryUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.views.decorators.http import require_POST

from arena.bots.models import BotVersion, FilesRemoved
from arena.bots.queries import find_latest_number, find_previous_version, has_version, list_versions
from arena.bots.running import is_sample
from arena.bots.services import MAX_BOT_NAME_LENGTH, UploadsClosed, create_bot, find_upload_refusal, submit_version
from arena.bots.teams import QuotaSpent
from arena.contests.comparisons.services import list_matches_with_deal_in_play
from arena.contests.ladders.queries import (
    explain_hold,
    find_playing_version_number,
    is_in_play,
    list_entries_of_version,
)
from arena.contests.ladders.services.entering import promote_to_ladders
from arena.contests.reading import list_reads
from arena.core.errors import ArenaError, Conflict
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext, render_message
from arena.matches.models import LegSeat, Match, Trial
from arena.matches.queries import (
    attach_trials,
    attach_verdicts,
    count_legs,
    count_uploads_ahead,
    fetch_matches,
    find_last_fault,
    find_leg_underway,
    find_oldest_match,
    find_package_trial,
    keep_visible_matches,
    list_edition_trials,
    list_faults,
    list_leg_records,
    list_newest_participants,
    list_trial_seats,
    newest_prefetched_trial,
)
from arena.matches.queue import place_in_queue
from arena.matches.workers import (
    find_offered_packages,
    list_missing_languages,
    list_offered_languages,
    parse_upload,
)
from arena.operations.staff_acts import report_new_bot
from arena.pages.formatting import FAULT_APPEARANCES, format_estimate
from arena.pages.matches.results import list_rows
from arena.pages.rules import get_choice_field
from arena.pages.serving import (
    HtmxRequest,
    bot_or_404,
    own_bot_or_403,
    own_version_or_403,
    read_key,
    refusal_as_message,
    render_live,
    signed_in_reader,
    version_or_404,
)
from arena.people.accounts.models import User
from arena.people.accounts.names import BadName
from arena.people.accounts.services import AuthorSuspended
from arena.people.groups.models import Group
from arena.people.groups.services import list_groups
from arena.runner.archive import Upload, format_size, name_left_out
from arena.runner.bot_packages import name_versions
from arena.runner.languages import LANGUAGES, Language
from arena.runner.program import LEFT_OUT_NAMES, Verdict
from engine.core import Json
from engine.registry import GAMES

# The stages of an upload, for its author.

DONE, NOW, AHEAD, FAILED = "done", "now", "ahead", "failed"


@dataclass(frozen=True, slots=True)
class UploadStage:
    """One step from the upload to the ladder."""

    name: str
    state: str
    """`done`, `now`, `ahead` or `failed`."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TrialProgress:
    """The progress of a version's trial."""

    waiting: str = ""
    """Sentence that says what it waits for."""
    leg: int = 0
    """Number of the leg that is played; 0 before the bot has answered its first message."""
    verdicts: tuple[str, ...] = ()
    """Verdicts of its legs, once all are over."""


def list_upload_stages(
    version: BotVersion, trial: Trial | None, progress: TrialProgress, *, is_owner: bool
) -> list[UploadStage]:
    """Return the stages of a version, from its upload to the ladder."""
    if version.bot.is_remote:
        return [UploadStage(_("Declared"), DONE), last_upload_stage(version)]
    building = building_stage(version, progress, is_owner=is_owner)
    if version.is_final and trial is None and building is None:
        return [UploadStage(_("Received"), DONE, _("without a trial")), last_upload_stage(version)]
    stages = [UploadStage(_("Received"), DONE), UploadStage(_("Unpacked"), DONE, _("files are OK"))]
    if building is not None:
        stages.append(building)
    if building is None or building.state != FAILED:
        stages += trial_stages(version, trial.match if trial else None, progress)
    return [*stages, last_upload_stage(version)]


def building_stage(version: BotVersion, progress: TrialProgress, *, is_owner: bool) -> UploadStage | None:
    """Return the stage of building; None where the source itself is run."""
    language = LANGUAGES[version.language]
    if language.artefact is None:
        return None
    if version.state == BotVersion.State.BUILDING:
        return UploadStage(_("Built"), NOW, progress.waiting or _("being built"))
    if version.binary_id is None:
        reason = (
            _("the source doesn't compile")
            if is_owner
            else _("the source doesn't compile; only its authors see the log")
        )
        return UploadStage(_("Not built"), FAILED, reason)
    return UploadStage(_("Built"), DONE)


def trial_stages(version: BotVersion, match: Match | None, progress: TrialProgress) -> list[UploadStage]:
    """Return the stages from the queue to the end of the trial."""
    if version.state == BotVersion.State.BUILDING:
        queue = AHEAD, ""
    elif match is None:
        queue = NOW, _("about to be queued") if version.bot.game in GAMES else _("its game isn't installed")
    elif match.is_over or match.state == Match.State.RUNNING:
        queue = DONE, ""
    else:
        queue = NOW, progress.waiting
    return [UploadStage(_("In the queue"), *queue), *playing_stages(match, progress)]


def playing_stages(match: Match | None, progress: TrialProgress) -> list[UploadStage]:
    """Return the stages of the trial itself."""
    answers, plays = _("Handshake"), _("Trial match")
    state = match.state if match else Match.State.QUEUED
    if state == Match.State.VOID:
        return [
            UploadStage(answers, AHEAD),
            UploadStage(plays, FAILED, _("not played; the arena will try again")),
        ]
    if state == Match.State.QUEUED:
        return [UploadStage(answers, AHEAD), UploadStage(plays, AHEAD)]
    if state == Match.State.RUNNING and not progress.leg:
        return [UploadStage(answers, NOW, _("it has five seconds to get ready")), UploadStage(plays, AHEAD)]
    if state == Match.State.RUNNING:
        return [
            UploadStage(answers, DONE),
            UploadStage(plays, NOW, _("playing leg %(number)s") % {"number": progress.leg}),
        ]
    if Verdict.START in progress.verdicts:
        return [UploadStage(answers, FAILED, _('its first line must be {"type": "ready"}')), UploadStage(plays, AHEAD)]
    is_clean = all(verdict == Verdict.OK for verdict in progress.verdicts)
    return [UploadStage(answers, DONE), UploadStage(plays, DONE if is_clean else FAILED)]


def last_upload_stage(version: BotVersion) -> UploadStage:
    """Return whether the version was accepted or rejected, and why."""
    if version.state == BotVersion.State.ACCEPTED:
        return UploadStage(_("Accepted"), DONE, describe_use(version))
    if version.state == BotVersion.State.REJECTED:
        return UploadStage(_("Rejected"), FAILED, render_message(version.state_reason) if version.state_reason else "")
    return UploadStage(_("Playing"), AHEAD)


def describe_use(version: BotVersion) -> str:
    """Return what an accepted version does now."""
    if version.is_on_hold:
        reason = explain_hold(version)
        return render_message(reason) if reason else _("on hold until its author promotes it")
    if version.bot.game not in GAMES:
        return _("its game isn't installed")
    return _("now on the ladder") if is_in_play(version) else _("not on a ladder")


# The thinking times of a version, read from the records of its last legs.

LEGS_READ = 4
"""Records are large, so the times of few legs are read."""
MAX_PARTICIPANTS_SCANNED = 3 * LEGS_READ
"""Some participants have no finished leg, or no record of it."""
QUANTILES = 20
"""The last of 19 cut points is the 95th percentile."""


def read_thinking(participants: Sequence[int]) -> dict[str, Any] | None:
    """Return the times in the last finished legs of these participants in milliseconds; None where they never answered.

    `most` is the 95th percentile, `limit` and `start_limit` are the time limits of an answer and of getting ready.
    """
    rows = list(list_leg_records(participants[:MAX_PARTICIPANTS_SCANNED], LEGS_READ))
    of_legs = [
        [one["ms"] for one in read_times_of_record(stored).get("actions", []) if one["seat"] == seat and "ms" in one]
        for seat, stored, _limits in rows
    ]
    times = list(chain(*of_legs))
    if not times:
        return None
    parts = quantiles(times, n=QUANTILES, method="inclusive") if len(times) > 1 else times
    limits = rows[0][2]
    return {
        "legs": sum(map(bool, of_legs)),
        "answers": len(times),
        "median": parts[len(parts) // 2],
        "most": parts[-1],
        "slowest": max(times),
        "limit": limits.get("move_ms"),
        "start_limit": limits.get("start_ms"),
    }


def read_times_of_record(stored: bytes) -> Json:
    """Return a stored record; empty where it is damaged."""
    try:
        record: Json = orjson.loads(zlib.decompress(stored))
    except (zlib.error, orjson.JSONDecodeError):
        return {}
    return record


# Faults of a bot: crashes, timeouts and illegal actions. Everybody sees the kind, its owner the cause.

FAULTS_PER_PAGE = 15
MAX_MATCHES_SCANNED = 1500
"""One page looks through this many matches of the busiest version."""


@dataclass(frozen=True, slots=True)
class FaultKind:
    """Verdicts that are shown as one kind of fault."""

    key: str
    name: str | Promise
    icon: str
    colour: str
    """The name of a token."""
    verdicts: tuple[Verdict, ...]


FAULT_KINDS = (
    FaultKind(
        "crash",
        gettext_lazy("Crashed"),
        "crash",
        "--bad",
        (Verdict.CRASH, Verdict.MEMORY, Verdict.OUTPUT, Verdict.START),
    ),
    FaultKind("timeout", gettext_lazy("Timed out"), "clock", "--warn", (Verdict.TIMEOUT,)),
    FaultKind("illegal", gettext_lazy("Illegal action"), "ban", "--ink-2", (Verdict.ILLEGAL, Verdict.MALFORMED)),
)


def read_health(versions: Sequence[BotVersion]) -> dict[str, Any]:
    """Count the faults in all legs of these versions, which have their `verdicts`.

    `only_version` is that of all faults of a kind, where there is but one, and `since` the oldest that has played.
    """
    verdicts: dict[str, dict[int, int]] = {}
    for version in versions:
        for verdict, legs in version.verdicts.items():
            verdicts.setdefault(verdict, {})[version.number] = legs
    counts: list[dict[str, Any]] = []
    for kind in FAULT_KINDS:
        of_kind: Counter[int] = Counter()
        for verdict in kind.verdicts:
            of_kind.update(verdicts.get(verdict, {}))
        only = next(iter(of_kind)) if len(of_kind) == 1 else None
        counts.append({"kind": kind, "legs": of_kind.total(), "only_version": only})
    clean = sum(verdicts.get(Verdict.OK, {}).values())
    faults = sum(one["legs"] for one in counts)
    since = min((number for legs in verdicts.values() for number in legs), default=None)
    return {"clean": clean, "counts": counts, "faults": faults, "legs": clean + faults, "since": since}


@dataclass(frozen=True, slots=True)
class LostLeg:
    """A leg that a bot lost by what it did, or didn't do."""

    seat: LegSeat
    icon: str
    words: str
    """Name of the fault, which everybody may read."""
    is_open: bool
    """Its match may be looked at: no other with the same deal is still to be played."""

    @property
    def replay_url(self) -> str:
        """Return the address of the replay at the step of the fault."""
        return f"/matches/{self.seat.leg.match_id}/?leg={self.seat.leg.number}&turn=fault-{self.seat.seat}"

    @property
    def decision(self) -> int | None:
        """Return the number of the decision that was requested; None where none was."""
        request = (self.seat.fault or {}).get("request") or {}
        number = request.get("n")
        return number if isinstance(number, int) else None

    @property
    def place(self) -> str:
        """Return an id for the heading of the fault on its page."""
        return f"{self.seat.leg.match_id}-{self.seat.leg.number}-{self.seat.seat}"


def find_faults(versions: Sequence[BotVersion], kind: FaultKind | None, before: int | None) -> dict[str, Any]:
    """Return a page of faults, newest matches first, those before the match `before`. The query count is constant.

    `older` is the match before which the next page begins; None at the end.
    """
    legs = {pk: count for pk, count in count_legs(versions).items() if count}
    if not any(has_failed(version) for version in versions):
        return {"faults": [], "older": None}
    oldest = find_oldest_match(legs, MAX_MATCHES_SCANNED, before)
    found = list_faults(
        list(legs), verdicts=kind.verdicts if kind else None, oldest=oldest, before=before, limit=FAULTS_PER_PAGE + 1
    )
    shown = found
    if len(found) > FAULTS_PER_PAGE:
        next_match = found[-1].leg.match_id
        shown = [seat for seat in found[:FAULTS_PER_PAGE] if seat.leg.match_id != next_match] or found[:FAULTS_PER_PAGE]
        oldest = shown[-1].leg.match_id
    hidden = list_matches_with_deal_in_play({seat.leg.match_id for seat in shown})
    faults = [describe_fault(seat, seat.leg.match_id not in hidden) for seat in shown]
    return {"faults": faults, "older": oldest or None}


def has_failed(version: BotVersion) -> bool:
    """Return whether a version, which has its `verdicts`, was ever at fault."""
    return any(legs for verdict, legs in version.verdicts.items() if verdict != Verdict.OK)


def describe_fault(seat: LegSeat, is_open: bool) -> LostLeg:
    """Return a fault as a page shows it."""
    fault = FAULT_APPEARANCES[Verdict(seat.verdict)]
    return LostLeg(seat, fault.icon, str(fault.label), is_open)


def last_fault(participants: Sequence[int]) -> LostLeg | None:
    """Return the first fault in the newest match of these participants that has any, or None."""
    seat = find_last_fault(participants)
    if seat is None:
        return None
    return describe_fault(seat, not list_matches_with_deal_in_play({seat.leg.match_id}))


def show_faults(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the faults of a bot."""
    bot = bot_or_404(request, slug)
    every = attach_verdicts(list_versions(bot))
    number, asked = read_key(request.GET, "version"), request.GET.get("kind", "")
    kind = next((one for one in FAULT_KINDS if one.key == asked), None)
    if asked and kind is None:
        raise BadRequest
    versions = [one for one in every if number in (None, one.number)]
    before = read_key(request.GET, "before")
    context = {
        "bot": bot,
        "is_owner": bot.has_author(request.user),
        "health": read_health(every),
        "kinds": FAULT_KINDS,
        "kind": kind,
        "versions": [one for one in every if has_failed(one)],
        "number": number,
        "page": find_faults(versions, kind, before),
        "before": before,
        "is_filtered": kind is not None or number is not None,
    }
    return render(request, "bots/faults.html", context)


# Upload a bot or a version, and follow it from its upload to the ladder.

VERSION_MATCHES_SHOWN = 10
MAX_FILES_SHOWN = 100


class BotForm(forms.Form):
    """The fields of every new bot: a name and a game."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=MAX_BOT_NAME_LENGTH,
        help_text=gettext_lazy(
            "Shown on the ladder; any writing system is fine. You can change it later, but the bot's address "
            "stays the same."
        ),
    )
    game = forms.ChoiceField(label=gettext_lazy("Game"), choices=[(key, game.title) for key, game in GAMES.items()])


class UploadForm(forms.Form):
    """The upload of a version."""

    source = forms.FileField(
        label=gettext_lazy("Program"),
        help_text=format_lazy(
            gettext_lazy("One file, or a zip of all the bot's files. Maximum {size}."),
            size=format_size(settings.MAX_UPLOAD_BYTES),
        ),
        error_messages={"empty": gettext_lazy("The file is empty.")},
        widget=forms.FileInput,
    )

    def clean_source(self) -> Upload:
        """Return the files. They are read before any row is locked."""
        sent: UploadedFile = self.cleaned_data["source"]
        try:
            return parse_upload(sent)
        except ArenaError as error:
            raise forms.ValidationError(render_message(error.message)) from None


class NewBotForm(BotForm, UploadForm):
    """A new bot with its first version."""

    group = forms.ChoiceField(
        label=gettext_lazy("Who can see it"),
        required=False,
        help_text=gettext_lazy(
            "A group bot isn't on public ladders, and others can't find it or its matches. You can publish "
            "it later, but can't undo that."
        ),
    )
    field_order = ["name", "game", "group", "source"]

    def __init__(self, owner: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.own_groups = {group.slug: group for group in list_groups(owner)}
        if not self.own_groups:
            del self.fields["group"]
            return
        only = _("Only members of %(group)s")
        choices = [(slug, only % {"group": group.name}) for slug, group in self.own_groups.items()]
        get_choice_field(self, "group").choices = [("", _("Everyone")), *choices]

    @property
    def chosen_group(self) -> Group | None:
        """The group that alone sees the bot, or None."""
        return self.own_groups.get(self.cleaned_data.get("group", ""))


@login_required
def new_bot(request: HttpRequest) -> HttpResponse:
    """Create a bot with its first version."""
    initial = {"game": next(iter(GAMES)), "group": request.GET.get("group", "")}
    form = NewBotForm(signed_in_reader(request), request.POST or None, request.FILES or None, initial=initial)

    def submit() -> tuple[BotVersion, bool]:
        data = form.cleaned_data
        owner, group = signed_in_reader(request), form.chosen_group
        bot = create_bot(owner=owner, name=data["name"], game=data["game"], group=group)
        report_new_bot(bot=bot)
        return submit_version(owner=signed_in_reader(request), bot=bot, files=data["source"])

    return take_upload(request, form, "bots/new.html", {}, submit)


@login_required
def upload_version(request: HttpRequest, slug: str) -> HttpResponse:
    """Upload a version of a bot."""
    bot = own_bot_or_403(request, slug)
    if bot.is_remote:
        return redirect("declare_version", slug)
    form = UploadForm(request.POST or None, request.FILES or None)
    context = {
        "bot": bot,
        "number": find_latest_number(bot) + 1,
        "keeps_playing": find_playing_version_number(request.user, bot),
    }

    def submit() -> tuple[BotVersion, bool]:
        return submit_version(owner=signed_in_reader(request), bot=bot, files=form.cleaned_data["source"])

    return take_upload(request, form, "bots/upload.html", context, submit)


def take_upload(
    request: HttpRequest,
    form: forms.Form,
    template: str,
    context: dict[str, Any],
    submit: Callable[[], tuple[BotVersion, bool]],
) -> HttpResponse:
    """Show the form, or submit what it holds, in one transaction."""
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                version, is_new = submit()
        except ArenaError as error:
            form.add_error(field_to_blame(error), render_message(error.message))
        else:
            add_upload_message(request, version, is_new, form.cleaned_data["source"].left_out)
            return redirect(version)
    refusal = None if form.errors else find_upload_refusal(signed_in_reader(request))
    context = {**context, "form": form, "languages": list_languages(), "refusal": refusal}
    context["packages"] = list_offered_versions()
    context["left_out"] = ", ".join(LEFT_OUT_NAMES)
    return render(request, template, context, status=400 if form.errors else 200)


def list_languages() -> list[tuple[Language, str]]:
    """List the languages that workers run, as far as they have reported, each with its version."""
    versions, missing = list_offered_languages(), list_missing_languages()
    return [(language, versions.get(key, "")) for key, language in LANGUAGES.items() if key not in missing]


def list_offered_versions() -> list[str]:
    """List the packages that bots in Python can import here, each with its version."""
    found = find_offered_packages()
    return name_versions(found.versions) if found is not None else []


def add_upload_message(request: HttpRequest, version: BotVersion, is_new: bool, left_out: Sequence[str] = ()) -> None:
    """Add messages about the result of an upload, and about the files of a zip that were left out of it."""
    words = {"number": version.number}
    if is_new:
        messages.success(request, _("Version %(number)s uploaded.") % words)
    else:
        messages.info(request, _("These files are identical to version %(number)s, so nothing was added.") % words)
    if left_out:
        files, more = name_left_out(left_out)
        sentence = _("Left out: %(files)s and %(count)s more.") if more else _("Left out: %(files)s.")
        messages.info(request, sentence % {"files": files, "count": more})


def field_to_blame(error: ArenaError) -> str | None:
    """Return the form's field that an error is about, or None."""
    if isinstance(error, QuotaSpent | UploadsClosed | AuthorSuspended):
        return None
    return "name" if isinstance(error, BadName | Conflict) else "source"


def download_source(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Return the files of a version as a download, for its authors alone; those of a sample bot, for everybody.

    No browser is to show a stranger's bytes. Raises Http404 where they were removed.
    """
    version = version_or_404(request, slug, number)
    if not is_sample(version.bot):
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        version = own_version_or_403(request, slug, number)
    try:
        zipped = version.stored_source.zipped
    except FilesRemoved as error:
        raise Http404(render_message(error.message)) from None
    return HttpResponse(
        zipped,
        content_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="{version.source_filename}"',
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )


def show_version(request: HtmxRequest, slug: str, number: int) -> HttpResponse:
    """Show a version and, until its trial is over, how far it has come."""
    (version,) = attach_verdicts([version_or_404(request, slug, number)])
    is_owner = version.bot.has_author(request.user)
    attach_trials(version)
    trial, edition_trials = newest_prefetched_trial(version), list_edition_trials(version)
    is_over = version.is_final and not any(one.is_open for one in edition_trials)
    reports = list(list_trial_seats(trial))
    entries = list_entries_of_version(request.user, version)
    played = list_newest_participants([version], VERSION_MATCHES_SHOWN)
    context = {
        "version": version,
        "bot": version.bot,
        "is_owner": is_owner,
        "uploader": version.uploaded_by if is_owner and version.bot.co_authors else None,
        "trial": trial,
        "edition_trials": edition_trials,
        **describe_packages(version),
        "is_over": is_over,
        "stages": list_upload_stages(version, trial, read_trial_progress(version, trial, reports), is_owner=is_owner),
        "keeps_playing": None
        if version.state == BotVersion.State.ACCEPTED
        else find_playing_version_number(request.user, version.bot),
        "reports": reports if is_owner else [],
        "has_answer": any(report.fault and report.fault.get("sent") for report in reports),
        "entries": entries,
        "plays": any(entry.is_active for entry in entries),
        "health": read_health([version]),
        "thinking": read_thinking(list(chain(*played.values()))),
        "rows": list_rows(fetch_matches(keep_visible_matches(request.user, played)), version.bot),
        "older": number - 1 or None,
        "newer": number + 1 if has_version(slug, number + 1) else None,
        "reads": list_reads(version) if is_owner else [],
        "files": list_files(version) if is_owner and version.has_files and not request.htmx else [],
    }
    return render_live(request, "bots/version.html", "bots/_progress.html", context, is_over)


def describe_packages(version: BotVersion) -> dict[str, Any]:
    """Return whether a version can be played with the packages that the machines have now."""
    found = find_offered_packages() if version.package_set else None
    if not version.package_set or (found is not None and found.hash == version.package_set):
        return {}
    trial = None if found is None else find_package_trial(version, found.hash)
    names = ", ".join(name_versions(trial.packages)) if trial is not None else ""
    return {"retried": trial, "retried_packages": names, "waits_for_packages": True}


def list_files(version: BotVersion) -> list[dict[str, Any]]:
    """List the files by path, with what changed since the version before: `new`, `changed`, `gone`, or `same`.

    Of a bot's first version, and where the files before were removed, nothing is told.
    """
    own = version.files
    before = find_previous_version(version)
    old = before.files if before and before.has_files else {}
    files = []
    for path, content in sorted({**old, **own}.items()):
        kept = "same" if content == old.get(path) else "changed"
        change = "gone" if path not in own else "new" if path not in old else kept
        files.append({"path": path, "size": len(content), "change": change if old else ""})
    return files[:MAX_FILES_SHOWN]


def read_trial_progress(version: BotVersion, trial: Trial | None, reports: Iterable[LegSeat]) -> TrialProgress:
    """Return what is known of a trial."""
    verdicts = tuple(report.verdict for report in reports)
    if trial is None or trial.match.state != Match.State.RUNNING:
        return TrialProgress(describe_waiting(version, trial), verdicts=verdicts)
    return TrialProgress(leg=find_leg_underway(trial))


def describe_waiting(version: BotVersion, trial: Trial | None) -> str:
    """Return what a version waits for, and about how long; empty where it doesn't wait."""
    if version.state == BotVersion.State.BUILDING:
        return describe_build(version)
    if trial is None or trial.match.state != Match.State.QUEUED:
        return ""
    waiting = place_in_queue(trial.match)
    if waiting.is_held_up:
        return waiting.reason
    ahead = describe_uploads_ahead(waiting.ahead)
    return ahead if waiting.seconds is None else f"{ahead} ({format_estimate(waiting.seconds)})"


def describe_build(version: BotVersion) -> str:
    """Return what a version to be built waits for; empty while it is built."""
    if not version.is_build_due:
        return "" if not version.build_failures else _("not built yet; the server is busy and will try again")
    if version.language not in list_offered_languages():
        return _("no machine builds %(language)s at the moment") % {"language": LANGUAGES[version.language].title}
    return describe_uploads_ahead(count_uploads_ahead(version))


def describe_uploads_ahead(ahead: int) -> str:
    """Return how many uploads come before one."""
    if not ahead:
        return _("next")
    return ngettext("%(count)d upload ahead of yours", "%(count)d uploads ahead of yours", ahead) % {"count": ahead}


@require_POST
@login_required
def promote_version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Promote a version on all ladders of its game."""
    version = own_version_or_403(request, slug, number)
    with refusal_as_message(request):
        promote_to_ladders(version=version, owner=signed_in_reader(request))
        messages.success(request, _("Version %(number)s is now playing.") % {"number": number})
    return redirect(version)


# Read uploaded files into memory, and no more of them than the limit.

BYTES_KEPT = settings.MAX_UPLOAD_BYTES + 1
"""One byte more than is allowed shows that a file is too big."""


class FirstBytes(FileUploadHandler):
    """Keep the first bytes of a file in memory and drop the others, so that no upload fills a disk."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Start a file."""
        super().new_file(*args, **kwargs)
        self.kept = BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep what is within the limit."""
        self.kept.write(raw_data[: BYTES_KEPT - self.kept.tell()])

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        """Return the kept bytes as a file."""
        size = self.kept.tell()
        self.kept.seek(0)
        return InMemoryUploadedFile(
            self.kept, self.field_name, self.file_name, self.content_type, size, self.charset, self.content_type_extra
        )
