"""Admin pages of users, and the base of admin pages that only show rows."""

from allauth.mfa.admin import Authenticator
from allauth.usersessions.admin import UserSession
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from arena.accounts.models import User
from arena.accounts.names import BadName, check_name
from arena.messages import render_message


def check_name_in_form(name: str) -> str:
    """Return a new name as it is to be stored; staff may use reserved ones. Raises ValidationError."""
    try:
        return check_name(name, is_reserved_allowed=True)
    except BadName as error:
        raise ValidationError(render_message(error.message)) from None


class NewUserForm(AdminUserCreationForm):
    """A user whom staff adds."""

    def clean_username(self) -> str:
        """Check the name."""
        self.cleaned_data["username"] = check_name_in_form(self.cleaned_data["username"])
        return str(super().clean_username())


class UserForm(UserChangeForm):
    """A user whom staff changes."""

    def clean_username(self) -> str:
        """Check the name if it was changed: names that exist keep working."""
        name = str(self.cleaned_data["username"])
        return check_name_in_form(name) if "username" in self.changed_data else name


@admin.register(User)
class AccountAdmin(UserAdmin):
    """Users, with the check of new names that all users meet."""

    form = UserForm
    add_form = NewUserForm


class ReadOnlyAdmin(admin.ModelAdmin):
    """Show rows that only services change."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: rows are added by services."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Return False: rows are changed by services."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Return False: rows are deleted by services."""
        return False


class AuthenticatorAdmin(ReadOnlyAdmin):
    """Show who has a second factor, and nothing of its secrets."""

    fields = ("user", "type", "created_at", "last_used_at")
    list_display = fields
    list_filter = ("type",)
    search_fields = ("user__username",)


# allauth's pages would show the secrets of second factors, and where everybody is signed in.
admin.site.unregister([Authenticator, UserSession])
admin.site.register(Authenticator, AuthenticatorAdmin)
