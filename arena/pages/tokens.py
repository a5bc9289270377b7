"""An author's tokens: what lets scripts act for them."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from arena.accounts.models import User
from arena.bots.models import Bot, Token
from arena.bots.tokens import MAX_TOKEN_NAME, BadTokenName, issue_token, revoke_token
from arena.errors import ArenaError
from arena.pages.phrases import said


class TokenForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("What it is for"),
        max_length=MAX_TOKEN_NAME,
        help_text=gettext_lazy("For you, to know it again."),
    )
    bot = forms.ModelChoiceField(
        Bot.objects.none(),
        label=gettext_lazy("For"),
        required=False,
        empty_label=gettext_lazy("all my bots, and new ones"),
        help_text=gettext_lazy("A script that handles one bot needs no more than that one."),
    )

    def __init__(self, *args, owner: User, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.fields["bot"].queryset = Bot.objects.of(owner)


@login_required
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    """All that are valid, and a form for one more. A new one is shown in the answer to the form, and never again."""
    form, text = TokenForm(request.POST or None, owner=request.user), ""
    if request.method == "POST" and form.is_valid():
        try:
            _token, text = issue_token(owner=request.user, **form.cleaned_data)
        except ArenaError as error:
            form.add_error("name" if isinstance(error, BadTokenName) else None, said(error))
        else:
            form = TokenForm(owner=request.user)
    tokens = Token.objects.valid().filter(owner=request.user).select_related("bot")
    context = {"form": form, "text": text, "tokens": tokens}
    return render(request, "tokens/index.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    revoke_token(token=get_object_or_404(Token, pk=pk, owner=request.user), owner=request.user)
    messages.success(request, _("Token revoked."))
    return redirect("tokens")
