"""Plays a match between sandboxed processes: protocol, clocks, verdicts. No Django, no database."""
