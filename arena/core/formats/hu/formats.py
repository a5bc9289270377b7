"""Date formats of Hungarian pages."""

DATE_FORMAT = "Y. F j."
DATETIME_FORMAT = "Y. F j. H:i"
SHORT_DATE_FORMAT = "Y. M j."
MONTH_DAY_FORMAT = "M j."
YEAR_MONTH_FORMAT = "Y. F"
