"""Write tables of Markdown."""


def escape_cell(text: str) -> str:
    """Return a text that stays within a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
