"""The site for people, by the entries of its menu; templates are in `templates/`."""
