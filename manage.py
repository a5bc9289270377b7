#!/usr/bin/env python
"""Run commands of the site."""

import os
import sys

from django.core.management import execute_from_command_line

from engine.packages import BadGamePackage

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
    try:
        execute_from_command_line(sys.argv)
    except BadGamePackage as error:
        sys.exit(f"manage.py: {error}")
