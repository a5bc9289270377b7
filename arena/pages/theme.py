"""Set the reader's theme and language: cookies, which need no token against forged requests."""

from urllib.parse import urlsplit

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

THEME_COOKIE = "theme"
THEME_COOKIE_AGE_S = 365 * 24 * 3600
THEMES = {"light": _("Light"), "dark": _("Dark"), "system": _("System")}


def chosen_theme(request: HttpRequest) -> str:
    """Return the theme that the reader chose, or "system"."""
    value = request.COOKIES.get(THEME_COOKIE, "")
    return value if value in THEMES else "system"


@csrf_exempt
@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Store the chosen theme in a cookie and go back; "system" removes the cookie."""
    if not is_same_origin(request):
        raise PermissionDenied
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    response = HttpResponseRedirect(back if is_ours else "/")
    choice = request.POST.get("theme", "")
    if choice == "system":
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    elif choice in THEMES:
        response.set_cookie(
            THEME_COOKIE, choice, max_age=THEME_COOKIE_AGE_S, samesite="Lax", secure=request.is_secure(), httponly=True
        )
    return response


@csrf_exempt
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Store the chosen language in a cookie and go back."""
    if not is_same_origin(request):
        raise PermissionDenied
    return set_language(request)


def is_same_origin(request: HttpRequest) -> bool:
    """Return whether a form was sent by a page of this site, as far as the browser says; an old one says nothing.

    These forms stand on every page. A token in each would be a cookie for every reader, and no page could be cached.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin)[:2] == (request.scheme, request.get_host())
