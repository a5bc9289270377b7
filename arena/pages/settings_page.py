"""What a reader may set, and where: for everybody look and language, for authors all that is theirs."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from arena.bots.models import Token
from arena.notices.models import Notice, Webhook


@never_cache
def index(request: HttpRequest) -> HttpResponse:
    context = {}
    if request.user.is_authenticated:
        context = {
            "tokens": Token.objects.valid().filter(owner=request.user).count(),
            "webhooks": Webhook.objects.filter(owner=request.user).count(),
            "unseen": Notice.objects.unseen().filter(user=request.user).count(),
        }
    return render(request, "settings/index.html", context)
