"""What the services of tournaments say: what can't be done, why one doesn't go on, and what became of a bot in it."""

from django.utils.translation import gettext_noop as _

ENTERING = (
    _("%(name)s plays another game."),
    _("It takes no entries now."),
    _("%(name)s has no such version that passed its trial."),
    _("%(name)s was disqualified. %(reason)s"),
    _("%(name)s is out already."),
    _("It is full: %(count)s bots take part."),
    _("An author may enter one bot here: withdraw the other first."),
    _("An author may enter %(count)s bots here: withdraw the other first."),
    _("Say why: its owner and everybody else will read it."),
)
"""Why a bot can't come or go."""
ORGANISING = (
    _("Only its organiser may do that."),
    _("You may not organise tournaments: whoever keeps this arena can let you."),
    _("Only staff may let a tournament count for a ladder."),
    _("There is no ladder of that edition for it to count for."),
    _("It is over already."),
    _("It has started, so nothing of it can be changed any more."),
    _("Bots have entered, so the game and its edition can't be changed any more."),
    _("Round %(number)s was not begun, so it can't be played again."),
    _("It is %(state)s, so it can't be opened."),
    _("It is %(state)s, so it can't be started."),
    _("It is %(state)s, so it can't be paused."),
    _("It is %(state)s, so it can't be resumed."),
    _("It is %(state)s, so it can't be played again from a round on."),
    _("It is %(state)s, so it can't be deleted."),
)
"""What its organiser can't do."""
STATES = (
    _("draft"),
    _("open"),
    _("checking"),
    _("running"),
    _("paused"),
    _("finished"),
    _("cancelled"),
)
"""What it is instead."""
TERMS = (
    _("There are %(low)s to %(high)s rounds, not %(value)s."),
    _("There are %(low)s to %(high)s pairs, not %(value)s."),
    _("There are %(low)s to %(high)s extra, not %(value)s."),
    _("There are %(low)s to %(high)s seats, not %(value)s."),
    _("There are at least two groups, and at least one of each goes on."),
    _("A tournament has 2 to %(most)s entrants, not %(count)s."),
    _("%(groups)s groups of which %(advance)s go on need %(least)s entrants or more, not %(count)s."),
    _("%(title)s is for %(low)s to %(high)s players, so no table has %(seats)s seats."),
    _("%(title)s is for %(count)s players, so no table has %(seats)s seats."),
    _("Tables of more than two are for rounds of tables only."),
    _("A tournament needs a title."),
    _("A tournament has 2 to %(most)s entrants, and authors enter one bot or more."),
    _("The deadline is over already."),
)
"""Why it can't be played by these terms, or not by those who came."""
REASONS = (
    _("Its organiser has paused it."),
    _("Its organiser has called it off."),
    _("Its organiser wanted it played again."),
    _("Fewer than two bots were ready when it was to begin."),
    _("The arena failed %(times)s times to play a match of round %(number)s."),
    _("The tournament was paused; it is played again."),
    _("The tournament was called off."),
    _("Its round is played again."),
    _("Its round of a tournament is played again."),
    _("The pairing was decided without it."),
    _("One of them has left the tournament."),
)
"""Of its state, and of what counts no more."""
CHECKS = (
    _("Illegal in its check."),
    _("Malformed in its check."),
    _("Timeout in its check."),
    _("Crash in its check."),
    _("Memory in its check."),
    _("Output in its check."),
    _("Start in its check."),
    _("Illegal in its check. %(error)s"),
    _("Malformed in its check. %(error)s"),
    _("Timeout in its check. %(error)s"),
    _("Crash in its check. %(error)s"),
    _("Memory in its check. %(error)s"),
    _("Output in its check. %(error)s"),
    _("Start in its check. %(error)s"),
)
"""Why a bot failed it: the first half is for everybody."""
NOTICES = (
    _("%(version)s failed its check for %(tournament)s. %(reason)s Upload a better version before the entries close."),
    _("%(version)s failed its check for %(tournament)s. %(reason)s"),
    _("%(bot)s was disqualified from %(tournament)s. %(reason)s"),
    _("%(bot)s plays in %(tournament)s, which has begun: it is seeded %(number)s."),
    _("%(tournament)s is over: %(bot)s came in at place %(number)s."),
)
