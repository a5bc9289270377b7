"""Pages on which an author manages a bot, and on which staff acts on a bot and its author."""

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena.author_acts import check_deletable, delete_bot, rename_own_bot, retire_bot, return_bot
from arena.bot_acts.publishing import publish_bot
from arena.bots.models import Bot
from arena.bots.services import MAX_BOT_NAME_LENGTH
from arena.errors import ArenaError
from arena.ladders.queries.group_ladders import list_running_ladders_for
from arena.messages import render_message
from arena.pages.bots.lookup import bot_or_404, own_bot_or_403
from arena.pages.reader import signed_in_reader
from arena.private_responses import forbid_caching
from arena.staff_acts.act import StaffAct, carry_out
from arena.staff_acts.authors import BanAuthor, ReinstateAuthor, SuspendAuthor
from arena.staff_acts.bots import ReleaseBot, RenameBot, StopBot
from arena.staff_acts.files import RemoveFiles


class RenameForm(forms.Form):
    """The new name of a bot."""

    name = forms.CharField(
        label=gettext_lazy("New name"),
        max_length=MAX_BOT_NAME_LENGTH,
        help_text=gettext_lazy(
            "The address of its pages changes with it, and old links stop working. Records of earlier matches keep the "
            "old name."
        ),
    )


@login_required
def show_manage(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what an author can do with a bot, and rename it."""
    bot = own_bot_or_403(request, slug)
    form = RenameForm(request.POST or None, initial={"name": bot.name})
    if request.method == "POST" and form.is_valid():
        try:
            rename_own_bot(bot=bot, owner=signed_in_reader(request), name=form.cleaned_data["name"])
        except ArenaError as error:
            form.add_error("name", render_message(error.message))
        else:
            bot.refresh_from_db()
            messages.success(request, _("The bot is called %(name)s now.") % {"name": bot.name})
            return redirect("manage_bot", bot.slug)
    is_lead = bot.is_led_by(request.user)
    context = {
        "bot": bot,
        "form": form,
        "is_lead": is_lead,
        "kept_because": find_why_kept(bot) if is_lead else "",
        "group_ladders": list_running_ladders_for(bot, signed_in_reader(request)),
    }
    forbid_caching(request)
    return render(request, "bots/manage.html", context)


def find_why_kept(bot: Bot) -> str:
    """Return why a bot can't be deleted; empty if it can."""
    try:
        check_deletable(bot)
    except ArenaError as error:
        return render_message(error.message)
    return ""


@require_POST
@login_required
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Let everybody see a bot that was for a group only."""
    bot = own_bot_or_403(request, slug)
    try:
        publish_bot(bot=bot, owner=signed_in_reader(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        messages.success(request, _("%(name)s is public now.") % {"name": bot.name})
    return redirect("manage_bot", bot.slug)


@require_POST
@login_required
def retire(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a bot out of play everywhere."""
    bot = own_bot_or_403(request, slug)
    try:
        retire_bot(bot=bot, owner=signed_in_reader(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        messages.success(request, _("%(name)s is retired.") % {"name": bot.name})
    return redirect("manage_bot", bot.slug)


@require_POST
@login_required
def let_play_again(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a retired bot play again."""
    bot = own_bot_or_403(request, slug)
    try:
        return_bot(bot=bot, owner=signed_in_reader(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        messages.success(request, _("%(name)s plays again.") % {"name": bot.name})
    return redirect("manage_bot", bot.slug)


@require_POST
@login_required
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a bot that has played nothing but trials, if its name was typed as a confirmation."""
    bot = own_bot_or_403(request, slug)
    if request.POST.get("confirmation", "").strip() != bot.name:
        messages.error(request, _("Type the name of the bot to delete it."))
        return redirect("manage_bot", bot.slug)
    try:
        delete_bot(bot=bot, owner=signed_in_reader(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
        return redirect("manage_bot", bot.slug)
    messages.success(request, _("%(name)s is deleted.") % {"name": bot.name})
    return redirect("bots")


@dataclass(frozen=True, slots=True)
class Offer:
    """An act of staff that is offered on a page."""

    key: str
    title: str | Promise
    effect: str
    """What it will do."""
    takes_name: bool = False


ACTS: dict[str, tuple[str | Promise, Callable[[Bot], StaffAct]]] = {
    "stop": (gettext_lazy("Stop the bot"), StopBot),
    "release": (gettext_lazy("Let the bot play again"), ReleaseBot),
    "remove-files": (gettext_lazy("Remove its files"), RemoveFiles),
    "suspend": (gettext_lazy("Suspend the author"), lambda bot: SuspendAuthor(bot.owner)),
    "ban": (gettext_lazy("Ban the author"), lambda bot: BanAuthor(bot.owner)),
    "reinstate": (gettext_lazy("Reinstate the author"), lambda bot: ReinstateAuthor(bot.owner)),
}
RENAME = "rename"
RENAME_EFFECT = gettext_lazy(
    "The old name also goes from the records of its matches: their hashes leave names out. Old links stop working."
)


@login_required
def show_staff_acts(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what staff can do about a bot and its author, and do it once a reason is given."""
    if not signed_in_reader(request).is_staff:
        raise PermissionDenied
    bot = bot_or_404(request, slug)
    if request.method == "POST":
        try:
            act = choose_act(bot, request.POST.get("act", ""), request.POST.get("name", ""))
            messages.success(request, carry_out(act, by=signed_in_reader(request), why=request.POST.get("why", "")))
        except ArenaError as error:
            messages.error(request, render_message(error.message))
        bot.refresh_from_db()
        return redirect("staff_acts", bot.slug)
    return render(request, "bots/staff_acts.html", {"bot": bot, "offers": list_offers(bot)})


def choose_act(bot: Bot, key: str, name: str) -> StaffAct:
    """Return the act of this key. Raises ArenaError where there is none."""
    if key == RENAME:
        return RenameBot(bot, name)
    if key not in ACTS:
        raise ArenaError(_("There is no such act."))
    return ACTS[key][1](bot)


def list_offers(bot: Bot) -> list[Offer]:
    """List the acts that can be done now."""
    offers = []
    for key, (title, build) in ACTS.items():
        try:
            offers.append(Offer(key, title, build(bot).describe()))
        except ArenaError:
            continue
    if not bot.owner.is_house:
        offers.append(Offer(RENAME, _("Rename the bot"), str(RENAME_EFFECT), takes_name=True))
    return offers
