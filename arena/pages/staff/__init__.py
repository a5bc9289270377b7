"""The pages for staff."""
