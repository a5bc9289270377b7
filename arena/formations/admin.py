"""Formations in the administration: staff reads them, and names those without a name."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from arena.accounts.admin import ReadOnlyAdmin
from arena.accounts.models import User
from arena.errors import ArenaError
from arena.formations.models import Formation
from arena.formations.services.naming import check_name, name_formation
from arena.messages import render_message

NAMES = ("name", "name_hu")


class NamesForm(forms.ModelForm):
    """The names of a formation, which the service checks."""

    user: User
    """The member of staff who gives the name; set by the admin page."""

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError with the reason for which the service would refuse the names."""
        cleaned: dict[str, Any] = super().clean() or {}
        try:
            names = {name: cleaned.get(name, "") for name in NAMES}
            check_name(formation=self.instance, by=self.user, **names)
        except ArenaError as error:
            raise ValidationError(render_message(error.message)) from error
        return cleaned


@admin.register(Formation)
class FormationAdmin(ReadOnlyAdmin):
    """Formations; only the names of those without one can be filled in."""

    form = NamesForm
    list_display = ["index", "shape", "english_name", "name_hu", "deployed", "reformed", "named_by", "first_version"]
    list_filter = ["cells", ("name", admin.EmptyFieldListFilter)]
    list_select_related = ["named_by", "first_version__bot"]
    search_fields = ["name", "name_hu", "shape", "index"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether a formation may be named; without one, whether any may be."""
        may = request.user.has_perm("formations.change_formation")
        return may and not (obj is not None and obj.is_named)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Return every field but the names."""
        return [field.name for field in Formation._meta.fields if field.name not in NAMES]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form, which knows who fills it in."""
        form = super().get_form(request, obj, change, **kwargs)
        return type("NamesForm", (form,), {"user": request.user})

    def save_model(self, request: HttpRequest, obj: Formation, form: Any, change: bool) -> None:
        """Name the formation."""
        assert isinstance(request.user, User)
        name_formation(formation=obj, by=request.user, **{name: form.cleaned_data[name] for name in NAMES})
