"""The page on which an author puts a bot's crest together."""

from dataclasses import asdict, dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_POST

from arena.bots.choosing_crests import CHOICES_BY_PART, choose_crest, drop_crest
from arena.bots.crests import CREST_CHARGES, CREST_DIVISIONS, CREST_TINCTURES, CrestDesign, find_crest
from arena.bots.models import Bot
from arena.errors import ArenaError
from arena.messages import render_message
from arena.pages.bots.lookup import own_bot_or_403
from arena.pages.reader import signed_in_reader
from arena.pages.svg.crests import CREST_PATTERNS, find_charge_icon, find_tincture_colour

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


@dataclass(frozen=True, slots=True)
class Option:
    """A value that a part of a crest can have."""

    key: str
    title: str | Promise
    colour: str
    icon: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a crest with its values."""

    key: str
    title: str | Promise
    options: list[Option]
    errors: list[str]


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
    context: dict[str, Any] = {"bot": bot, "form": form, "parts": [build_part(form, key) for key in CHOICES_BY_PART]}
    return render(request, "bots/crest.html", context)


def build_part(form: CrestForm, key: str) -> Part:
    """Return a part of the crest with its values, the chosen one being marked."""
    chosen = form[key].value()
    options = [
        Option(value, VALUE_TITLES[value], find_tincture_colour(value), find_charge_icon(value), value == chosen)
        for value in CHOICES_BY_PART[key]
    ]
    return Part(key, PART_TITLES[key], options, [str(error) for error in form[key].errors])


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
