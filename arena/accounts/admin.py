"""Admin pages of users, and the base of admin pages that only show rows."""

from allauth.mfa.admin import Authenticator
from allauth.usersessions.admin import UserSession
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from arena.accounts.models import User

admin.site.register(User, UserAdmin)


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
