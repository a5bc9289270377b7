"""What services say: why something can't be done, why something is as it is, and what became of a bot."""

from django.utils.translation import gettext_noop as _

ERRORS = (
    _("Say what the token is for, in %(most)s characters at most."),
    _("You have %(most)s tokens, and nobody may have more: revoke one first."),
    _("You have %(most)s bots, and nobody may have more here: upload new versions of those you have."),
    _("Nobody may upload versions here at present."),
    _("You have uploaded %(most)s versions in 24 hours, and nobody may upload more: it goes on at %(time)s."),
    _(
        "Your bots would take %(kept)s of the %(most)s MiB that everybody has here: leave out what this one doesn't "
        "need, or ask whoever runs this arena."
    ),
    _("%(name)s belongs to somebody else."),
    _("You have made %(count)s challenges in 24 hours, and nobody may make more than %(most)s."),
    _("%(version)s has not passed its trial."),
    _("%(one)s and %(other)s play different games."),
    _("A version can't play itself."),
    _("%(version)s is not on a ladder now."),
    _("%(version)s isn't accepted, so it can't play on a ladder."),
    _("Another version plays instead of %(version)s: promote this one if it shall play again."),
    _("Season %(season)s of %(ladder)s is over."),
    _(
        "%(most)s of your bots play on %(ladder)s already, and nobody may have more there: pause one of them, then "
        "promote %(version)s."
    ),
    _("You have %(most)s webhooks, and nobody may have more: delete one first."),
    _("The port of this address is not a number from 1 to 65535."),
    _("An address begins with https:// or http:// and the name of a host."),
    _("Leave name and password out of the address: what is sent is signed."),
    _("There is no host called %(host)s."),
    _("%(host)s is in a network of the arena's own (%(address)s), where it calls nobody."),
    _("No machine of this arena runs %(language)s at present. There is: %(languages)s."),
)
REASONS = (
    _("Its owner has paused it."),
    _("It was at fault in %(count)s legs in a row."),
    _("It was at fault in %(count)s of its last %(legs)s legs."),
    _("The comparison that it was for is over."),
    _("The results of these bots against each other were out of line."),
    _("The arena failed to play it %(times)s times, the last time with: %(failure)s"),
    _("%(count)s workers stopped while they played it."),
)
NOTICES = (
    _("%(version)s is suspended on %(ladder)s. %(reason)s Resume it on its page, or upload a version that works."),
    _("%(version)s was accepted, but doesn't play. %(reason)s"),
)
LANGUAGES = (_("Executable"),)
"""Titles of languages that are no names."""
