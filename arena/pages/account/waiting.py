"""Tell a person whose account waits for approval that it does."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache


@never_cache
def show_waiting(request: HttpRequest) -> HttpResponse:
    """Say that staff was told and has to approve the account. It is the same page for everybody."""
    return render(request, "account/waiting.html")
