"""Sentences that services make in English, and that pages tell in the reader's language.

An error's message, the reason of a state and a notice are made without a reader, some are stored: they stay English
there and in the API. Here is the form of each, with holes where names and numbers stand. What has no form here is told
as it is.
"""

import re
from functools import cache

from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_noop as _

HOLE = re.compile(r"%\((\w+)\)s")

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
    _("A bot's name has letters or digits in it, and %(most)s characters at most."),
    _("There is a bot called %(name)s already: choose another name."),
    _("%(name)s belongs to somebody else."),
    _("The file is too big: %(most)s at most."),
    _("The file is empty."),
    _("%(file)s is neither a program nor a zip: upload a %(entries)s, or a zip with it at its top."),
    _("The zip has thousands of files: %(most)s at most."),
    _("The zip has a file name that is not UTF-8."),
    _("The file can't be read as a zip."),
    _("The zip has a file with an unusable name: %(file)s."),
    _("The zip has a path that is longer than %(most)s bytes: %(file)s."),
    _("The zip has a path that leads outside of it: %(file)s."),
    _("The zip has a symbolic link, which a bot can't have: %(file)s."),
    _("The zip has something that is neither a file nor a folder: %(file)s."),
    _("The zip is encrypted: upload it without a password."),
    _("The zip uses an unusual compression for %(file)s: make it with deflate."),
    _("The zip is empty."),
    _("The zip has %(count)s files: %(most)s at most."),
    _("The zip would unpack to %(size)s: %(most)s at most."),
    _("The zip would grow to %(times)s times its size, like a bomb: %(most)s times at most."),
    _("The zip's files overlap, like a bomb."),
    _("The zip has names that differ only in case: %(one)s and %(other)s."),
    _("The zip has a file and a folder of the same name: %(file)s."),
    _("The zip is damaged: %(file)s can't be read."),
    _("In the zip, or the one folder that holds all of it, there is no %(entries)s at the top."),
    _("In the zip, or the one folder that holds all of it, %(entries)s are at the top: a bot begins with one of them."),
    _("You have made %(count)s challenges in 24 hours, and nobody may make more than %(most)s."),
    _("%(version)s has not passed its trial."),
    _("%(one)s and %(other)s play different games."),
    _("A version can't play itself."),
    _("%(version)s is not on a ladder now."),
    _("There is no older version of %(name)s: say what to compare it with."),
    _("This comparison was begun by somebody else."),
    _("This comparison is over already."),
    _("These two are being compared already: %(url)s"),
    _("You have begun %(count)s comparisons in 24 hours, and nobody may begin more than %(most)s."),
    _("These are the same files: neither is better."),
    _("A field has at least %(least)s bots of others, and that ladder has not so many."),
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
)
REASONS = (
    _("Its owner has paused it."),
    _("It was at fault in %(count)s legs in a row."),
    _("It was at fault in %(count)s of its last %(legs)s legs."),
    _("It could not be built."),
    _("It was not promoted. %(error)s"),
    _("The comparison that it was for is over."),
    _("The results of these bots against each other were out of line."),
    _("The arena failed to play it %(times)s times, the last time with: %(error)s"),
    _("%(count)s workers stopped while they played it."),
)
NOTICES = (
    _("%(version)s is suspended on %(ladder)s. %(reason)s Resume it on its page, or upload a version that works."),
    _("%(version)s was accepted, but doesn't play. %(reason)s"),
    _("%(version)s was accepted. %(reason)s"),
    _("%(version)s was accepted."),
    _("%(version)s was rejected. %(reason)s"),
    _("%(version)s was rejected."),
    _("%(version)s is better than %(other)s. It was promoted to the ladders."),
    _("%(version)s is no worse than %(other)s. It was promoted to the ladders."),
    _("%(version)s is better than %(other)s. %(reason)s"),
    _("%(version)s is better than %(other)s."),
    _("%(version)s is not better than %(other)s."),
    _("%(version)s is no worse than %(other)s. %(reason)s"),
    _("%(version)s is no worse than %(other)s."),
    _("%(version)s is worse than %(other)s."),
    _("%(version)s can't be told from %(other)s."),
)


@cache
def forms() -> list[tuple[re.Pattern[str], str]]:
    """How each sentence is known again."""
    return [(compile_form(form), form) for form in (*ERRORS, *REASONS, *NOTICES)]


def compile_form(form: str) -> re.Pattern[str]:
    parts = HOLE.split(form)
    return re.compile(
        "".join(f"(?P<{part}>.+?)" if place % 2 else re.escape(part) for place, part in enumerate(parts)), re.DOTALL
    )


def said(sentence: object) -> str:
    """The sentence in the reader's language, and what fills its holes, where that is a sentence too."""
    text = str(sentence)
    if (get_language() or "en") == "en":
        return text
    for pattern, form in forms():
        found = pattern.fullmatch(text)
        if found:
            return gettext(form) % {name: said(words) for name, words in found.groupdict().items()}
    return text
