"""Challenge a bot: request an unrated match against it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.forms.boundfield import BoundField
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena import tasks
from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.queries.authors import find_own_accepted_version, list_accepted_versions
from arena.challenges.queries.challenges import list_challenge_matches
from arena.challenges.services import create_challenge
from arena.errors import ArenaError
from arena.ladders.queries.entries import find_challenge_opponent
from arena.matches.models import Match
from arena.messages import render_message
from arena.pages.bots.lookup import bot_or_404
from arena.pages.choices import get_choice_field
from arena.pages.games import find_seats_note
from arena.pages.matches.results import list_rows
from arena.pages.reader import signed_in_reader
from arena.pages.rule_fields import (
    add_option_fields,
    add_series_fields,
    has_chosen_options,
    list_option_groups,
    read_options,
    read_series,
)
from engine.core import Json
from engine.registry import find_game

MATCHES_SHOWN = 10
VERSIONS_OFFERED = 100


class ChallengeForm(forms.Form):
    """The challenging version and the rules."""

    version = forms.TypedChoiceField(label=gettext_lazy("Your version"), coerce=int)
    edition = forms.ChoiceField(label=gettext_lazy("Edition"))

    def __init__(self, owner: User, bot: Bot, data: Any = None) -> None:
        super().__init__(data)
        get_choice_field(self, "version").choices = [
            (one.pk, str(one)) for one in list_accepted_versions(owner, bot.game, VERSIONS_OFFERED)
        ]
        self.fields["edition"].help_text = find_seats_note(bot.game)
        game = find_game(bot.game)
        get_choice_field(self, "edition").choices = [(key, _(title)) for key, title in game.editions.items()]
        self.game = bot.game
        self.main_names = list(self.fields)
        if game.has_series:
            add_series_fields(self)
            self.main_names += ["series", "series_games", "series_points"]
        add_option_fields(self, [bot.game])

    def clean(self) -> dict[str, Any]:
        """Return what a challenge is made with."""
        data = super().clean() or {}
        chosen = {name: data.get(name) for name in ("version", "edition")}
        return {**chosen, "options": read_options(self, self.game), "series": read_series(self)}

    def list_main_fields(self) -> list[BoundField]:
        """Return the fields without the rule options."""
        return [self[name] for name in self.main_names]

    @property
    def has_versions(self) -> bool:
        """Return whether the user has any version that may play."""
        return bool(get_choice_field(self, "version").choices)


@login_required
def new(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form, and queue the match it asks for."""
    owner, bot = signed_in_reader(request), bot_or_404(request, slug)
    form = ChallengeForm(owner, bot, request.POST or None)
    if find_challenge_opponent(bot, "", owner) is None:
        raise Http404(_("This bot plays on no ladder now."))
    if request.method == "POST" and form.is_valid():
        try:
            match = queue_challenge(owner, bot, **form.cleaned_data)
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
        else:
            messages.success(request, _("The challenge is in the queue."))
            return redirect(match)
    context = {
        "bot": bot,
        "form": form,
        "has_versions": form.has_versions,
        "has_series": "series" in form.fields,
        "option_groups": list(list_option_groups(form)),
        "has_chosen_options": has_chosen_options(form),
        "rows": list_rows(list_challenge_matches(owner, MATCHES_SHOWN)),
    }
    return render(request, "bots/challenge.html", context, status=400 if form.errors else 200)


@transaction.atomic
def queue_challenge(owner: User, bot: Bot, version: int, edition: str, options: Json, series: Json | None) -> Match:
    """Queue the match and return it. Raises ArenaError."""
    own, opponent = find_own_accepted_version(owner, version), find_challenge_opponent(bot, edition, owner)
    assert opponent is not None
    made = create_challenge(
        owner=owner, version=own, opponent=opponent, edition=edition, options=options, series=series
    )
    tasks.play_next.delay_on_commit()
    return made.match
