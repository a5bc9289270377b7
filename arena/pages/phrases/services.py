"""What services say: why something can't be done, why something is as it is, and what became of a bot."""

from django.utils.translation import gettext_noop as _

ERRORS = (
    _("%(name)s belongs to somebody else."),
    _("%(version)s isn't accepted, so it can't play on a ladder."),
    _("Another version plays instead of %(version)s: promote this one if it shall play again."),
    _("Season %(season)s of %(ladder)s is over."),
    _(
        "%(most)s of your bots play on %(ladder)s already, and nobody may have more there: pause one of them, then "
        "promote %(version)s."
    ),
)
REASONS = (
    _("Its owner has paused it."),
    _("It was at fault in %(count)s legs in a row."),
    _("It was at fault in %(count)s of its last %(legs)s legs."),
    _("The comparison that it was for is over."),
    _("The results of these bots against each other were out of line."),
)
NOTICES = (
    _("%(version)s is suspended on %(ladder)s. %(reason)s Resume it on its page, or upload a version that works."),
    _("%(version)s was accepted, but doesn't play. %(reason)s"),
)
LANGUAGES = (_("Executable"),)
"""Titles of languages that are no names."""
