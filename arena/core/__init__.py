"""Shared code of no domain: settings from the environment, errors, messages, times, paging, logs, cache and brokers."""
