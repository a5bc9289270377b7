#!/usr/bin/env python
"""Run commands of the site."""

from arena.operations.site_command import main

if __name__ == "__main__":
    main()
