"""Admin pages of invitations, forms of users, and the base of admin pages that only show rows."""

from typing import Any

from allauth.mfa.admin import Authenticator
from allauth.usersessions.admin import UserSession
from django import forms
from django.contrib import admin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _

from arena.accounts.invitations import DEFAULT_INVITATION_DAYS, MAX_INVITATION_DAYS, create_invitation
from arena.accounts.models import Invitation, User
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


class InvitationForm(forms.ModelForm):
    """A new invitation."""

    days = forms.IntegerField(min_value=1, max_value=MAX_INVITATION_DAYS, initial=DEFAULT_INVITATION_DAYS)

    class Meta:
        model = Invitation
        fields = ("note", "email")


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Invitations. The link of a new one is shown once; one that is deleted can't be used any more."""

    list_display = ("__str__", "email", "created_by", "created_at", "expires_at", "used_by", "used_at")
    list_filter = (("used_at", admin.EmptyFieldListFilter),)
    list_select_related = ("created_by", "used_by")
    search_fields = ("note", "email", "used_by__username")
    exclude = ("digest",)
    form = InvitationForm

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may invite people."""
        return bool(request.user.has_perm("accounts.add_invitation"))

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Return whether the user may withdraw invitations."""
        return bool(request.user.has_perm("accounts.delete_invitation"))

    def get_fields(self, request: HttpRequest, obj: Invitation | None = None) -> Any:
        """Return the fields of the form, or those of an invitation that is shown."""
        return ["note", "email", "days"] if obj is None else [*self.list_display[1:], "note"]

    def save_model(self, request: HttpRequest, obj: Invitation, form: Any, change: bool) -> None:
        """Create the invitation and show its link."""
        author = request.user if isinstance(request.user, User) else None
        data = form.cleaned_data
        invitation, path = create_invitation(
            days=data["days"], note=data["note"], email=data["email"], created_by=author
        )
        obj.pk, obj.digest = invitation.pk, invitation.digest
        link = request.build_absolute_uri(path)
        self.message_user(request, _("Send this link, which is shown only now: %(link)s") % {"link": link})
