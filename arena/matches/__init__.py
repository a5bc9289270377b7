"""Matches: the queue, workers' attempts to play them, and live games with people."""
