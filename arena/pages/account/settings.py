"""What readers set for themselves: time zone, tokens, webhooks, and the news of what they follow."""

from collections.abc import Callable
from tempfile import TemporaryFile
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import override
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from arena.bots.models import Bot
from arena.bots.queries import list_own_bots
from arena.bots.teams import (
    MAX_TOKEN_NAME_LENGTH,
    BadTokenName,
    find_own_token,
    issue_token,
    list_valid_tokens,
    revoke_token,
)
from arena.contests.following import services
from arena.contests.following.models import DIGEST_TIMINGS, Follow, Timing
from arena.contests.following.services import (
    Subject,
    attach_ladders,
    count_follows,
    find_follow,
    find_preference_to_unsubscribe,
    find_timing,
    list_follows,
    wants_announcements_mailed,
)
from arena.contests.ladders.models import TITLE_ENDINGS, Ladder
from arena.contests.ladders.queries import list_seasons
from arena.core.errors import ArenaError
from arena.core.http import find_client_network
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, render_message
from arena.operations.acts import delete_own_account
from arena.operations.personal_data import write_export
from arena.pages.formatting import translate_ladder_title
from arena.pages.serving import (
    bot_or_404,
    read_page_by_key,
    reader_of,
    refusal_as_message,
    refusal_in_form,
    signed_in_reader,
)
from arena.people.accounts.limits import TooManyActions, count_password_attempt, forgive_attempt
from arena.people.accounts.models import User
from arena.people.accounts.names import find_author, find_confirmed_address
from arena.people.accounts.services import (
    choose_time_zone,
    find_school_account,
    find_time_zone,
    has_second_factor,
    list_sessions,
    list_time_zones,
)
from arena.people.groups.services import visible_to
from arena.people.notices.models import Event, Webhook
from arena.people.notices.services import (
    SUBSCRIBABLE_EVENTS,
    BadAddress,
    add_webhook,
    delete_webhook,
    enable_webhook,
    find_webhook,
    list_deliveries,
    list_notices,
    list_webhooks,
    mark_notices_read,
    queue_test_delivery,
)

# Following bots, authors and ladders: the button on their pages, the list of what is followed, and how news arrive.

FOLLOWS_PER_PAGE = 30
BACK_TO_LIST = "list"
TIMING_LABELS = {
    Timing.AT_ONCE: gettext_lazy("Immediately, as a notification on the site"),
    Timing.DAILY: gettext_lazy("Daily, by email"),
    Timing.WEEKLY: gettext_lazy("Weekly, by email"),
    Timing.NEVER: gettext_lazy("Not at all"),
}


class TimingForm(forms.Form):
    """How a reader is told of news."""

    timing = forms.ChoiceField(
        label=gettext_lazy("When and where"), choices=list(TIMING_LABELS.items()), widget=forms.RadioSelect
    )
    mails_announcements = forms.BooleanField(
        label=gettext_lazy("Also email me announcements from my groups and tournaments"),
        required=False,
        help_text=gettext_lazy("Sent immediately. They're always in your notifications, too."),
    )


def build_follow_button(request: HttpRequest, subject: Subject) -> dict[str, Any]:
    """Return the button with which the reader follows this bot, author or ladder or not; None if nobody reads."""
    reader = reader_of(request)
    is_followed = None if reader is None else find_follow(reader, subject) is not None
    return {"url": build_toggle_url(subject), "is_followed": is_followed}


def build_toggle_url(subject: Subject) -> str:
    """Return the address to which the button of a bot, an author or a ladder is sent."""
    if isinstance(subject, Bot):
        return reverse("follow_bot", args=[subject.slug])
    if isinstance(subject, User):
        return reverse("follow_author", args=[subject.username])
    if subject.clock:
        return reverse("follow_open_ladder", args=[subject.game, subject.edition, subject.clock])
    return reverse("follow_ladder", args=[subject.game, subject.edition])


@require_POST
@login_required
def follow_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Follow a bot, or don't any more."""
    bot = bot_or_404(request, slug)
    return change_follow(request, bot, bot.name)


@require_POST
@login_required
def follow_author(request: HttpRequest, name: str) -> HttpResponse:
    """Follow an author, or don't any more. Raises Http404 where there is none of this name."""
    author = find_author(name)
    if author is None:
        raise Http404
    return change_follow(request, author, author.username)


@require_POST
@login_required
def follow_ladder(request: HttpRequest, game: str, edition: str, clock: str = "") -> HttpResponse:
    """Follow a ladder of an edition, or don't any more. Raises Http404 where it never had one."""
    ladder = list_seasons(game, edition, clock=clock).order_by("season").last()
    if ladder is None:
        raise Http404
    return change_follow(request, ladder, translate_ladder_title(ladder.title))


