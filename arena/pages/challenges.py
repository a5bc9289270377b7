"""Asking for an unrated match."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena import tasks
from arena.accounts.models import User
from arena.baked import baked
from arena.bots.models import Bot, BotVersion
from arena.challenges.models import Challenge
from arena.challenges.services import challenge
from arena.errors import ArenaError
from arena.ladders.models import Entry
from arena.matches.models import Match
from arena.pages.bots.lookup import bot_or_404
from arena.pages.matches.results import list_rows
from arena.pages.phrases import said
from engine.registry import find_game

RECENT = 10
VERSIONS_OFFERED = 100


class ChallengeForm(forms.Form):
    version = forms.TypedChoiceField(label=gettext_lazy("Your version"), coerce=int)
    edition = forms.ChoiceField(label=gettext_lazy("Edition"))

    def __init__(self, owner: User, bot: Bot, data: Any = None) -> None:
        super().__init__(data)
        self.fields["version"].choices = [(one.pk, str(one)) for one in ask_own(owner.pk, bot.game)]
        self.fields["edition"].choices = [(key, _(title)) for key, title in find_game(bot.game).editions.items()]

    @property
    def has_versions(self) -> bool:
        return bool(self.fields["version"].choices)


@baked
def ask_own(owner: int, game: str) -> QuerySet[BotVersion]:
    own = BotVersion.objects.accepted().filter(bot__owner=owner, bot__game=game).select_related("bot")
    return own.only("number", "bot__name").order_by("-pk")[:VERSIONS_OFFERED]


def find_opponent(bot: Bot, edition: str, owner: User) -> BotVersion | None:
    """What plays for a bot on that edition's ladder, or on another; of one's own also the newest that was accepted."""
    playing = ask_playing(bot.pk)
    here = [one for one in playing if one.ladder.edition == edition]
    if playing:
        return (here or playing)[0].version
    return (
        bot.versions.select_related("bot").accepted().order_by("-number").first() if bot.owner_id == owner.pk else None
    )


@baked
def ask_playing(bot: int) -> QuerySet[Entry]:
    entries = Entry.objects.active().filter(version__bot=bot, ladder__closed_at=None)
    entries = entries.select_related("ladder", "version__bot").order_by("pk")
    return entries.defer("ladder__secret", "version__build_log")


@login_required
def new(request: HttpRequest, slug: str) -> HttpResponse:
    bot = bot_or_404(slug)
    form = ChallengeForm(request.user, bot, request.POST or None)
    if find_opponent(bot, "", request.user) is None:
        raise Http404(_("This bot plays on no ladder now."))
    if request.method == "POST" and form.is_valid():
        try:
            match = ask(request.user, bot, **form.cleaned_data)
        except ArenaError as error:
            form.add_error(None, said(error))
        else:
            messages.success(request, _("The challenge waits to be played."))
            return redirect(match)
    context = {
        "bot": bot,
        "form": form,
        "has_versions": form.has_versions,
        "rows": list_rows(ask_challenges(request.user.pk)),
    }
    return render(request, "challenges/new.html", context, status=400 if form.errors else 200)


@baked
def ask_challenges(owner: int) -> QuerySet[Match]:
    return Match.objects.filter(challenge__owner=owner).order_by("-pk").lean()[:RECENT]


@transaction.atomic
def ask(owner: User, bot: Bot, version: int, edition: str) -> Match:
    """Raises ArenaError."""
    own = BotVersion.objects.select_related("bot").get(pk=version)
    made: Challenge = challenge(owner=owner, version=own, opponent=find_opponent(bot, edition, owner), edition=edition)
    tasks.play_next.delay_on_commit()
    return made.match
