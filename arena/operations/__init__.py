"""What spans the domains: tasks, acts of authors and staff, data given out and erased, health, and commands."""
