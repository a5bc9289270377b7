"""Date formats of English pages."""

DATE_FORMAT = "j F Y"
DATETIME_FORMAT = "j F Y H:i"
SHORT_DATE_FORMAT = "j M Y"
MONTH_DAY_FORMAT = "j M"
YEAR_MONTH_FORMAT = "F Y"
