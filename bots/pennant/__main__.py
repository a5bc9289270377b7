"""Run the command `pennant` as `python -m pennant`."""

from pennant.command import main

main(prog_name="pennant")
