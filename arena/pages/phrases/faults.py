"""What the runner says of a bot that did not answer as it should, and of a source that does not become a program."""

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
ANSWERS = (
    _('the answer to "hello" is {"type": "ready"}'),
    _('an answer is a JSON object with a string "action"'),
    _('an "action" is %(limit)s characters at most'),
    _('the "action" holds characters that cannot be printed'),
    _("a line is %(limit)s bytes at most"),
    _("a line holds %(limit)s commas and brackets at most"),
    _("the line is not JSON: %(problem)s"),
    _("the line is JSON, but not an object"),
    _("JSON may be nested %(limit)s deep at most"),
    _("the key %(words)s is there twice"),
    _("an integer has %(limit)s digits at most"),
    _("something was written to stdout without being asked"),
    _("more than %(limit)s bytes were written without being asked"),
    _("more than %(limit)s bytes were written before the question was read"),
    _("more than %(limit)s bytes were written to stderr in this leg"),
    _("a line is longer than %(limit)s bytes"),
)
"""What a bot wrote."""
ENDINGS = (
    _("the bot did not start: %(error)s"),
    _("the bot exited with code %(code)s"),
    _("the bot was ended by %(signal)s"),
    _("the bot ran out of memory and exited with code %(code)s"),
    _("the bot ran out of memory and was ended by %(signal)s"),
    _('%(ending)s; its log ends with "%(log)s"'),
    _("%(ending)s; its last line had no newline"),
    _("the bot closed its standard output or input"),
)
"""How it ended before its time."""
TIMES = (
    _("no whole line came within %(ms)s ms"),
    _("no whole line came within %(ms)s ms of processor time"),
    _("the question was not read within %(ms)s ms"),
    _("the question was not read within %(ms)s ms of processor time"),
    _("the bot used %(ms)s ms of processor time while it was not asked"),
    _("the answer cost %(took)s ms (%(spent)s); %(limit)s ms is the limit for one"),
    _("the answer cost %(took)s ms (%(spent)s), and that emptied the time bank of this leg"),
    _("%(cpu)s ms of processor time within %(wall)s ms"),
    _("%(cpu)s ms of processor time within %(wall)s ms, %(late)s ms of it our delay"),
)
"""What it took too long for."""
BUILDS = (
    _("The compiler exited with code %(code)s."),
    _("The compiler was ended by %(signal)s."),
    _("The compiler made an empty file."),
    _("The program is larger than %(mib)s MiB."),
    _("More than %(mib)s MiB were written to the log."),
    _("Building took longer than %(seconds)s s."),
    _("Building took more than %(seconds)s s of processor time."),
    _("Building took more than %(mib)s MiB of memory."),
)
"""Why it could not be built: the last line of the log."""