def change_follow(request: HttpRequest, subject: Subject, name: str) -> HttpResponse:
    """Let the reader follow the subject or not, as the button says, and return to where it stood."""
    reader = signed_in_reader(request)
    with refusal_as_message(request):
        if request.POST.get("follow") == "no":
            services.unfollow(user=reader, subject=subject)
            messages.success(request, _("You no longer follow %(name)s.") % {"name": name})
        else:
            services.follow(user=reader, subject=subject)
            messages.success(
                request,
                _("You're now following %(name)s. In your settings, choose how you're notified.") % {"name": name},
            )
    return redirect("following") if request.POST.get("back") == BACK_TO_LIST else redirect(subject)


@login_required
@never_cache
def show_following(request: HttpRequest) -> HttpResponse:
    """Show what the reader follows, and let the reader choose how news of it arrive."""
    reader = signed_in_reader(request)
    timing = find_timing(reader)
    initial = {"timing": timing, "mails_announcements": wants_announcements_mailed(reader)}
    form = TimingForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        services.choose_timing(
            user=reader,
            timing=Timing(form.cleaned_data["timing"]),
            language=get_language() or "",
            site=request.build_absolute_uri("/"),
        )
        services.choose_announcements(user=reader, mails=form.cleaned_data["mails_announcements"])
        messages.success(request, _("News settings saved."))
        return redirect("following")
    page = read_page_by_key(list_follows(reader), request.GET, FOLLOWS_PER_PAGE)
    attach_ladders(page.rows)
    context = {
        "form": form,
        "page": page,
        "rows": [build_follow_row(one) for one in page.rows],
        "address": find_confirmed_address(reader),
        "has_digests": timing in DIGEST_TIMINGS,
        "back": BACK_TO_LIST,
    }
    return render(request, "account/following.html", context, status=400 if form.errors else 200)


def build_follow_row(follow: Follow) -> dict[str, Any]:
    """Return what the list shows of a follow, with the page of its subject where it still has one."""
    subject: Subject
    if follow.bot:
        subject, kind, name = follow.bot, _("Bot"), follow.bot.name
    elif follow.author:
        subject, kind, name = follow.author, _("Author"), follow.author.username
    else:
        title = f"{follow.game}, {follow.edition}{TITLE_ENDINGS[follow.clock]}"
        gone = Ladder(game=follow.game, edition=follow.edition, clock=follow.clock, title=title)
        subject = follow.ladder or gone
        kind, name = _("Ladder"), translate_ladder_title(subject.title)
    has_page = follow.bot or follow.author or follow.ladder
    url = subject.get_absolute_url() if has_page else ""
    return {"follow": follow, "kind": kind, "name": name, "url": url, "toggle_url": build_toggle_url(subject)}


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop_digests(request: HttpRequest, key: str) -> HttpResponse:
    """End the digests of whoever got this link by mail, who need not sign in. Programs that read mail send a POST."""
    preference = find_preference_to_unsubscribe(key)
    if preference is None:
        raise Http404
    if request.method == "POST":
        services.end_digests(preference=preference)
    has_digests = request.method != "POST" and preference.timing in DIGEST_TIMINGS
    return render(request, "account/stop_digests.html", {"has_digests": has_digests})


# The reader's settings: look and language for everybody, tokens and webhooks for authors.


@never_cache
def show_settings(request: HttpRequest) -> HttpResponse:
    """Show the settings."""
    reader = reader_of(request)
    context = {}
    if reader is not None:
        context = {
            "has_second_factor": has_second_factor(reader),
            "has_school_account": bool(settings.SCHOOL_SERVER) and find_school_account(reader) is not None,
            "sessions": len(list_sessions(reader)),
            "tokens": list_valid_tokens(reader).count(),
            "webhooks": list_webhooks(reader).count(),
            "follows": count_follows(reader),
            "timing": TIMING_LABELS[find_timing(reader)],
            "groups": visible_to(reader).count(),
            "unseen": list_notices(reader, only_unread=True).count(),
        }
    return render(request, "account/settings.html", context)


# The notices of a user, newest first.

NOTICES_PER_PAGE = 30


@login_required
def show_notices(request: HttpRequest) -> HttpResponse:
    """Show the notices and mark them all as seen; on this view the new ones are still marked."""
    page = read_page_by_key(list_notices(signed_in_reader(request)), request.GET, NOTICES_PER_PAGE)
    mark_notices_read(user=signed_in_reader(request))
    return render(request, "account/notices.html", {"page": page})


# The reader's time zone: its form, and the middleware by which pages show times in it.

READ_BY_PROGRAMS = ("/api/", "/health/", "/ready/")
"""Beginnings of addresses that have the arena's zone for everybody, and load no session for it."""
MAX_TIME_ZONE_LENGTH = 64
Handler = Callable[[HttpRequest], HttpResponseBase]


