"""The kinds of faults, as verdicts are called."""

from django.utils.translation import gettext_noop as _

VERDICTS = (
    _("illegal"),
    _("malformed"),
    _("timeout"),
    _("crash"),
    _("memory"),
    _("output"),
    _("start"),
)
"""Their kinds."""
