"""Decide a pairing of a tournament, or take such a decision back."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.playing import DecidedOutcome, PairingDecision, decide_pairing, undo_decision
from arena.core.errors import ArenaError
from arena.operations.management.staff_command import find_account


class Command(BaseCommand):
    """Decide a pairing of a tournament, or take such a decision back."""

    help = (
        "Decide a tournament pairing instead of its matches, as one of its organisers, or undo that. A finished "
        "pairing keeps its matches, and rounds already drawn stay. The reason is public."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the pairing, its result, and why."""
        parser.add_argument("tournament", help="The tournament's slug.")
        parser.add_argument("round", type=int, help="Round number.")
        parser.add_argument("board", type=int, help="Board number.")
        result = parser.add_mutually_exclusive_group(required=True)
        result.add_argument("--winner", metavar="BOT", help="Slug of the winning bot.")
        result.add_argument("--even", action="store_true", help="The pairing is tied.")
        result.add_argument("--lost", action="store_true", help="All bots lose.")
        result.add_argument("--undo", action="store_true", help="Let the matches decide again.")
        parser.add_argument("--why", required=True, help="Reason, which is public.")
        parser.add_argument(
            "--by", metavar="NAME", help="Username of the organiser. Default: the tournament's creator."
        )

    def handle(self, *, tournament: str, by: str | None, why: str, **options: Any) -> None:
        """Decide the pairing."""
        found = Tournament.objects.select_related("organiser").filter(slug=tournament).first()
        if found is None:
            raise CommandError(f"There's no tournament with the address {tournament}.")
        where = {
            "tournament": found,
            "organiser": find_account(by) if by else found.organiser,
            "number": options["round"],
            "board": options["board"],
        }
        try:
            if options["undo"]:
                undo_decision(**where, reason=why)
            else:
                decide_pairing(**where, decision=self._read_decision(why, options))
        except ArenaError as error:
            raise CommandError(str(error)) from None
        state = "open again" if options["undo"] else "decided"
        self.stdout.write(f"Board {options['board']} of round {options['round']} is {state}.")

    def _read_decision(self, why: str, options: dict[str, Any]) -> PairingDecision:
        if options["winner"]:
            return PairingDecision(DecidedOutcome.WIN, why, options["winner"])
        return PairingDecision(DecidedOutcome.EVEN if options["even"] else DecidedOutcome.LOST, why)
