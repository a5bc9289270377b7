"""Notices to users, and webhooks."""
