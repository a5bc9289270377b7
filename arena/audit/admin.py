"""Show the audit log to staff, read only."""

from django.contrib import admin

from arena.accounts.admin import ReadOnlyAdmin
from arena.audit.models import AuditEntry


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """Acts of staff, newest first."""

    list_display = ["at", "actor_name", "act", "subject", "reason", "outcome"]
    list_filter = ["act"]
    search_fields = ["actor_name", "subject", "reason"]
