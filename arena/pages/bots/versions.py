"""Putting a bot in, and following a version from its upload to the ladder."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import filesizeformat
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena import tasks
from arena.baked import baked
from arena.bots.archive import MAX_UPLOAD_BYTES, read_upload
from arena.bots.models import Bot, BotVersion
from arena.bots.quotas import QuotaSpent
from arena.bots.services import MAX_NAME, BadName, create_bot, submit_version
from arena.errors import ArenaError, Conflict
from arena.ladders.models import Entry
from arena.ladders.services.entering import promote
from arena.matches.languages import check_language, list_missing_languages, list_offered_languages
from arena.matches.models import Attempt, LegSeat, Match, Trial
from arena.matches.waiting import place_in_queue
from arena.messages import render_message
from arena.pages.bots.faults import read_health
from arena.pages.bots.head_to_head import newest_played
from arena.pages.bots.progress import Trying, follow
from arena.pages.bots.reading import ask_matches, with_verdicts
from arena.pages.bots.thinking import read_thinking
from arena.pages.matches.results import list_rows
from arena.pages.phrases import said
from arena.pages.polling import render_live
from arena.pages.templatetags.pennant import about
from arena.runner.languages import LANGUAGES, language_of
from arena.runner.languages.base import Language
from engine.registry import GAMES

RECENT = 10
FILES_SHOWN = 100


class UploadForm(forms.Form):
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
        """The files by path. Of what was sent no more is read than may be needed, and before any row is locked."""
        sent: UploadedFile = self.cleaned_data["source"]
        try:
            files = read_upload(sent.name or "", sent.read(MAX_UPLOAD_BYTES + 1))
            check_language(language_of(files).key)
        except ArenaError as error:
            raise forms.ValidationError(said(error)) from None
        return files


class NewBotForm(UploadForm):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=MAX_NAME,
        help_text=gettext_lazy("Shown on the ladder. It can't be changed later."),
    )
    game = forms.ChoiceField(label=gettext_lazy("Game"), choices=[(key, game.title) for key, game in GAMES.items()])
    field_order = ["name", "game", "source"]


@login_required
def new_bot(request: HttpRequest) -> HttpResponse:
    form = NewBotForm(request.POST or None, request.FILES or None, initial={"game": next(iter(GAMES))})

    def put_in() -> tuple[BotVersion, bool]:
        data = form.cleaned_data
        bot = create_bot(owner=request.user, name=data["name"], game=data["game"])
        return submit_version(owner=request.user, bot=bot, files=data["source"])

    return take_upload(request, form, "bots/new.html", {}, put_in)


@login_required
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    bot = get_object_or_404(Bot, slug=slug)
    if bot.owner_id != request.user.pk:
        raise PermissionDenied
    form = UploadForm(request.POST or None, request.FILES or None)
    newest = bot.versions.order_by("-number").values_list("number", flat=True).first() or 0
    context = {"bot": bot, "number": newest + 1, "keeps_playing": find_playing(bot)}

    def put_in() -> tuple[BotVersion, bool]:
        return submit_version(owner=request.user, bot=bot, files=form.cleaned_data["source"])

    return take_upload(request, form, "bots/upload.html", context, put_in)


def take_upload(
    request: HttpRequest,
    form: forms.Form,
    template: str,
    context: dict[str, Any],
    put_in: Callable[[], tuple[BotVersion, bool]],
) -> HttpResponse:
    """Show the form, or put in what it holds: all of it or nothing."""
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                version, is_new = put_in()
                if is_new:
                    tasks.begin_check(version)
        except ArenaError as error:
            form.add_error(field_of(error), said(error))
        else:
            tell(request, version, is_new)
            return redirect(version)
    context = {**context, "form": form, "languages": list_languages()}
    return render(request, template, context, status=400 if form.errors else 200)


def list_languages() -> list[tuple[Language, str]]:
    """Each with its version here; those that run nowhere here are left out, as far as machines have said."""
    versions, missing = list_offered_languages(), list_missing_languages()
    return [(language, versions.get(key, "")) for key, language in LANGUAGES.items() if key not in missing]


def tell(request: HttpRequest, version: BotVersion, is_new: bool) -> None:
    words = {"number": version.number}
    if is_new:
        messages.success(request, _("Version %(number)s uploaded.") % words)
    else:
        messages.info(request, _("These are the files of version %(number)s: nothing was added.") % words)


def field_of(error: ArenaError) -> str | None:
    """Where in the form it is said; None where no field is to blame."""
    if isinstance(error, QuotaSpent):
        return None
    return "name" if isinstance(error, BadName | Conflict) else "source"


@login_required
def source(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The files of a version, for its owner. A stranger's bytes: to be saved, never to be shown."""
    versions = BotVersion.objects.select_related("bot", "source")
    version = get_object_or_404(versions, bot__slug=slug, number=number)
    if version.bot.owner_id != request.user.pk:
        raise PermissionDenied
    name = f"{version.bot.slug}-v{version.number}.zip"
    return HttpResponse(
        version.source.zipped,
        content_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )


