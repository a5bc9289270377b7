"""Prints nothing at all."""

import sys

for _line in sys.stdin:
    pass
