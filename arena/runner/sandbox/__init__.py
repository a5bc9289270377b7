"""Run bots in sandboxes: one file for each kind, one line in `detection.CANDIDATES`."""
