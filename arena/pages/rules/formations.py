"""The library of Battalion's formations: those with names, and how all that were laid out on ladders fared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy, pgettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from arena.errors import ArenaError
from arena.formations.models import MAX_NAME_LENGTH, Formation
from arena.formations.queries import formations as queries
from arena.formations.services.naming import name_formation
from arena.messages import render_message
from arena.pages.games.battalion.army import Ground
from arena.pages.games.battalion.rulebook import draw_deployment
from arena.pages.reader import signed_in_reader

PAGE_SIZE = 18
SHAPE_PARAMETER = "shape"


class NameForm(forms.Form):
    """The name of a formation, in both languages of the site."""

    name = forms.CharField(label=gettext_lazy("English name"), max_length=MAX_NAME_LENGTH)
    name_hu = forms.CharField(label=gettext_lazy("Hungarian name"), max_length=MAX_NAME_LENGTH)


@dataclass(frozen=True, slots=True)
class Listing:
    """A choice of formations, in an order."""

    label: str | Promise
    list_rows: Callable[[], QuerySet[Formation]]
    note: str | Promise
    emptiness: str | Promise
    """The sentence shown where the list is empty."""


LISTINGS: Mapping[str, Listing] = {
    "named": Listing(
        gettext_lazy("With a name"),
        queries.list_named,
        gettext_lazy("The formations that the rules name, then those that got their name on this arena."),
        gettext_lazy("No formation has a name yet."),
    ),
    "deployed": Listing(
        gettext_lazy("Most deployed"),
        queries.list_by_deployments,
        gettext_lazy("The formations that bots deployed most often in rated legs."),
        gettext_lazy("No rated leg of Battalion has been counted yet."),
    ),
    "reformed": Listing(
        gettext_lazy("Most reformed into"),
        queries.list_by_reformings,
        gettext_lazy("The formations that bots took on most often when they reformed in rated legs."),
        gettext_lazy("No bot has reformed in a rated leg yet."),
    ),
    "successful": Listing(
        gettext_lazy("Most successful"),
        queries.list_by_success,
        gettext_lazy(
            "By the mean points of the legs that began with them; only formations that were deployed at least %(legs)s "
            "times. A good bot makes any formation look good: the points tell as much about those who use it."
        ),
        gettext_lazy("No formation has been deployed %(legs)s times in rated legs yet."),
    ),
    "unnamed": Listing(
        gettext_lazy("Without a name"),
        queries.list_unnamed,
        gettext_lazy("Formations that bots found themselves, the newest first. Staff may give each a name, once."),
        gettext_lazy("Every formation that was laid out in a rated leg has a name."),
    ),
}
DEFAULT_LISTING = "named"


@dataclass(frozen=True, slots=True)
class ShownFormation:
    """A formation as the page shows it."""

    row: Formation
    name: str
    """In the reader's language; empty if it has none."""
    ground: Ground | None
    form: NameForm | None
    """For staff, where it has no name."""


def index(request: HttpRequest) -> HttpResponse:
    """Show the formations of a listing, or the one whose shape the address has."""
    shape = request.GET.get(SHAPE_PARAMETER)
    if shape is None:
        return show_listing(request)
    row = queries.find_by_shape(shape)
    if row is None:
        raise Http404(_("Nobody has laid out this formation yet."))
    return show_one(request, row, None)


def show_listing(request: HttpRequest) -> HttpResponse:
    """Show a page of a listing, perhaps only formations of one size."""
    key = request.GET.get("show", "")
    key = key if key in LISTINGS else DEFAULT_LISTING
    sizes = queries.list_sizes()
    size = next((one for one in sizes if str(one) == request.GET.get("cells")), None)
    rows = LISTINGS[key].list_rows()
    page = Paginator(rows if size is None else rows.filter(cells=size), PAGE_SIZE).get_page(request.GET.get("page"))
    words = {"legs": queries.MIN_LEGS_OF_SUCCESS}
    context = {
        "listings": {name: listing.label for name, listing in LISTINGS.items()},
        "key": key,
        "label": LISTINGS[key].label,
        "note": str(LISTINGS[key].note) % words,
        "emptiness": str(LISTINGS[key].emptiness) % words,
        "sizes": sizes,
        "size": size,
        "page": page,
        "formations": show_rows(request, list(page.object_list), {}),
    }
    return render(request, "rules/formations.html", context)


def show_one(request: HttpRequest, row: Formation, form: NameForm | None) -> HttpResponse:
    """Show one formation, with a form that was filled in and refused where there is one."""
    filled = {row.pk: form} if form else {}
    context = {"formations": show_rows(request, [row], filled), "is_single": True}
    return render(request, "rules/formations.html", context, status=400 if form else 200)


def show_rows(request: HttpRequest, rows: Sequence[Formation], filled: Mapping[int, NameForm]) -> list[ShownFormation]:
    """Return formations as the page shows them; staff gets forms for those without a name."""
    is_staff = request.user.is_authenticated and request.user.is_staff
    shown = []
    for row in rows:
        form = filled.get(row.pk)
        if form is None and is_staff and not row.is_named:
            form = make_form(row)
        shown.append(ShownFormation(row, translate_name(row), draw_deployment(row.example), form))
    return shown


def make_form(row: Formation, data: Mapping[str, str] | None = None) -> NameForm:
    """Return the form that names a formation; its fields have ids of their own on the page."""
    return NameForm(data, auto_id=f"id_{row.pk}_%s")


def translate_name(row: Formation) -> str:
    """Return the name of a formation in the reader's language; empty if it has none."""
    if row.library_name:
        return pgettext("named formation", row.library_name)
    return row.name_hu if get_language() == "hu" else row.name


@require_POST
@login_required
def name(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a formation its name."""
    staff = signed_in_reader(request)
    if not staff.is_staff:
        raise PermissionDenied
    row = queries.find_formation(pk)
    if row is None:
        raise Http404
    form = make_form(row, request.POST.dict())
    if form.is_valid():
        try:
            name_formation(formation=row, by=staff, **form.cleaned_data)
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
        else:
            messages.success(request, _("The formation is named."))
            return redirect(row)
    return show_one(request, row, form)
