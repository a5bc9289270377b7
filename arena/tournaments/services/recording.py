"""Record what organisers decide, in lines that are only ever added, and forget a person's name in them."""

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.tournaments.acts import ORGANISERS_ACTS, Act, OrganiserAct
from arena.tournaments.models import Tournament
from engine.message import Message, Value

BOT_KEYS = ("bot", "winner", "pairing")
"""The values of messages that name bots."""
PAIRING_SEPARATOR = " – "
"""Between the names of the bots of a pairing."""


def rename_in_acts(*, bot: Bot, old_name: str) -> None:
    """Put a bot's name in the place of its old one in the acts of its tournaments."""
    for act in OrganiserAct.objects.filter(tournament__entrants__bot=bot).distinct():
        if act.text is None:
            continue
        values = {key: _rename(value, old_name, bot.name) for key, value in act.text.values.items() if key in BOT_KEYS}
        renamed = Message(act.text.template, {**act.text.values, **values})
        if renamed != act.text:
            act.text = renamed
            act.save(update_fields=["text"])


def _rename(value: Value, old_name: str, name: str) -> Value:
    if not isinstance(value, str):
        return value
    return PAIRING_SEPARATOR.join(name if part == old_name else part for part in value.split(PAIRING_SEPARATOR))


def forget_name_in_acts(*, user: User, name: str, pseudonym: str) -> None:
    """Put a pseudonym in the place of a user's old name in the acts by which the user began or ceased to organise.

    The user organises nothing of others any more.
    """
    for act in OrganiserAct.objects.filter(act__in=[Act.ADD_ORGANISER, Act.REMOVE_ORGANISER]):
        if act.text is not None and act.text.values.get("name") == name:
            act.text = Message(act.text.template, {**act.text.values, "name": pseudonym})
            act.save(update_fields=["text"])
    user.co_organised_tournaments.clear()


def record_act(tournament: Tournament, act: Act, text: Message, *, by: User | None, reason: str = "") -> OrganiserAct:
    """Add an act to the record of a tournament, within the transaction of the act."""
    return OrganiserAct.objects.create(
        tournament=tournament,
        actor=by,
        act=act,
        text=text,
        reason=reason.strip(),
        is_public=act not in ORGANISERS_ACTS,
    )
