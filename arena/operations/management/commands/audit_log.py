"""Print what staff did."""

from django.core.management.base import BaseCommand, CommandParser

from arena.people.audit.models import AuditedAct, list_acts

DEFAULT_LINES = 50


class Command(BaseCommand):
    """Print what staff did."""

    help = "Print the latest acts of staff, newest first: when, who, what, on what, why, and what it changed."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the filters."""
        parser.add_argument("--act", choices=AuditedAct.values, default="", help="Only acts of this kind.")
        parser.add_argument("--by", default="", metavar="NAME", help="Only acts of this user or account.")
        parser.add_argument("--on", default="", metavar="TEXT", help="Only acts on what has this text in its name.")
        parser.add_argument("--lines", type=int, default=DEFAULT_LINES, help="Number of acts. Default: %(default)s.")

    def handle(self, *, act: str, by: str, on: str, lines: int, **_: object) -> None:
        """Print a line for each act."""
        for entry in list_acts(act=act, actor=by, subject=on)[: max(lines, 0)]:
            parts = (entry.actor_name, entry.act, entry.subject, " ".join(entry.reason.split()), entry.outcome)
            self.stdout.write("\t".join((f"{entry.at:%Y-%m-%d %H:%M:%S}", *parts)))
