"""Admin pages of users: they approve accounts, which sends notices that the app of accounts doesn't know."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy, ngettext

from arena.accounts.admin import NewUserForm, UserForm
from arena.accounts.models import User
from arena.admission import admit_user


@admin.register(User)
class AccountAdmin(UserAdmin):
    """Users, with the check of new names that all users meet."""

    form = UserForm
    add_form = NewUserForm
    list_display = ("username", "email", "is_staff", "is_active", "awaits_approval", "date_joined")
    list_filter = ("awaits_approval", "is_staff", "is_superuser", "is_active", "groups")
    actions = ["approve"]

    @admin.action(description=gettext_lazy("Approve"), permissions=["change"])
    def approve(self, request: HttpRequest, users: QuerySet[User]) -> None:
        """Let the chosen users in who wait for it, and tell them."""
        site = request.build_absolute_uri("/")
        count = sum(admit_user(user=user, site=site) for user in users)
        text = ngettext("%(count)d account was approved.", "%(count)d accounts were approved.", count)
        self.message_user(request, text % {"count": count})
