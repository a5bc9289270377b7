"""The notices of a user, newest first."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.notices.queries.notices import list_notices
from arena.notices.services import mark_notices_read
from arena.pages.paging import read_page_by_key
from arena.pages.reader import signed_in_reader

NOTICES_PER_PAGE = 30


@login_required
def show_notices(request: HttpRequest) -> HttpResponse:
    """Show the notices and mark them all as seen; on this view the new ones are still marked."""
    page = read_page_by_key(list_notices(signed_in_reader(request)), request.GET, NOTICES_PER_PAGE)
    mark_notices_read(user=signed_in_reader(request))
    return render(request, "account/notices.html", {"page": page})
