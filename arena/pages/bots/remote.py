"""Create bots that run on their authors' machines, declare their versions, and let bots join open ladders."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from arena.bots.models import Bot
from arena.bots.queries import find_latest_number, find_visible_bot, list_versions
from arena.bots.services import MAX_DECLARATION_LENGTH, find_upload_refusal
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.queries import fetch_open_ladders_of, find_open_ladder
from arena.contests.ladders.services.remote import (
    create_remote_bot,
    declare_version,
    join_open_ladder,
    leave_open_ladder,
)
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy
from arena.operations.staff_acts import report_new_bot
from arena.pages.bots.versions import BotForm
from arena.pages.formatting import name_clock
from arena.pages.serving import own_bot_or_403, refusal_as_message, refusal_in_form, signed_in_reader
from engine.registry import GAMES

# Create a remote bot, and declare what it runs on.


class DeclareForm(forms.Form):
    """A declaration: the model, settings and machine of a remote bot."""

    declared = forms.CharField(
        label=gettext_lazy("What it runs on"),
        max_length=MAX_DECLARATION_LENGTH,
        help_text=gettext_lazy("Model, settings and machine, as in “model X, temperature 0, laptop”. Public."),
    )


class RemoteBotForm(BotForm, DeclareForm):
    """A new remote bot with its first version."""

    field_order = ["name", "game", "declared"]


@login_required
def new_remote_bot(request: HttpRequest) -> HttpResponse:
    """Create a bot that runs on its author's machine; its page says how to connect it."""
    owner = signed_in_reader(request)
    form = RemoteBotForm(request.POST or None, initial={"game": next(iter(GAMES))})
    if request.method == "POST" and form.is_valid():
        with refusal_in_form(form), transaction.atomic():
            bot = create_remote_bot(owner=owner, **form.cleaned_data)
            report_new_bot(bot=bot)
        if not form.errors:
            messages.success(request, _("%(name)s is ready. Connect it as described below.") % {"name": bot.name})
            return redirect(bot)
    context = {"form": form, "refusal": None if form.errors else find_upload_refusal(owner)}
    return render(request, "bots/new_remote.html", context, status=400 if form.errors else 200)


@login_required
def declare_remote_version(request: HttpRequest, slug: str) -> HttpResponse:
    """Declare what a remote bot runs on from now on."""
    bot, author = own_bot_or_403(request, slug), signed_in_reader(request)
    if not bot.is_remote:
        return redirect("upload", slug)
    newest = next(iter(list_versions(bot)), None)
    form = DeclareForm(request.POST or None, initial={"declared": newest.declared if newest else ""})
    if request.method == "POST" and form.is_valid():
        with refusal_in_form(form, "declared"):
            version, is_new = declare_version(bot=bot, declared=form.cleaned_data["declared"], by=author)
            if is_new:
                messages.success(request, _("Version %(number)s declared.") % {"number": version.number})
            else:
                text = _("That's what version %(number)s runs on already, so nothing was added.")
                messages.info(request, text % {"number": version.number})
            return redirect(bot)
    context = {"bot": bot, "form": form, "number": find_latest_number(bot) + 1}
    return render(request, "bots/declare.html", context, status=400 if form.errors else 200)


# Open ladders: which a bot is on or could join, and its author's choice.


@dataclass(frozen=True, slots=True)
class OpenLadderOffer:
    """An open ladder of an edition, which a bot is on or could join. Its page is there before it opens."""

    game: str
    edition: str
    clock: str

    @property
    def name(self) -> str:
        """Return the edition and what the ladder is called, in the reader's language."""
        return f"{_(GAMES[self.game].editions[self.edition])}, {name_clock(self.clock)}"

    @property
    def url(self) -> str:
        """Return the address of the ladder."""
        return f"/ladders/{self.game}/{self.edition}/{self.clock}/"


def describe_open_ladders(bot: Bot) -> dict[str, list[OpenLadderOffer]]:
    """Return the open ladders that a bot is on and those it could join, in the order of its game's editions."""
    if bot.game not in GAMES or bot.group_id is not None or bot.owner.is_house or bot.stopped_at is not None:
        return {"joined": [], "open_ladders": []}
    on = fetch_open_ladders_of(bot)
    pairs = [(edition, clock) for edition in GAMES[bot.game].editions for clock in Ladder.Clock.values]
    joined, others = (
        [OpenLadderOffer(bot.game, *pair) for pair in pairs if (pair in on) == is_on] for is_on in (True, False)
    )
    return {"joined": joined, "open_ladders": others}


@require_POST
@login_required
def change_open_ladder(request: HttpRequest, game: str, edition: str, clock: str) -> HttpResponse:
    """Let a bot of the reader join an open ladder, or take it off."""
    reader = signed_in_reader(request)
    bot = find_visible_bot(reader, request.POST.get("bot", ""))
    if bot is None or request.POST.get("act") not in ("join", "leave"):
        raise Http404
    with refusal_as_message(request):
        if request.POST["act"] == "join":
            join_open_ladder(game=game, edition=edition, clock=clock, bot=bot, by=reader)
            done = _("%(name)s now plays on this ladder.")
        else:
            leave_open_ladder(ladder=open_ladder_or_404(game, edition, clock), bot=bot, by=reader)
            done = _("%(name)s no longer plays on this ladder.")
        messages.success(request, done % {"name": bot.name})
    return redirect(choose_way_back(request, f"/ladders/{game}/{edition}/{clock}/"))


def open_ladder_or_404(game: str, edition: str, clock: str) -> Ladder:
    """Return the running season of an open ladder. Raise Http404."""
    ladder = find_open_ladder(game, edition, clock=clock)
    if ladder is None:
        raise Http404(_("No such ladder."))
    return ladder


def choose_way_back(request: HttpRequest, otherwise: str) -> str:
    """Return the page of this site from which a form was sent, as it says itself."""
    page = request.POST.get("next", "")
    return page if url_has_allowed_host_and_scheme(page, allowed_hosts=None) else otherwise


def describe_connecting(request: HttpRequest, bot: Bot) -> dict[str, Any]:
    """Return what an author needs to know to connect a remote bot: the arena's address, and the command."""
    edition = next(iter(GAMES[bot.game].editions)) if bot.game in GAMES else ""
    return {"arena_url": request.build_absolute_uri("/").rstrip("/"), "ladder": f"{bot.game}/{edition}/open"}
