"""Light or dark: follows the reader's system until they choose, and then a cookie remembers."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

COOKIE = "theme"
COOKIE_AGE_S = 365 * 24 * 3600
THEMES = {"light": _("Light"), "dark": _("Dark"), "system": _("System")}


def chosen_theme(request: HttpRequest) -> str:
    value = request.COOKIES.get(COOKIE, "")
    return value if value in THEMES else "system"


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    response = HttpResponseRedirect(back if is_ours else "/")
    choice = request.POST.get("theme", "")
    if choice == "system":
        response.delete_cookie(COOKIE, samesite="Lax")
    elif choice in THEMES:
        response.set_cookie(
            COOKIE, choice, max_age=COOKIE_AGE_S, samesite="Lax", secure=request.is_secure(), httponly=True
        )
    return response