class TimeZoneForm(forms.Form):
    """A time zone by its name."""

    time_zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        label_suffix="",
        required=False,
        max_length=MAX_TIME_ZONE_LENGTH,
        widget=forms.TextInput(attrs={"list": "time-zones", "autocomplete": "off", "autocapitalize": "none"}),
        help_text=gettext_lazy(
            "Type part of its name, such as Budapest, and pick it from the list. Leave empty to follow your browser."
        ),
    )


@login_required
@never_cache
def choose_own_time_zone(request: HttpRequest) -> HttpResponse:
    """Show the reader's time zone, and store another one."""
    reader = signed_in_reader(request)
    form = TimeZoneForm(request.POST or None, initial={"time_zone": reader.time_zone})
    if request.method == "POST" and form.is_valid():
        with refusal_in_form(form, "time_zone"):
            choose_time_zone(user=reader, name=form.cleaned_data["time_zone"])
            chosen = reader.time_zone or _("Browser default")
            messages.success(request, _("Time zone: %(zone)s") % {"zone": chosen})
            return redirect("settings")
    context = {"form": form, "zones": list_time_zones(), "arena_zone": settings.TIME_ZONE}
    return render(request, "account/time_zone.html", context, status=400 if form.errors else 200)


def use_own_time_zone(get_response: Handler) -> Handler:
    """Return middleware that lets pages show and read times in the zone that their reader chose.

    Files, pictures and the API stay in the arena's zone: they are the same for everybody, and load no session.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        is_page = request.path.endswith("/") and not request.path.startswith(READ_BY_PROGRAMS)
        if not is_page or settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return get_response(request)
        with override(find_time_zone(request.user)):
            return get_response(request)

    return middleware


# The tokens of a user.


class TokenForm(forms.Form):
    """A new token: what it is for, and for which bot."""

    name = forms.CharField(
        label=gettext_lazy("Token name"),
        max_length=MAX_TOKEN_NAME_LENGTH,
        help_text=gettext_lazy("To help you recognise it, such as “laptop”."),
    )
    bot: "forms.ModelChoiceField[Bot]" = forms.ModelChoiceField(
        None,
        label=gettext_lazy("Bots it can change"),
        required=False,
        empty_label=gettext_lazy("all my bots, including new ones"),
        help_text=gettext_lazy("If the script only needs one bot, choose that bot."),
    )

    def __init__(self, data: QueryDict | None = None, *, owner: User) -> None:
        super().__init__(data)
        bots = self.fields["bot"]
        assert isinstance(bots, forms.ModelChoiceField)
        bots.queryset = list_own_bots(owner)


@login_required
@never_cache
def show_tokens(request: HttpRequest) -> HttpResponse:
    """Show the valid tokens and a form for one more. A new token's text is shown in the answer, and never again."""
    owner = signed_in_reader(request)
    form, text = TokenForm(request.POST or None, owner=owner), ""
    if request.method == "POST" and form.is_valid():
        try:
            _token, text = issue_token(owner=owner, **form.cleaned_data)
        except ArenaError as error:
            form.add_error("name" if isinstance(error, BadTokenName) else None, render_message(error.message))
        else:
            form = TokenForm(owner=owner)
    context = {"form": form, "text": text, "tokens": list_valid_tokens(owner)}
    return render(request, "account/tokens.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def revoke_own_token(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke a token. Raises Http404 for the tokens of others."""
    owner = signed_in_reader(request)
    token = find_own_token(owner, pk)
    if token is None:
        raise Http404
    revoke_token(token=token, owner=owner)
    messages.success(request, _("Token revoked."))
    return redirect("tokens")


# The webhooks of a user: addresses that events are sent to.

DELIVERIES_SHOWN = 20
EVENT_LABELS = {
    Event.TRIAL_FINISHED: gettext_lazy("a trial finishes"),
    Event.MATCH_FINISHED: gettext_lazy("a match finishes"),
    Event.SUSPENDED: gettext_lazy("a bot is suspended"),
    Event.COMPARISON_DECIDED: gettext_lazy("a comparison is decided"),
    Event.TOURNAMENT_CHECK: gettext_lazy("a bot fails its tournament check"),
    Event.TOURNAMENT_REMINDER: gettext_lazy("tournament entries close soon and none of your bots is ready"),
    Event.TOURNAMENT_STARTED: gettext_lazy("a tournament with your bot starts"),
    Event.TOURNAMENT_LEFT: gettext_lazy("a bot is disqualified from a tournament"),
    Event.TOURNAMENT_FINISHED: gettext_lazy("a tournament with your bot finishes"),
    Event.PING: gettext_lazy("a test event you requested"),
}


class WebhookForm(forms.Form):
    """A new webhook: its address and its events."""

    url = forms.URLField(
        label=gettext_lazy("Address"),
        max_length=300,
        assume_scheme="https",
        help_text=gettext_lazy(
            "Events are sent here as signed JSON POST requests. The address must be on the public internet."
        ),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=[(event.value, EVENT_LABELS[event]) for event in SUBSCRIBABLE_EVENTS],
        widget=forms.CheckboxSelectMultiple,
        initial=[event.value for event in SUBSCRIBABLE_EVENTS if event != Event.MATCH_FINISHED],
    )


@login_required
def show_webhooks(request: HttpRequest) -> HttpResponse:
    """Show the webhooks and a form for one more."""
    form = WebhookForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            webhook = add_webhook(owner=signed_in_reader(request), **form.cleaned_data)
        except ArenaError as error:
            form.add_error("url" if isinstance(error, BadAddress) else None, render_message(error.message))
        else:
            messages.success(request, _("Webhook added."))
            return redirect("webhook", webhook.pk)
    context = {"form": form, "webhooks": list_webhooks(signed_in_reader(request))}
    return render(request, "account/webhooks.html", context, status=400 if form.errors else 200)


@login_required
def show_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a webhook and its newest deliveries."""
    webhook = find_own_webhook(request, pk)
    events = [EVENT_LABELS[Event(event)] for event in webhook.events]
    deliveries = list_deliveries(webhook)[:DELIVERIES_SHOWN]
    context = {"webhook": webhook, "events": events, "deliveries": deliveries}
    return render(request, "account/webhook.html", context)


@login_required
@require_POST
def send_test_to_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a test to a webhook."""
    queue_test_delivery(webhook=find_own_webhook(request, pk))
    messages.success(request, _("A test event is on its way: delivery is attempted once, within a few seconds."))
    return redirect("webhook", pk)


@login_required
@require_POST
def enable_own_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Enable a webhook that was disabled."""
    enable_webhook(webhook=find_own_webhook(request, pk))
    messages.success(request, _("Webhook enabled."))
    return redirect("webhook", pk)


@login_required
@require_POST
def delete_own_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a webhook."""
    delete_webhook(webhook=find_own_webhook(request, pk))
    messages.success(request, _("Webhook deleted."))
    return redirect("webhooks")


def find_own_webhook(request: HttpRequest, pk: int) -> Webhook:
    """Return a webhook of the reader. Raises Http404 for those of others."""
    webhook = find_webhook(signed_in_reader(request), pk)
    if webhook is None:
        raise Http404
    return webhook


# Download what the arena knows of the reader, and delete the account.


@require_POST
@login_required
@never_cache
def export_own_account(request: HttpRequest) -> HttpResponseBase:
    """Send all that belongs to the reader as a zip. It is written to disk first, as it may be large."""
    reader, file = signed_in_reader(request), TemporaryFile()
    write_export(user=reader, file=file)
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename=f"{reader.username}.zip")


