"""The accounts of users."""
