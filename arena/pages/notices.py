"""What a user should know, newest first."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.notices.models import Notice
from arena.notices.services import mark_notices_read
from arena.pages.paging import page_by_key

PAGE = 30


@login_required
def index(request: HttpRequest) -> HttpResponse:
    """Whoever opens the page has seen them all; on this view the new ones are still marked."""
    page = page_by_key(Notice.objects.filter(user=request.user), request.GET, PAGE)
    mark_notices_read(user=request.user)
    return render(request, "notices/index.html", {"page": page})
