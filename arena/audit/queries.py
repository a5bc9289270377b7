"""Read the audit log."""

from django.db.models import QuerySet

from arena.audit.models import AuditEntry


def list_acts(*, act: str = "", actor: str = "", subject: str = "") -> QuerySet[AuditEntry]:
    """List acts, newest first: of a kind, by somebody, on something with these words in its name."""
    lookups = {"act": act, "actor_name": actor, "subject__icontains": subject}
    return AuditEntry.objects.filter(**{name: value for name, value in lookups.items() if value})
