"""The site, with a module or folder for each menu entry; templates are in `templates/`."""
