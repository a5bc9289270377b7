"""Admin pages of users, and the base of admin pages that only show rows."""

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
