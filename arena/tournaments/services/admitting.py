"""What organisers decide about access while a tournament goes on: approve entries, renew the code, publish."""

from django.db import transaction

from arena.accounts.models import User
from arena.errors import Conflict
from arena.groups.codes import new_code
from arena.tournaments.acts import Act
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.services.access import EntryRule, Visibility
from arena.tournaments.services.entering import check_room
from arena.tournaments.services.organisers import check_organiser
from arena.tournaments.services.publishing import check_publishable, publish_matches
from arena.tournaments.services.recording import record_act
from engine.message import gettext_noop, message

CHANGEABLE_STATES = (Tournament.State.DRAFT, Tournament.State.OPEN)


@transaction.atomic
def approve_entry(*, entrant: Entrant, organiser: User) -> Entrant:
    """Let an entry that waits for approval play its check. Raise NotYours or Conflict."""
    tournament = check_organiser(entrant.tournament, organiser)
    entrant = Entrant.objects.select_related("bot__owner", "tournament").get(pk=entrant.pk)
    if entrant.state != Entrant.State.WAITING or tournament.has_started or tournament.is_over:
        problem = gettext_noop("%(name)s doesn't wait for approval.")
        raise Conflict(message(problem, name=entrant.bot.name))
    check_room(tournament, entrant.bot, approving=True)
    entrant.state = Entrant.State.CHECKING
    entrant.save(update_fields=["state"])
    text = message(gettext_noop("Entry of %(bot)s approved"), bot=entrant.bot.name)
    record_act(tournament, Act.APPROVE_ENTRY, text, by=organiser)
    return entrant


@transaction.atomic
def renew_entry_code(*, tournament: Tournament, organiser: User) -> Tournament:
    """Give a tournament a new code; who has typed the old one stays permitted. Raise NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    if tournament.entry_rule != EntryRule.CODE or tournament.state not in CHANGEABLE_STATES:
        raise Conflict(message(gettext_noop("The tournament asks for no code now.")))
    tournament.entry_code = new_code()
    tournament.save(update_fields=["entry_code"])
    record_act(tournament, Act.RENEW_CODE, message(gettext_noop("Code for entries renewed")), by=organiser)
    return tournament


@transaction.atomic
def publish(*, tournament: Tournament, organiser: User) -> Tournament:
    """Let everybody see a tournament that was for a group, or for whoever had the link. Raise NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    if tournament.visibility == Visibility.PUBLIC:
        raise Conflict(message(gettext_noop("Everybody sees the tournament already.")))
    if tournament.is_rehearsal:
        raise Conflict(message(gettext_noop("A rehearsal stays with its organisers.")))
    check_publishable(tournament)
    tournament.visibility = Visibility.PUBLIC
    tournament.save(update_fields=["visibility"])
    publish_matches(tournament)
    record_act(tournament, Act.PUBLISH, message(gettext_noop("Published for everybody")), by=organiser)
    return tournament
