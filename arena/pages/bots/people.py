"""The page about the people who work on a bot, and the answer to an invitation to be one of them."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena.accounts.models import User
from arena.accounts.queries import find_author
from arena.author_acts import hand_over_bot, join_team
from arena.bots.models import Bot, TeamMember
from arena.bots.queries.teams import find_invitation, list_team
from arena.bots.teams import MAX_TEAM_SIZE, decline_invitation, invite_author, remove_author
from arena.errors import ArenaError
from arena.messages import render_message
from arena.pages.bots.lookup import bot_or_404, own_bot_or_403
from arena.pages.reader import signed_in_reader
from arena.private_responses import forbid_caching


class InvitationForm(forms.Form):
    """Whom to invite."""

    username = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy("The name on the person's page. The person gets a notice and accepts or refuses."),
    )

    def clean_username(self) -> User:
        """Return the user of this name."""
        name = self.cleaned_data["username"].strip()
        user = find_author(name)
        if user is None:
            raise forms.ValidationError(_("There is no author called %(name)s.") % {"name": name})
        return user


@login_required
def show_people(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the authors of a bot to them, and invite another one, as the lead."""
    bot, reader = own_bot_or_403(request, slug), signed_in_reader(request)
    form = InvitationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = form.cleaned_data["username"]
        try:
            invite_author(bot=bot, by=reader, user=user)
        except ArenaError as error:
            form.add_error("username", render_message(error.message))
        else:
            messages.success(request, _("%(person)s is invited.") % {"person": user.username})
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
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a person off the team or an invitation back, as the lead, or leave the team."""
    bot, reader = own_bot_or_403(request, slug), signed_in_reader(request)
    user = user_on_team_or_404(bot, pk)
    is_own = user.pk == reader.pk
    done = _("You don't work on %(name)s any more.") if is_own else _("%(person)s is not on the team now.")

    def change() -> None:
        remove_author(bot=bot, by=reader, user=user)

    left = say_how_it_went(request, change, done % {"name": bot.name, "person": user.username})
    if left and is_own:
        return redirect("author", reader.username)
    return redirect("bot_people", bot.slug)


@require_POST
@login_required
def hand_over(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Let another author lead the team."""
    bot, reader = own_bot_or_403(request, slug), signed_in_reader(request)
    user = user_on_team_or_404(bot, pk)
    done = _("%(person)s leads the team of %(name)s now.") % {"name": bot.name, "person": user.username}

    def change() -> None:
        hand_over_bot(bot=bot, owner=reader, user=user)

    say_how_it_went(request, change, done)
    return redirect("bot_people", bot.slug)


@login_required
def answer_invitation(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what an invitation means, and accept or refuse it."""
    bot, reader = bot_or_404(request, slug), signed_in_reader(request)
    invitation = find_invitation(bot, reader)
    if invitation is None:
        if bot.has_author(reader):
            return redirect("bot_people", bot.slug)
        raise Http404(_("You are not invited to work on this bot. The invitation may have been taken back."))
    forbid_caching(request)
    if request.method != "POST":
        return render(request, "bots/invitation.html", {"bot": bot, "invitation": invitation})
    if request.POST.get("answer") == "accept":
        done = _("You work on %(name)s now.") % {"name": bot.name}
        say_how_it_went(request, lambda: join_team(bot=bot, user=reader), done)
    else:
        done = _("You have refused the invitation to work on %(name)s.") % {"name": bot.name}
        say_how_it_went(request, lambda: decline_invitation(bot=bot, user=reader), done)
    return redirect(bot)


def user_on_team_or_404(bot: Bot, pk: int) -> User:
    """Return a user who is on the team of a bot or invited to it. Raises Http404."""
    place: TeamMember = get_object_or_404(list_team(bot), user=pk)
    return place.user


def say_how_it_went(request: HttpRequest, change: Callable[[], object], done: str) -> bool:
    """Change something, tell the reader how that went, and return whether it was done."""
    try:
        change()
    except ArenaError as error:
        messages.error(request, render_message(error.message))
        return False
    messages.success(request, done)
    return True
