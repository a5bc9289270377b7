"""The archive of a tournament: a zip of pages that work from disk, records and documents."""