class DeletionForm(forms.Form):
    """That a person wants to delete the account indeed."""

    confirmation = forms.CharField(
        label=gettext_lazy("Your username"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    rename_bots = forms.BooleanField(
        label=gettext_lazy("Rename my bots, too, including in records"),
        required=False,
        initial=True,
    )

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(data)
        if not user.has_usable_password():
            del self.fields["password"]


@sensitive_post_parameters("password")
@login_required
@never_cache
def delete_own_account_page(request: HttpRequest) -> HttpResponse:
    """Say what goes and what stays, and delete the account once that is confirmed."""
    reader = signed_in_reader(request)
    form = DeletionForm(reader, request.POST or None)
    if request.method == "POST" and form.is_valid() and is_password_right(request, reader, form):
        data = form.cleaned_data
        try:
            delete_own_account(user=reader, confirmation=data["confirmation"], rename_bots=data["rename_bots"])
        except ArenaError as error:
            form.add_error(error.fields[0] if error.fields else None, render_message(error.message))
        else:
            logout(request)
            messages.success(request, _("Your account has been deleted."))
            return redirect("home")
    context = {"form": form, "bots": list_own_bots(reader)}
    return render(request, "account/delete.html", context, status=400 if form.errors else 200)


def is_password_right(request: HttpRequest, reader: User, form: DeletionForm) -> bool:
    """Return whether the form has the reader's password, if there is one. Each wrong one is counted."""
    if "password" not in form.fields:
        return True
    try:
        counted = count_password_attempt(address=find_client_network(request), name=reader.username)
    except TooManyActions as error:
        form.add_error("password", render_message(error.message))
        return False
    if not reader.check_password(form.cleaned_data["password"]):
        form.add_error("password", _("That isn't your password."))
        return False
    forgive_attempt(counted)
    return True
