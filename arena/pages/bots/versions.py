"""Upload a bot or a version, and follow it from its upload to the ladder."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena import tasks
from arena.accounts.models import User
from arena.accounts.names import BadName
from arena.accounts.suspension import AuthorSuspended
from arena.bots.archive import MAX_UPLOAD_BYTES
from arena.bots.closing import UploadsClosed, find_upload_refusal
from arena.bots.models import BotVersion, FilesRemoved
from arena.bots.queries.versions import find_latest_number, find_previous_version, has_version
from arena.bots.quotas import QuotaSpent
from arena.bots.services import MAX_BOT_NAME_LENGTH, create_bot, submit_version
from arena.errors import ArenaError, Conflict
from arena.groups.models import Group
from arena.groups.queries.groups import list_groups
from arena.ladders.queries.entries import find_playing_version_number, list_entries_of_version
from arena.ladders.services.entering import promote_to_ladders
from arena.matches.languages import list_missing_languages, list_offered_languages
from arena.matches.models import LegSeat, Match, Trial
from arena.matches.queries.lists import keep_visible_matches
from arena.matches.queries.played import attach_verdicts, fetch_matches, list_newest_participants
from arena.matches.queries.trials import find_latest_trial, find_leg_underway, list_trial_seats
from arena.matches.uploads import parse_upload
from arena.matches.waiting import place_in_queue
from arena.messages import render_message
from arena.pages.bots.faults import read_health
from arena.pages.bots.lookup import own_bot_or_403, own_version_or_403, version_or_404
from arena.pages.bots.progress import TrialProgress, follow
from arena.pages.bots.thinking import read_thinking
from arena.pages.choices import get_choice_field
from arena.pages.formatting import format_estimate
from arena.pages.matches.results import list_rows
from arena.pages.polling import HtmxRequest, render_live
from arena.pages.reader import signed_in_reader
from arena.runner.languages import LANGUAGES
from arena.runner.languages.base import Language
from arena.staff_reports import report_new_bot
from engine.registry import GAMES

MATCHES_SHOWN = 10
MAX_FILES_SHOWN = 100


class UploadForm(forms.Form):
    """The upload of a version."""

    source = forms.FileField(
        label=gettext_lazy("Program"),
        help_text=format_lazy(
            gettext_lazy("One file, or a zip with all files of the bot. At most {size}."),
            size=filesizeformat(MAX_UPLOAD_BYTES),
        ),
        error_messages={"empty": gettext_lazy("The file is empty.")},
        widget=forms.FileInput,
    )

    def clean_source(self) -> dict[str, bytes]:
        """Return the files by path. They are read before any row is locked."""
        sent: UploadedFile = self.cleaned_data["source"]
        try:
            return parse_upload(sent)
        except ArenaError as error:
            raise forms.ValidationError(render_message(error.message)) from None


class NewBotForm(UploadForm):
    """A new bot with its first version."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=MAX_BOT_NAME_LENGTH,
        help_text=gettext_lazy("Shown on the ladder. It can be changed later, and its address changes with it."),
    )
    game = forms.ChoiceField(label=gettext_lazy("Game"), choices=[(key, game.title) for key, game in GAMES.items()])
    group = forms.ChoiceField(
        label=gettext_lazy("Who sees it"),
        required=False,
        help_text=gettext_lazy(
            "A bot for a group plays on no public ladder; others find neither it nor its matches. You can publish it "
            "later, and not take that back."
        ),
    )
    field_order = ["name", "game", "group", "source"]

    def __init__(self, owner: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.own_groups = {group.slug: group for group in list_groups(owner)}
        if not self.own_groups:
            del self.fields["group"]
            return
        only = _("Only the members of %(group)s")
        choices = [(slug, only % {"group": group.name}) for slug, group in self.own_groups.items()]
        get_choice_field(self, "group").choices = [("", _("Everybody")), *choices]

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
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    """Upload a version of a bot."""
    bot = own_bot_or_403(request, slug)
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
                if is_new:
                    tasks.begin_check(version)
        except ArenaError as error:
            form.add_error(field_to_blame(error), render_message(error.message))
        else:
            add_upload_message(request, version, is_new)
            return redirect(version)
    refusal = None if form.errors else find_upload_refusal(signed_in_reader(request))
    context = {**context, "form": form, "languages": list_languages(), "refusal": refusal}
    return render(request, template, context, status=400 if form.errors else 200)


def list_languages() -> list[tuple[Language, str]]:
    """List the languages that workers run, as far as they have reported, each with its version."""
    versions, missing = list_offered_languages(), list_missing_languages()
    return [(language, versions.get(key, "")) for key, language in LANGUAGES.items() if key not in missing]


def add_upload_message(request: HttpRequest, version: BotVersion, is_new: bool) -> None:
    """Add a message about the result of an upload."""
    words = {"number": version.number}
    if is_new:
        messages.success(request, _("Version %(number)s uploaded.") % words)
    else:
        messages.info(request, _("These are the files of version %(number)s: nothing was added.") % words)


def field_to_blame(error: ArenaError) -> str | None:
    """Return the form's field that an error is about, or None."""
    if isinstance(error, QuotaSpent | UploadsClosed | AuthorSuspended):
        return None
    return "name" if isinstance(error, BadName | Conflict) else "source"


@login_required
def source(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Return the files of a version as a download, for its owner alone. No browser is to show a stranger's bytes.

    Raises Http404 where they were removed.
    """
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


def detail(request: HtmxRequest, slug: str, number: int) -> HttpResponse:
    """Show a version and, until its trial is over, how far it has come."""
    (version,) = attach_verdicts([version_or_404(request, slug, number)])
    is_owner = version.bot.has_author(request.user)
    trial = find_latest_trial(version)
    reports = list(list_trial_seats(trial))
    progress = follow(version, trial, read_trial_progress(trial, reports))
    entries = list_entries_of_version(request.user, version)
    played = list_newest_participants([version], MATCHES_SHOWN)
    context = {
        "version": version,
        "bot": version.bot,
        "is_owner": is_owner,
        "uploader": version.uploaded_by if is_owner and version.bot.co_authors else None,
        "trial": trial,
        "progress": progress,
        "keeps_playing": None
        if version.state == BotVersion.State.ACCEPTED
        else find_playing_version_number(request.user, version.bot),
        "reports": reports if is_owner else [],
        "entries": entries,
        "plays": any(entry.is_active for entry in entries),
        "health": read_health([version]),
        "thinking": read_thinking(list(chain(*played.values()))),
        "rows": list_rows(fetch_matches(keep_visible_matches(request.user, played)), version.bot),
        "older": number - 1 or None,
        "newer": number + 1 if has_version(slug, number + 1) else None,
        "files": list_files(version) if is_owner and version.has_files and not request.htmx else [],
    }
    return render_live(request, "bots/version.html", "bots/_progress.html", context, progress.is_final)


@dataclass(frozen=True, slots=True)
class File:
    """A file of a version, for its owner."""

    path: str
    size: int
    change: str
    """Against the version before: `new`, `changed`, `gone`, or empty where it is the same."""


def list_files(version: BotVersion) -> list[File]:
    """List the files by path, with what changed since the version before."""
    own = version.files
    before = find_previous_version(version)
    old = before.files if before and before.has_files else own
    files = [File(path, len(content), name_change(content, old.get(path))) for path, content in own.items()]
    gone = [File(path, len(content), "gone") for path, content in old.items() if path not in own]
    return sorted(files + gone, key=lambda one: one.path)[:MAX_FILES_SHOWN]


def name_change(content: bytes, old: bytes | None) -> str:
    """Return how a file differs from its older content."""
    if old is None:
        return "new"
    return "" if content == old else "changed"


def read_trial_progress(trial: Trial | None, reports: Iterable[LegSeat]) -> TrialProgress:
    """Return what is known of a trial."""
    verdicts = tuple(report.verdict for report in reports)
    if trial is None or trial.match.state != Match.State.RUNNING:
        return TrialProgress(describe_waiting(trial), verdicts=verdicts)
    return TrialProgress(leg=find_leg_underway(trial))


def describe_waiting(trial: Trial | None) -> str:
    """Return what a trial waits for, and about how long; empty where it doesn't wait."""
    if trial is None or trial.match.state != Match.State.QUEUED:
        return ""
    waiting = place_in_queue(trial.match)
    return waiting.reason if waiting.seconds is None else f"{waiting.reason} ({format_estimate(waiting.seconds)})"


@require_POST
@login_required
def promote_version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Promote a version on all ladders of its game."""
    version = own_version_or_403(request, slug, number)
    try:
        promote_to_ladders(version=version, owner=signed_in_reader(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        messages.success(request, _("Version %(number)s plays now.") % {"number": number})
    return redirect(version)
