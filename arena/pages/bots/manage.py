"""Manage a bot: its name, its people, its crest, and what staff does with it."""

from contextlib import suppress
from dataclasses import asdict
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.views.decorators.http import require_POST

from arena.bots.crests import (
    CHOICES_BY_PART,
    CREST_CHARGES,
    CREST_DIVISIONS,
    CREST_TINCTURES,
    CrestDesign,
    choose_crest,
    drop_crest,
    find_crest,
)
from arena.bots.models import Bot, TeamMember
from arena.bots.services import MAX_BOT_NAME_LENGTH, MAX_STYLE_LENGTH, describe_style
from arena.bots.teams import MAX_TEAM_SIZE, decline_invitation, find_invitation, invite_author, list_team, remove_author
from arena.contests.ladders.queries import list_running_ladders_for
from arena.core.errors import ArenaError
from arena.core.http import forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, pgettext_lazy, render_message
from arena.operations.acts import (
    check_deletable,
    delete_bot,
    hand_over_bot,
    join_team,
    publish_bot,
    rename_own_bot,
    retire_bot,
    return_bot,
)
from arena.operations.staff_acts import (
    AuthorAct,
    BanAuthor,
    BotAct,
    ReinstateAuthor,
    ReleaseBot,
    RemoveFiles,
    RenameBot,
    StaffAct,
    StopBot,
    SuspendAuthor,
    carry_out,
)
from arena.pages.bots.remote import describe_open_ladders
from arena.pages.serving import bot_or_404, own_bot_or_403, refusal_as_message, refusal_in_form, signed_in_reader
from arena.pages.svg.icons import CREST_PATTERNS, find_charge_icon, find_tincture_colour
from arena.people.accounts.models import User
from arena.people.accounts.names import find_author
from engine.message import gettext_noop, message

# Pages on which an author manages a bot, and on which staff acts on a bot and its author.


class RenameForm(forms.Form):
    """The new name of a bot."""

    name = forms.CharField(
        label=gettext_lazy("New name"),
        max_length=MAX_BOT_NAME_LENGTH,
        help_text=gettext_lazy(
            "Its address stays the same, so old links keep working. Records of earlier matches keep the old name."
        ),
    )


class StyleForm(forms.Form):
    """How a bot plays, in a sentence."""

    style = forms.CharField(
        label=gettext_lazy("How it plays"),
        max_length=MAX_STYLE_LENGTH,
        required=False,
        help_text=gettext_lazy("Describe how it plays, not how good it is. Shown to people choosing an opponent."),
    )


