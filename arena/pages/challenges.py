"""Asking for an unrated match."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena import tasks
from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.challenges.models import Challenge
from arena.challenges.services import challenge
from arena.errors import ArenaError
from arena.ladders.models import Entry
from arena.matches.models import Match
from arena.pages.phrases import said
from arena.pages.reading import find_bot
from arena.pages.results import list_rows
from engine.registry import find_game

RECENT = 10
VERSIONS_OFFERED = 100


class ChallengeForm(forms.Form):
    version = forms.TypedChoiceField(label=gettext_lazy("Your version"), coerce=int)
    edition = forms.ChoiceField(label=gettext_lazy("Edition"))

    def __init__(self, owner: User, bot: Bot, data: Any = None) -> None:
        super().__init__(data)
        own = BotVersion.objects.accepted().filter(bot__owner=owner, bot__game=bot.game).select_related("bot")
        newest = own.defer("build_log").order_by("-pk")[:VERSIONS_OFFERED]
        self.fields["version"].choices = [(one.pk, str(one)) for one in newest]
        self.fields["edition"].choices = [(key, _(title)) for key, title in find_game(bot.game).editions.items()]

    @property
    def has_versions(self) -> bool:
        return bool(self.fields["version"].choices)


def find_opponent(bot: Bot, edition: str, owner: User) -> BotVersion | None:
    """What plays for a bot on that edition's ladder, or on another; of one's own also the newest that was accepted."""
    playing = Entry.objects.active().filter(version__bot=bot, ladder__closed_at=None)
    entry = playing.filter(ladder__edition=edition).first() or playing.first()
    versions = bot.versions.select_related("bot")
    if entry is not None:
        return versions.get(pk=entry.version_id)
    return versions.accepted().order_by("-number").first() if bot.owner_id == owner.pk else None


@login_required
def new(request: HttpRequest, slug: str) -> HttpResponse:
    bot = find_bot(slug)
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
    matches = Match.objects.filter(challenge__owner=request.user)
    context = {
        "bot": bot,
        "form": form,
        "has_versions": form.has_versions,
        "rows": list_rows(matches.lean()[:RECENT]),
    }
    return render(request, "challenges/new.html", context, status=400 if form.errors else 200)


@transaction.atomic
def ask(owner: User, bot: Bot, version: int, edition: str) -> Match:
    """Raises ArenaError."""
    own = BotVersion.objects.select_related("bot").get(pk=version)
    made: Challenge = challenge(owner=owner, version=own, opponent=find_opponent(bot, edition, owner), edition=edition)
    tasks.play_next.delay_on_commit()
    return made.match
