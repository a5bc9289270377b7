"""Users, their groups, what they are told, and the audit log of what staff did."""
