"""Acts of staff: each says what it will do and what it did, and leaves a line in the audit log."""
