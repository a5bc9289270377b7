"""The tokens of a user."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.queries.bots import list_own_bots
from arena.bots.queries.tokens import find_own_token, list_valid_tokens
from arena.bots.tokens import MAX_TOKEN_NAME_LENGTH, BadTokenName, issue_token, revoke_token
from arena.errors import ArenaError
from arena.messages import render_message
from arena.pages.reader import signed_in_reader


class TokenForm(forms.Form):
    """A new token: what it is for, and for which bot."""

    name = forms.CharField(
        label=gettext_lazy("What it is for"),
        max_length=MAX_TOKEN_NAME_LENGTH,
        help_text=gettext_lazy("A name by which you recognise it."),
    )
    bot: "forms.ModelChoiceField[Bot]" = forms.ModelChoiceField(
        None,
        label=gettext_lazy("For"),
        required=False,
        empty_label=gettext_lazy("all my bots, including new ones"),
        help_text=gettext_lazy("For a script that handles one bot, choose that bot."),
    )

    def __init__(self, data: QueryDict | None = None, *, owner: User) -> None:
        super().__init__(data)
        bots = self.fields["bot"]
        assert isinstance(bots, forms.ModelChoiceField)
        bots.queryset = list_own_bots(owner)


@login_required
@never_cache
def show_tokens(request: HttpRequest) -> HttpResponse:
    """Show the valid tokens and a form for one more. A new token's text is shown in the answer, and never again."""
    owner = signed_in_reader(request)
    form, text = TokenForm(request.POST or None, owner=owner), ""
    if request.method == "POST" and form.is_valid():
        try:
            _token, text = issue_token(owner=owner, **form.cleaned_data)
        except ArenaError as error:
            form.add_error("name" if isinstance(error, BadTokenName) else None, render_message(error.message))
        else:
            form = TokenForm(owner=owner)
    context = {"form": form, "text": text, "tokens": list_valid_tokens(owner)}
    return render(request, "account/tokens.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def revoke_own_token(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke a token. Raises Http404 for the tokens of others."""
    owner = signed_in_reader(request)
    token = find_own_token(owner, pk)
    if token is None:
        raise Http404
    revoke_token(token=token, owner=owner)
    messages.success(request, _("Token revoked."))
    return redirect("tokens")
