"""Following bots, authors and ladders: the button on their pages, the list of what is followed, and how news arrive."""

from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from arena.accounts.models import User
from arena.accounts.queries import find_author, find_confirmed_address
from arena.bots.models import Bot
from arena.errors import ArenaError
from arena.following.models import DIGEST_TIMINGS, Follow, Timing
from arena.following.queries.follows import (
    Subject,
    attach_ladders,
    find_follow,
    find_preference_to_unsubscribe,
    find_timing,
    list_follows,
)
from arena.following.services import following
from arena.ladders.models import Ladder
from arena.ladders.queries.ladders import list_seasons
from arena.messages import render_message
from arena.pages.bots.lookup import bot_or_404
from arena.pages.formatting import translate_ladder_title
from arena.pages.paging import read_page_by_key
from arena.pages.reader import reader_of, signed_in_reader

FOLLOWS_PER_PAGE = 30
BACK_TO_LIST = "list"
TIMING_LABELS = {
    Timing.AT_ONCE: gettext_lazy("At once, among the notices on the site"),
    Timing.DAILY: gettext_lazy("Once a day, by mail"),
    Timing.WEEKLY: gettext_lazy("Once a week, by mail"),
    Timing.NEVER: gettext_lazy("Not at all"),
}


class TimingForm(forms.Form):
    """How a reader is told of news."""

    timing = forms.ChoiceField(
        label=gettext_lazy("When and where"), choices=list(TIMING_LABELS.items()), widget=forms.RadioSelect
    )


@dataclass(frozen=True, slots=True)
class FollowButton:
    """The button of a page with which its subject is followed or not."""

    url: str
    is_followed: bool | None
    """None for readers who are not signed in."""


@dataclass(frozen=True, slots=True)
class FollowRow:
    """Something that the reader follows."""

    follow: Follow
    kind: str
    name: str
    url: str
    """Its page; empty where it has none any more."""
    toggle_url: str


def build_follow_button(request: HttpRequest, subject: Subject) -> FollowButton:
    """Return the button with which the reader follows this bot, author or ladder."""
    reader = reader_of(request)
    is_followed = None if reader is None else find_follow(reader, subject) is not None
    return FollowButton(build_toggle_url(subject), is_followed)


def build_toggle_url(subject: Subject) -> str:
    """Return the address to which the button of a bot, an author or a ladder is sent."""
    if isinstance(subject, Bot):
        return reverse("follow_bot", args=[subject.slug])
    if isinstance(subject, User):
        return reverse("follow_author", args=[subject.username])
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
def follow_ladder(request: HttpRequest, game: str, edition: str) -> HttpResponse:
    """Follow the ladder of an edition, or don't any more. Raises Http404 where it never had one."""
    ladder = list_seasons(game, edition).order_by("season").last()
    if ladder is None:
        raise Http404
    return change_follow(request, ladder, translate_ladder_title(ladder.title))


def change_follow(request: HttpRequest, subject: Subject, name: str) -> HttpResponse:
    """Let the reader follow the subject or not, as the button says, and return to where it stood."""
    reader = signed_in_reader(request)
    try:
        if request.POST.get("follow") == "no":
            following.unfollow(user=reader, subject=subject)
            messages.success(request, _("You don't follow %(name)s any more.") % {"name": name})
        else:
            following.follow(user=reader, subject=subject)
            messages.success(
                request, _("You follow %(name)s now. Your settings say how you are told of news.") % {"name": name}
            )
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    return redirect("following") if request.POST.get("back") == BACK_TO_LIST else redirect(subject)


@login_required
@never_cache
def show_following(request: HttpRequest) -> HttpResponse:
    """Show what the reader follows, and let the reader choose how news of it arrive."""
    reader = signed_in_reader(request)
    timing = find_timing(reader)
    form = TimingForm(request.POST or None, initial={"timing": timing})
    if request.method == "POST" and form.is_valid():
        following.choose_timing(
            user=reader,
            timing=Timing(form.cleaned_data["timing"]),
            language=get_language() or "",
            site=request.build_absolute_uri("/"),
        )
        messages.success(request, _("Saved how you are told of news."))
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


def build_follow_row(follow: Follow) -> FollowRow:
    """Return what the list shows of a follow."""
    if follow.bot:
        return FollowRow(follow, _("Bot"), follow.bot.name, follow.bot.get_absolute_url(), build_toggle_url(follow.bot))
    if follow.author:
        author = follow.author
        return FollowRow(follow, _("Author"), author.username, author.get_absolute_url(), build_toggle_url(author))
    ladder = follow.ladder or Ladder(game=follow.game, edition=follow.edition, title=f"{follow.game}, {follow.edition}")
    url = ladder.get_absolute_url() if follow.ladder else ""
    return FollowRow(follow, _("Ladder"), translate_ladder_title(ladder.title), url, build_toggle_url(ladder))


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop_digests(request: HttpRequest, key: str) -> HttpResponse:
    """End the digests of whoever got this link by mail, who need not sign in. Programs that read mail send a POST."""
    preference = find_preference_to_unsubscribe(key)
    if preference is None:
        raise Http404
    if request.method == "POST":
        following.end_digests(preference=preference)
    has_digests = request.method != "POST" and preference.timing in DIGEST_TIMINGS
    return render(request, "account/stop_digests.html", {"has_digests": has_digests})
