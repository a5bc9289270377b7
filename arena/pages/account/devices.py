"""The device of a session in words, from what its browser says of itself: "Firefox, Linux"."""

import re

from django.utils.translation import gettext as _

# A browser names those that it descends from, too, so the first that fits is it.
BROWSERS = [
    (r"Edg(e|A|iOS)?/", "Edge"),
    (r"OPR/|Opera", "Opera"),
    (r"Vivaldi/", "Vivaldi"),
    (r"SamsungBrowser/", "Samsung Internet"),
    (r"Firefox/|FxiOS/", "Firefox"),
    (r"HeadlessChrome/|Chromium/", "Chromium"),
    (r"Chrome/|CriOS/", "Chrome"),
    (r"Version/.*Safari/", "Safari"),
    (r"curl/", "curl"),
    (r"python-", "Python"),
]
SYSTEMS = [
    (r"iPhone|iPod", "iPhone"),
    (r"iPad", "iPad"),
    (r"Android", "Android"),
    (r"Windows", "Windows"),
    (r"Macintosh|Mac OS X", "macOS"),
    (r"CrOS", "ChromeOS"),
    (r"Linux|X11", "Linux"),
]


def describe_device(user_agent: str) -> str:
    """Return the browser and the system, as far as they are known."""
    names = [
        next((name for pattern, name in known if re.search(pattern, user_agent)), "") for known in (BROWSERS, SYSTEMS)
    ]
    return ", ".join(filter(None, names)) or _("Unknown device")
