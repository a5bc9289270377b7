"""Work across domains: tasks, author and staff actions, data export and erasure, health, and commands."""
