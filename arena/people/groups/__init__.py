"""Groups: a class, a club or a company with its members."""
