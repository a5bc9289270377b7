"""Bots, teams, versions and tokens for staff, read only."""

from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.bots.models import Bot, BotVersion, TeamMember, Token


@admin.register(Bot)
class BotAdmin(ReadOnlyAdmin):
    """Bots."""

    list_display = ["name", "game", "owner", "created_at"]
    list_filter = ["game"]
    search_fields = ["name", "owner__username"]


@admin.register(TeamMember)
class TeamMemberAdmin(ReadOnlyAdmin):
    """People who work on a bot beside its owner, or are invited to."""

    list_display = ["bot", "user", "invited_by", "invited_at", "joined_at", "declined_at"]
    list_select_related = ["bot", "user", "invited_by"]
    search_fields = ["bot__name", "user__username"]


@admin.register(BotVersion)
class BotVersionAdmin(ReadOnlyAdmin):
    """Versions, without what only their owners may read."""

    exclude = ["build_log", "state_detail"]
    list_display = ["bot", "bot__game", "number", "language", "state", "size", "created_at"]
    list_filter = ["state", "language", "bot__game"]
    list_select_related = ["bot"]


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    """Tokens, without their digests."""

    exclude = ["digest"]
    list_display = ["name", "prefix", "owner", "bot", "last_used_at", "revoked_at"]
    list_select_related = ["owner", "bot"]
    search_fields = ["name", "owner__username"]
