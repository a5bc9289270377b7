"""Find the group in the address of a page, and keep its pages out of every cache."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control

from arena.accounts.models import User
from arena.groups.models import Group, Membership
from arena.groups.queries.groups import find_group, find_member, find_membership
from arena.pages.reader import signed_in_reader

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Visit:
    """A member at a page of the group."""

    reader: User
    group: Group
    own: Membership


def private_page(view: View) -> View:
    """Make a view that only signed-in readers reach, and whose responses nobody caches."""
    wrapped: View = cache_control(private=True, no_store=True)(login_required(view))
    return wrapped


def group_page(view: View) -> View:
    """Make a view of a page that members of the group see; for others there is no such page."""

    @private_page
    @wraps(view)
    def wrapped(request: HttpRequest, slug: str, **more: Any) -> HttpResponseBase:
        return view(request, visit_or_404(request, slug), **more)

    return wrapped


def organisers_page(view: View) -> View:
    """Make a view of a page for owners and co-organisers of the group; other members are refused."""

    @group_page
    @wraps(view)
    def wrapped(request: HttpRequest, visit: Visit, **more: Any) -> HttpResponseBase:
        if not visit.own.is_organiser:
            raise PermissionDenied
        return view(request, visit, **more)

    return wrapped


def visit_or_404(request: HttpRequest, slug: str) -> Visit:
    """Return the group and the reader's membership in it. Raise Http404 for those who aren't in it."""
    reader = signed_in_reader(request)
    group = find_group(reader, slug)
    own = find_membership(group, reader) if group else None
    if group is None or own is None:
        raise Http404(_("There is no such group, or you are not in it."))
    return Visit(reader, group, own)


def member_or_404(visit: Visit, pk: int) -> Membership:
    """Return a membership of the visited group. Raise Http404."""
    member = find_member(visit.group, pk)
    if member is None:
        raise Http404
    return member
