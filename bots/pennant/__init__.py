"""What authors of bots use: the command `pennant`, and modules for programs of their own."""

from pennant.hidden_packages import find_hidden_package

if sentence := find_hidden_package():
    raise SystemExit(sentence)