def detail(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The page of a version; while it is on its way, its author's news of the upload."""
    found = ask_version(slug, number)
    if not found:
        raise Http404
    version = with_verdicts(found)[0]
    is_owner = version.bot.owner_id == request.user.pk
    trial = next(iter(ask_trial(version.pk)), None)
    reports = list_reports(trial) if trial else []
    progress = follow(
        version, trial, look_at(trial, reports), render_message(version.state_reason) if version.state_reason else ""
    )
    entries = sorted(ask_entries(version.pk), key=lambda one: one.ladder.place)
    for entry in entries:
        entry.version = version
    played = newest_played([version], RECENT)
    context = {
        "version": version,
        "bot": version.bot,
        "is_owner": is_owner,
        "trial": trial,
        "progress": progress,
        "keeps_playing": None if version.state == BotVersion.State.ACCEPTED else find_playing(version.bot),
        "reports": reports if is_owner else [],
        "entries": entries,
        "plays": any(entry.is_active for entry in entries),
        "health": read_health([version]),
        "thinking": read_thinking(list(chain(*played.values()))),
        "rows": list_rows(ask_matches(list(played)), version.bot),
        "older": number - 1 or None,
        "newer": number + 1 if ask_version(slug, number + 1) else None,
        "files": list_files(version) if is_owner and not request.htmx else [],
    }
    return render_live(request, "bots/version.html", "bots/_progress.html", context, progress.is_final)


@baked
def ask_version(slug: str, number: int) -> QuerySet[BotVersion]:
    """With its bot and owner."""
    return BotVersion.objects.filter(bot__slug=slug, number=number).select_related("bot__owner").order_by()


@baked
def ask_trial(version: int) -> QuerySet[Trial]:
    """The newest, with its match."""
    trials = Trial.objects.filter(version=version).select_related("match").defer("match__deal", "match__options")
    return trials.order_by("-pk")[:1]


@baked
def ask_entries(version: int) -> QuerySet[Entry]:
    entries = Entry.objects.filter(version=version, ladder__closed_at=None)
    return entries.select_related("ladder").defer("ladder__secret").order_by()


def find_playing(bot: Bot) -> int | None:
    """The number of the version that plays for it now, on any ladder."""
    playing = Entry.objects.active().filter(version__bot=bot, ladder__closed_at=None)
    return playing.order_by("-version__number").values_list("version__number", flat=True).first()


@dataclass(frozen=True, slots=True)
class File:
    """One of a version's, for its owner."""

    path: str
    size: int
    change: str
    """Against the version before: `new`, `changed`, `gone`, or empty where it is the same."""


def list_files(version: BotVersion) -> list[File]:
    """By path, with what changed since the version before; where there was none, nothing has."""
    own = version.files
    before = version.bot.versions.filter(number__lt=version.number).select_related("source").order_by("-number").first()
    old = before.files if before else own
    files = [File(path, len(content), name_change(content, old.get(path))) for path, content in own.items()]
    gone = [File(path, len(content), "gone") for path, content in old.items() if path not in own]
    return sorted(files + gone, key=lambda one: one.path)[:FILES_SHOWN]


def name_change(content: bytes, old: bytes | None) -> str:
    if old is None:
        return "new"
    return "" if content == old else "changed"


def look_at(trial: Trial | None, reports: Iterable[LegSeat]) -> Trying:
    """What its stages tell of a trial."""
    verdicts = tuple(report.verdict for report in reports)
    if trial is None or trial.match.state != Match.State.RUNNING:
        return Trying(wait_of(trial), verdicts=verdicts)
    told = Attempt.objects.open().filter(match=trial.match_id).values_list("underway", flat=True).first()
    has_begun = told is not None and (told["leg"] > 1 or bool(told["actions"]))
    return Trying(leg=told["leg"] if has_begun else 0)


def wait_of(trial: Trial | None) -> str:
    """What a trial waits for, and about how long; empty where it doesn't wait."""
    if trial is None or trial.match.state != Match.State.QUEUED:
        return ""
    waiting = place_in_queue(trial.match)
    return waiting.reason if waiting.seconds is None else f"{waiting.reason} ({about(waiting.seconds)})"


def list_reports(trial: Trial) -> list[LegSeat]:
    """How its version fared in each leg of the trial, once all are over."""
    return list(
        LegSeat.objects.filter(
            leg__match=trial.match_id,
            leg__match__state=Match.State.FINISHED,
            participant__index=0,
        )
        .select_related("leg")
        .defer("leg__record")
        .order_by("leg__number")
    )


@require_POST
@login_required
def promote_version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Let this version play for its bot, on all ladders of its game."""
    version = get_object_or_404(BotVersion.objects.select_related("bot"), bot__slug=slug, number=number)
    if version.bot.owner_id != request.user.pk:
        raise PermissionDenied
    try:
        promote(version=version, owner=request.user)
    except ArenaError as error:
        messages.error(request, said(error))
    else:
        messages.success(request, _("Version %(number)s plays now.") % {"number": number})
    return redirect(version)