@login_required
def show_manage(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what an author can do with a bot, rename it, and say how it plays."""
    bot = own_bot_or_403(request, slug)
    has_style = "style" in request.POST
    form = RenameForm(None if has_style else request.POST or None, initial={"name": bot.name})
    style_form = StyleForm(request.POST if has_style else None, initial={"style": bot.style})
    if has_style and style_form.is_valid():
        with refusal_in_form(style_form, "style"):
            describe_style(bot=bot, owner=signed_in_reader(request), style=style_form.cleaned_data["style"])
            messages.success(request, _("Saved the description of %(name)s.") % {"name": bot.name})
            return redirect("manage_bot", bot.slug)
    elif request.method == "POST" and form.is_valid():
        with refusal_in_form(form, "name"):
            rename_own_bot(bot=bot, owner=signed_in_reader(request), name=form.cleaned_data["name"])
            bot.refresh_from_db()
            messages.success(request, _("The bot is now called %(name)s.") % {"name": bot.name})
            return redirect("manage_bot", bot.slug)
    is_lead = bot.is_led_by(request.user)
    context = {
        "bot": bot,
        "form": form,
        "style_form": style_form,
        "is_lead": is_lead,
        "kept_because": find_why_kept(bot) if is_lead else "",
        "group_ladders": list_running_ladders_for(bot, signed_in_reader(request)),
        **describe_open_ladders(bot),
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
def publish_own_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Let everybody see a bot that was for a group only."""
    bot = own_bot_or_403(request, slug)
    with refusal_as_message(request):
        publish_bot(bot=bot, owner=signed_in_reader(request))
        messages.success(request, _("%(name)s is now public.") % {"name": bot.name})
    return redirect("manage_bot", bot.slug)


@require_POST
@login_required
def retire_own_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a bot out of play everywhere."""
    bot = own_bot_or_403(request, slug)
    with refusal_as_message(request):
        retire_bot(bot=bot, owner=signed_in_reader(request))
        messages.success(request, _("%(name)s is retired.") % {"name": bot.name})
    return redirect("manage_bot", bot.slug)


@require_POST
@login_required
def let_own_bot_play_again(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a retired bot play again."""
    bot = own_bot_or_403(request, slug)
    with refusal_as_message(request):
        return_bot(bot=bot, owner=signed_in_reader(request))
        messages.success(request, _("%(name)s plays again.") % {"name": bot.name})
    return redirect("manage_bot", bot.slug)


@require_POST
@login_required
def delete_own_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a bot that has played nothing but trials, if its name was typed as a confirmation."""
    bot = own_bot_or_403(request, slug)
    if request.POST.get("confirmation", "").strip() != bot.name:
        messages.error(request, _("Type the bot's name to delete it."))
        return redirect("manage_bot", bot.slug)
    with refusal_as_message(request):
        delete_bot(bot=bot, owner=signed_in_reader(request))
        messages.success(request, _("%(name)s deleted.") % {"name": bot.name})
        return redirect("bots")
    return redirect("manage_bot", bot.slug)


ACTS_ON_BOTS: tuple[type[BotAct | AuthorAct], ...] = (
    StopBot,
    ReleaseBot,
    RemoveFiles,
    SuspendAuthor,
    BanAuthor,
    ReinstateAuthor,
)
"""Acts of staff on a bot or its author, as its page offers them."""
RENAME_EFFECT = gettext_lazy(
    "The old name is also removed from its match records (their hashes don't include names), and so is its "
    "authors' description. Its address stays."
)


@login_required
def show_staff_acts(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what staff can do about a bot and its author, and do it once a reason is given."""
    if not signed_in_reader(request).is_staff:
        raise PermissionDenied
    bot = bot_or_404(request, slug)
    if request.method == "POST":
        with refusal_as_message(request):
            act = choose_act(bot, request.POST.get("act", ""), request.POST.get("name", ""))
            messages.success(request, carry_out(act, by=signed_in_reader(request), why=request.POST.get("why", "")))
        bot.refresh_from_db()
        return redirect("staff_acts", bot.slug)
    return render(request, "bots/staff_acts.html", {"bot": bot, "offers": list_offered_acts(bot)})


def choose_act(bot: Bot, key: str, name: str) -> StaffAct:
    """Return the act of this key. Raises ArenaError where there is none."""
    if key == RenameBot.verb():
        return RenameBot(bot, name)
    act = next((act for act in ACTS_ON_BOTS if build_key(act) == key), None)
    if act is None:
        raise ArenaError(message(gettext_noop("No such action.")))
    return build_act(act, bot)


def build_key(act: type[StaffAct]) -> str:
    """Return the key of an act in the page's forms."""
    return act.verb().replace("_", "-")


def build_act(act: type[BotAct | AuthorAct], bot: Bot) -> StaffAct:
    """Return an act on a bot, or on its lead."""
    return act(bot) if issubclass(act, BotAct) else act(bot.owner)


def list_offered_acts(bot: Bot) -> list[dict[str, Any]]:
    """List the acts that can be done now, with what each will do."""
    offers: list[dict[str, Any]] = []
    for act in ACTS_ON_BOTS:
        with suppress(ArenaError):
            offer = {"key": build_key(act), "title": act.title, "effect": build_act(act, bot).describe()}
            offers.append({**offer, "left": act.left})
    if not bot.owner.is_house:
        rename = {"key": RenameBot.verb(), "title": RenameBot.title, "effect": RENAME_EFFECT, "takes_name": True}
        offers.append({**rename, "left": RenameBot.left})
    return offers


# The page about the people who work on a bot, and the answer to an invitation to be one of them.


class InvitationForm(forms.Form):
    """Whom to invite."""

    username = forms.CharField(
        label=gettext_lazy("Username"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy("The name on the person's page. They get a notification and can accept or refuse."),
    )

    def clean_username(self) -> User:
        """Return the user of this name."""
        name = self.cleaned_data["username"].strip()
        user = find_author(name)
        if user is None:
            raise forms.ValidationError(_("No author called %(name)s.") % {"name": name})
        return user


@login_required
def show_people(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the authors of a bot to them, and invite another one, as the lead."""
    bot, reader = own_bot_or_403(request, slug), signed_in_reader(request)
    form = InvitationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = form.cleaned_data["username"]
        with refusal_in_form(form, "username"):
            invite_author(bot=bot, by=reader, user=user)
            messages.success(request, _("Invitation sent to %(person)s.") % {"person": user.username})
            return redirect("bot_people", bot.slug)
    forbid_caching(request)
    team = list(list_team(bot))
    context = {
        "bot": bot,
        "form": form,
        "members": [place for place in team if place.joined_at],
        "invited": [place for place in team if not place.joined_at],
        "is_lead": bot.is_led_by(reader),
        "has_room": 1 + len(team) < MAX_TEAM_SIZE,
        "max_size": MAX_TEAM_SIZE,
    }
    return render(request, "bots/people.html", context, status=400 if form.errors else 200)


@require_POST
@login_required
def remove_author_of_bot(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a person off the team or an invitation back, as the lead, or leave the team."""
    bot, reader = own_bot_or_403(request, slug), signed_in_reader(request)
    user = user_on_team_or_404(bot, pk)
    is_own = user.pk == reader.pk
    done = _("You're no longer an author of %(name)s.") if is_own else _("%(person)s is no longer on the team.")

    with refusal_as_message(request):
        remove_author(bot=bot, by=reader, user=user)
        messages.success(request, done % {"name": bot.name, "person": user.username})
        if is_own:
            return redirect("author", reader.username)
    return redirect("bot_people", bot.slug)


@require_POST
@login_required
def hand_over_own_bot(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Let another author lead the team."""
    bot, reader = own_bot_or_403(request, slug), signed_in_reader(request)
    user = user_on_team_or_404(bot, pk)
    with refusal_as_message(request):
        hand_over_bot(bot=bot, owner=reader, user=user)
        words = {"name": bot.name, "person": user.username}
        messages.success(request, _("%(person)s is now the lead of %(name)s.") % words)
    return redirect("bot_people", bot.slug)


@login_required
def answer_invitation(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what an invitation means, and accept or refuse it."""
    bot, reader = bot_or_404(request, slug), signed_in_reader(request)
    invitation = find_invitation(bot, reader)
    if invitation is None:
        if bot.has_author(reader):
            return redirect("bot_people", bot.slug)
        raise Http404(_("You aren't invited to work on this bot. The invitation may have been withdrawn."))
    forbid_caching(request)
    if request.method != "POST":
        return render(request, "bots/invitation.html", {"bot": bot, "invitation": invitation})
    with refusal_as_message(request):
        if request.POST.get("answer") == "accept":
            join_team(bot=bot, user=reader)
            done = _("You're now an author of %(name)s.")
        else:
            decline_invitation(bot=bot, user=reader)
            done = _("You refused the invitation to work on %(name)s.")
        messages.success(request, done % {"name": bot.name})
    return redirect(bot)


def user_on_team_or_404(bot: Bot, pk: int) -> User:
    """Return a user who is on the team of a bot or invited to it. Raises Http404."""
    place: TeamMember = get_object_or_404(list_team(bot), user=pk)
    return place.user


# The page on which an author puts a bot's crest together.

PART_TITLES: dict[str, str | Promise] = {
    "division": gettext_lazy("Shield"),
    "field": gettext_lazy("First colour"),
    "second": gettext_lazy("Second colour"),
    "charge": gettext_lazy("Charge"),
    "charge_tincture": gettext_lazy("Colour of the charge"),
}
DIVISION_TITLES: dict[str, str | Promise] = {
    "plain": pgettext_lazy("crest", "plain"),
    "pale": pgettext_lazy("crest", "two halves"),
    "fess": pgettext_lazy("crest", "band"),
    "bend": pgettext_lazy("crest", "diagonal band"),
    "chevron": pgettext_lazy("crest", "chevron"),
    "chief": pgettext_lazy("crest", "upper part"),
    "quarters": pgettext_lazy("crest", "quarters"),
    "roundel": pgettext_lazy("crest", "disc"),
    "cross": pgettext_lazy("crest", "cross"),
    "saltire": pgettext_lazy("crest", "diagonal cross"),
    "pile": pgettext_lazy("crest", "wedge"),
    "bars": pgettext_lazy("crest", "bars"),
    "stripes": pgettext_lazy("crest", "stripes"),
    "gyronny": pgettext_lazy("crest", "rays"),
}
TINCTURE_TITLES: dict[str, str | Promise] = {
    "parchment": pgettext_lazy("crest", "parchment"),
    "gold": pgettext_lazy("crest", "gold"),
    "orange": pgettext_lazy("crest", "orange"),
    "crimson": pgettext_lazy("crest", "crimson"),
    "wine": pgettext_lazy("crest", "wine red"),
    "violet": pgettext_lazy("crest", "violet"),
    "lapis": pgettext_lazy("crest", "deep blue"),
    "sky": pgettext_lazy("crest", "sky blue"),
    "green": pgettext_lazy("crest", "green"),
    "bronze": pgettext_lazy("crest", "bronze"),
    "slate": pgettext_lazy("crest", "slate"),
    "black": pgettext_lazy("crest", "black"),
}
CHARGE_TITLES: dict[str, str | Promise] = {
    "star": pgettext_lazy("crest", "star"),
    "sun": pgettext_lazy("crest", "sun"),
    "moon": pgettext_lazy("crest", "moon"),
    "lightning": pgettext_lazy("crest", "lightning"),
    "crown": pgettext_lazy("crest", "crown"),
    "castle": pgettext_lazy("crest", "castle"),
    "tower": pgettext_lazy("crest", "tower"),
    "sword": pgettext_lazy("crest", "sword"),
    "key": pgettext_lazy("crest", "key"),
    "anchor": pgettext_lazy("crest", "anchor"),
    "horse": pgettext_lazy("crest", "horse"),
    "fish": pgettext_lazy("crest", "fish"),
    "eye": pgettext_lazy("crest", "eye"),
    "tree": pgettext_lazy("crest", "trees"),
    "wheat": pgettext_lazy("crest", "wheat"),
    "waves": pgettext_lazy("crest", "waves"),
    "heart": pgettext_lazy("crest", "heart"),
    "spade": pgettext_lazy("crest", "spade"),
    "club": pgettext_lazy("crest", "club"),
    "diamond": pgettext_lazy("crest", "diamond"),
}
VALUE_TITLES = DIVISION_TITLES | TINCTURE_TITLES | CHARGE_TITLES
AUTOMATIC_TINCTURES = (
    *(("slate", "parchment"), ("crimson", "gold"), ("bronze", "parchment"), ("violet", "gold")),
    *(("green", "parchment"), ("wine", "gold"), ("parchment", "bronze"), ("lapis", "parchment")),
)
"""By colours of an automatic crest: those that come nearest, from which the author begins."""


class CrestForm(forms.Form):
    """The parts of a crest."""

    division = forms.ChoiceField(choices=[(key, DIVISION_TITLES[key]) for key in CREST_DIVISIONS])
    field = forms.ChoiceField(choices=[(key, TINCTURE_TITLES[key]) for key in CREST_TINCTURES])
    second = forms.ChoiceField(choices=[(key, TINCTURE_TITLES[key]) for key in CREST_TINCTURES])
    charge = forms.ChoiceField(choices=[(key, CHARGE_TITLES[key]) for key in CREST_CHARGES])
    charge_tincture = forms.ChoiceField(choices=[(key, TINCTURE_TITLES[key]) for key in CREST_TINCTURES])


@login_required
def show_crest(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the parts of which a bot's crest can be put together, and give it the chosen one."""
    bot = own_bot_or_403(request, slug)
    form = CrestForm(request.POST or None, initial=asdict(suggest_design(bot)))
    if request.method == "POST" and form.is_valid():
        try:
            choose_crest(bot=bot, owner=signed_in_reader(request), design=CrestDesign(**form.cleaned_data))
        except ArenaError as error:
            form.add_error(next(iter(error.fields), None), render_message(error.message))
            bot.refresh_from_db()
        else:
            messages.success(request, _("%(name)s has a new crest.") % {"name": bot.name})
            return redirect("manage_bot", bot.slug)
    context: dict[str, Any] = {
        "bot": bot,
        "form": form,
        "parts": [build_crest_part(form, key) for key in CHOICES_BY_PART],
    }
    return render(request, "bots/crest.html", context)


def build_crest_part(form: CrestForm, key: str) -> dict[str, Any]:
    """Return a part of the crest with its values, the chosen one being marked."""
    options = [
        {
            "key": value,
            "title": VALUE_TITLES[value],
            "colour": find_tincture_colour(value),
            "icon": find_charge_icon(value),
            "is_chosen": value == form[key].value(),
        }
        for value in CHOICES_BY_PART[key]
    ]
    return {"key": key, "title": PART_TITLES[key], "options": options, "errors": form[key].errors}


def suggest_design(bot: Bot) -> CrestDesign:
    """Return the crest that the author has chosen, or one that begins with what its automatic one looks like."""
    if bot.crest_design:
        return CrestDesign.read(bot.crest_design)
    number, _border = find_crest(bot.slug, bot.crest_difference)
    colours, pattern = divmod(number, len(CREST_PATTERNS))
    return CrestDesign(CREST_PATTERNS[pattern], *AUTOMATIC_TINCTURES[colours], charge="star", charge_tincture="black")


@require_POST
@login_required
def use_automatic_crest(request: HttpRequest, slug: str) -> HttpResponse:
    """Give a bot the crest again that follows from its name."""
    bot = own_bot_or_403(request, slug)
    drop_crest(bot=bot, owner=signed_in_reader(request))
    messages.success(request, _("%(name)s has its automatic crest again.") % {"name": bot.name})
    return redirect("manage_bot", bot.slug)
