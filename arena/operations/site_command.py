"""The command `pennant-arena`: the commands of the site, where Pennant is installed without a checkout.

In a checkout it is `manage.py`.
"""

import os
import sys

try:
    from django.core.management import execute_from_command_line
except ModuleNotFoundError:
    raise SystemExit("Running an arena needs more packages: install pennant-arena[server].") from None


def main() -> None:
    """Carry out a command of the site."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
    execute_from_command_line(sys.argv)
