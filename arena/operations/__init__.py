"""Work across domains: tasks, acts of authors and staff, data export and erasure, health, and commands."""
