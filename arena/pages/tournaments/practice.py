"""The page on which those who take part practise for a tournament against sample bots, by its rules."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from arena.bots.queries import find_own_accepted_version
from arena.contests.challenges.services import (
    create_practice_match,
    list_practice_matches,
    list_practice_opponents,
)
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.queries import list_versions_to_practise
from arena.contests.tournaments.services.access import may_practise
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy
from arena.pages.matches.results import list_rows
from arena.pages.rules import get_choice_field
from arena.pages.serving import refusal_in_form, signed_in_reader, tournament_or_404
from arena.people.accounts.models import User

MATCHES_SHOWN = 20


class PracticeForm(forms.Form):
    """Whose bots play: one of the reader's, and a sample bot."""

    version = forms.TypedChoiceField(label=gettext_lazy("Your version"), coerce=int)
    opponent = forms.TypedChoiceField(label=gettext_lazy("Sample bot"), coerce=int)

    def __init__(self, owner: User, tournament: Tournament, data: Any = None) -> None:
        super().__init__(data)
        own = [(one.pk, str(one)) for one in list_versions_to_practise(owner, tournament)]
        get_choice_field(self, "version").choices = own
        self.opponents = {one.pk: one for one in list_practice_opponents(tournament.game)}
        get_choice_field(self, "opponent").choices = [(pk, one.bot.name) for pk, one in self.opponents.items()]

    @property
    def has_versions(self) -> bool:
        """Return whether the user has any version that may play."""
        return bool(get_choice_field(self, "version").choices)


@login_required
def practise(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the practice matches of the reader, and play another one."""
    reader, tournament = signed_in_reader(request), tournament_or_404(request, slug)
    form = PracticeForm(reader, tournament, request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusal_in_form(form):
            made = create_practice_match(
                owner=reader,
                tournament=tournament,
                version=find_own_accepted_version(reader, form.cleaned_data["version"]),
                opponent=form.opponents[form.cleaned_data["opponent"]],
            )
            messages.success(request, _("The practice match is in the queue."))
            return redirect(made.match)
    context = {
        "tournament": tournament,
        "form": form,
        "may_practise": may_practise(tournament, reader),
        "takes_entries": tournament.takes_entries,
        "rows": list_rows(list_practice_matches(reader, tournament, MATCHES_SHOWN)),
    }
    return render(request, "tournaments/practise.html", context, status=400 if form.errors else 200)
