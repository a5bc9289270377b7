"""Groups in the admin site: that they exist, and nothing of who is in them."""

from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.groups.models import Group


@admin.register(Group)
class GroupAdmin(ReadOnlyAdmin):
    """Groups in the admin site, without codes, members and texts."""

    list_display = ("name", "created_by", "created_at")
    list_select_related = ("created_by",)
    fields = list_display
