"""The command `pennant-arena`: the commands of the site, where Pennant is installed without a checkout.

In a checkout it is `manage.py`.
"""

import os
import sys

try:
    from django.core.management import execute_from_command_line
except ModuleNotFoundError:
    raise SystemExit("Running an arena needs more packages: install pennant-arena[server].") from None

SETTINGS = {"serve_remote_bots": "arena.operations.management.remote_settings"}
"""Settings of commands that need only a part of the site."""


def main() -> None:
    """Carry out a command of the site."""
    settings = next((SETTINGS[word] for word in sys.argv[1:2] if word in SETTINGS), "arena.settings")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", settings)
    execute_from_command_line(sys.argv)
