from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.bots.models import Bot, BotVersion


@admin.register(Bot)
class BotAdmin(ReadOnlyAdmin):
    list_display = ["name", "game", "owner", "created_at"]
    list_filter = ["game"]
    search_fields = ["name", "owner__username"]


@admin.register(BotVersion)
class BotVersionAdmin(ReadOnlyAdmin):
    exclude = ["build_log"]
    list_display = ["bot", "bot__game", "number", "language", "state", "size", "created_at"]
    list_filter = ["state", "language", "bot__game"]
    list_select_related = ["bot"]
