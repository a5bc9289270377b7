"""Users, their groups and notices, and the audit log of staff actions."""
