"""The webhooks of a user: addresses that events are sent to."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena.errors import ArenaError
from arena.messages import render_message
from arena.notices.addresses import BadAddress
from arena.notices.models import Event, Webhook
from arena.notices.queries.notices import find_webhook, list_deliveries, list_webhooks
from arena.notices.services import SUBSCRIBABLE_EVENTS, add_webhook, delete_webhook, enable_webhook, queue_test_delivery
from arena.pages.reader import signed_in_reader

DELIVERIES_SHOWN = 20
EVENT_LABELS = {
    Event.TRIAL_FINISHED: gettext_lazy("a trial has finished"),
    Event.MATCH_FINISHED: gettext_lazy("a match has finished"),
    Event.SUSPENDED: gettext_lazy("a bot is suspended"),
    Event.COMPARISON_DECIDED: gettext_lazy("a comparison is decided"),
    Event.TOURNAMENT_CHECK: gettext_lazy("a bot fails its check for a tournament"),
    Event.TOURNAMENT_REMINDER: gettext_lazy(
        "entries of a tournament close soon, and none of your bots is ready for it"
    ),
    Event.TOURNAMENT_STARTED: gettext_lazy("a tournament with a bot of yours has started"),
    Event.TOURNAMENT_LEFT: gettext_lazy("a bot is disqualified from a tournament"),
    Event.TOURNAMENT_FINISHED: gettext_lazy("a tournament with a bot of yours has finished"),
    Event.PING: gettext_lazy("a test that you requested"),
}


class WebhookForm(forms.Form):
    """A new webhook: its address and its events."""

    url = forms.URLField(
        label=gettext_lazy("Address"),
        max_length=300,
        assume_scheme="https",
        help_text=gettext_lazy(
            "Events are sent here as signed POST requests with JSON. The address must be on the internet."
        ),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=[(event.value, EVENT_LABELS[event]) for event in SUBSCRIBABLE_EVENTS],
        widget=forms.CheckboxSelectMultiple,
        initial=[event.value for event in SUBSCRIBABLE_EVENTS if event != Event.MATCH_FINISHED],
    )


@login_required
def show_webhooks(request: HttpRequest) -> HttpResponse:
    """Show the webhooks and a form for one more."""
    form = WebhookForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            webhook = add_webhook(owner=signed_in_reader(request), **form.cleaned_data)
        except ArenaError as error:
            form.add_error("url" if isinstance(error, BadAddress) else None, render_message(error.message))
        else:
            messages.success(request, _("Webhook added."))
            return redirect("webhook", webhook.pk)
    context = {"form": form, "webhooks": list_webhooks(signed_in_reader(request))}
    return render(request, "account/webhooks.html", context, status=400 if form.errors else 200)


@login_required
def show_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a webhook and its newest deliveries."""
    webhook = find_own_webhook(request, pk)
    events = [EVENT_LABELS[Event(event)] for event in webhook.events]
    deliveries = list_deliveries(webhook)[:DELIVERIES_SHOWN]
    context = {"webhook": webhook, "events": events, "deliveries": deliveries}
    return render(request, "account/webhook.html", context)


@login_required
@require_POST
def send_test_to_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a test to a webhook."""
    queue_test_delivery(webhook=find_own_webhook(request, pk))
    messages.success(request, _("A test is on its way: it is tried once, within some seconds."))
    return redirect("webhook", pk)


@login_required
@require_POST
def enable_own_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Enable a webhook that was disabled."""
    enable_webhook(webhook=find_own_webhook(request, pk))
    messages.success(request, _("Webhook enabled."))
    return redirect("webhook", pk)


@login_required
@require_POST
def delete_own_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a webhook."""
    delete_webhook(webhook=find_own_webhook(request, pk))
    messages.success(request, _("Webhook deleted."))
    return redirect("webhooks")


def find_own_webhook(request: HttpRequest, pk: int) -> Webhook:
    """Return a webhook of the reader. Raises Http404 for those of others."""
    webhook = find_webhook(signed_in_reader(request), pk)
    if webhook is None:
        raise Http404
    return webhook
