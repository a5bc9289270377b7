"""Code for all domains: settings from the environment, errors, messages, times, paging, logs, cache and brokers."""
