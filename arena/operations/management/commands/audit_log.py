"""Print what staff did."""

from arena.operations.management.staff_command import ParameterCommand
from arena.operations.staff_acts import Parameter
from arena.people.audit.models import AuditedAct, list_acts

DEFAULT_LINES = 50


class Command(ParameterCommand):
    """Print what staff did."""

    help = "Print the most recent acts by staff, newest first, with time, actor, subject, reason and outcome."
    parameters = (
        Parameter("--act", choices=AuditedAct.values, default="", help="Only acts of this kind."),
        Parameter("--by", default="", metavar="NAME", help="Only acts of this user or account."),
        Parameter("--on", default="", metavar="TEXT", help="Only acts whose subject has this text in its name."),
        Parameter("--lines", type=int, default=DEFAULT_LINES, help="Number of acts. Default: %(default)s."),
    )

    def run(self, *, act: str, by: str, on: str, lines: int) -> None:
        """Print a line for each act."""
        for entry in list_acts(act=act, actor=by, subject=on)[: max(lines, 0)]:
            parts = (entry.actor_name, entry.act, entry.subject, " ".join(entry.reason.split()), entry.outcome)
            self.stdout.write("\t".join((f"{entry.at:%Y-%m-%d %H:%M:%S}", *parts)))
