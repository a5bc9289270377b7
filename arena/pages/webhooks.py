"""Addresses of an author's that the arena tells of events."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena.errors import ArenaError
from arena.notices.addresses import BadAddress
from arena.notices.models import Event, Webhook
from arena.notices.services import SUBSCRIBABLE_EVENTS, add_webhook, delete_webhook, enable_webhook, ping
from arena.pages.phrases import said

SHOWN = 20
WORDS = {
    Event.TRIAL_FINISHED: gettext_lazy("a trial is over"),
    Event.MATCH_FINISHED: gettext_lazy("a match is over"),
    Event.SUSPENDED: gettext_lazy("a bot is suspended"),
    Event.COMPARISON_DECIDED: gettext_lazy("a comparison is decided"),
    Event.TOURNAMENT_CHECK: gettext_lazy("a bot fails its check for a tournament"),
    Event.TOURNAMENT_STARTED: gettext_lazy("a tournament begins in which a bot plays"),
    Event.TOURNAMENT_LEFT: gettext_lazy("a bot is disqualified from a tournament"),
    Event.TOURNAMENT_FINISHED: gettext_lazy("a tournament is over in which a bot played"),
    Event.PING: gettext_lazy("a test, asked for by you"),
}


class WebhookForm(forms.Form):
    url = forms.URLField(
        label=gettext_lazy("Address"),
        max_length=300,
        assume_scheme="https",
        help_text=gettext_lazy("Gets a POST with JSON, signed. It must be on the internet."),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Tell it when"),
        choices=[(event.value, WORDS[event]) for event in SUBSCRIBABLE_EVENTS],
        widget=forms.CheckboxSelectMultiple,
        initial=[event.value for event in SUBSCRIBABLE_EVENTS if event != Event.MATCH_FINISHED],
    )


@login_required
def index(request: HttpRequest) -> HttpResponse:
    form = WebhookForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            webhook = add_webhook(owner=request.user, **form.cleaned_data)
        except ArenaError as error:
            form.add_error("url" if isinstance(error, BadAddress) else None, said(error))
        else:
            messages.success(request, _("Webhook added."))
            return redirect("webhook", webhook.pk)
    webhooks = Webhook.objects.filter(owner=request.user)
    context = {"form": form, "webhooks": webhooks}
    return render(request, "webhooks/index.html", context, status=400 if form.errors else 200)


@login_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    webhook = find_own(request, pk)
    wanted = [WORDS[Event(event)] for event in webhook.events]
    context = {"webhook": webhook, "wanted": wanted, "deliveries": webhook.deliveries.all()[:SHOWN]}
    return render(request, "webhooks/detail.html", context)


@login_required
@require_POST
def test(request: HttpRequest, pk: int) -> HttpResponse:
    ping(webhook=find_own(request, pk))
    messages.success(request, _("A test is on its way: it is tried once, within some seconds."))
    return redirect("webhook", pk)


@login_required
@require_POST
def wake(request: HttpRequest, pk: int) -> HttpResponse:
    enable_webhook(webhook=find_own(request, pk))
    messages.success(request, _("Webhook switched on."))
    return redirect("webhook", pk)


@login_required
@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    delete_webhook(webhook=find_own(request, pk))
    messages.success(request, _("Webhook deleted."))
    return redirect("webhooks")


def find_own(request: HttpRequest, pk: int) -> Webhook:
    return get_object_or_404(Webhook, pk=pk, owner=request.user)
