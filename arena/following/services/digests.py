"""Send digests of news by mail.

A digest is claimed before it is sent, by an update that must change exactly one row. So a worker that is killed in
between loses this digest, and nobody gets one twice; a mail server that refuses it is tried again.
"""

import logging
from collections.abc import Iterable
from datetime import timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.timezone import now
from django.utils.translation import override

from arena.accounts.queries import find_confirmed_address
from arena.accounts.time_zones import find_time_zone
from arena.following.models import DIGEST_TIMINGS, News, NewsPreference
from arena.following.queries.news import list_news_for
from arena.following.services.following import find_next_digest_time
from arena.following.wording import describe_news, find_news_url
from arena.messages import render_message

DIGEST_BATCH_SIZE = 500
MAX_NEWS_IN_DIGEST = 100
RETRY_DELAY = timedelta(hours=1)
SETTLING_TIME = timedelta(minutes=5)
"""Later news wait for the next digest: a transaction that stores earlier ones may still be open."""
logger = logging.getLogger(__name__)


def send_due_digests() -> int:
    """Send the digests that are due, the longest due first, and return how many mails were sent."""
    due = NewsPreference.objects.filter(next_digest_at__lte=now(), timing__in=DIGEST_TIMINGS).order_by("next_digest_at")
    return sum(send_digest(preference=one) for one in due.select_related("user")[:DIGEST_BATCH_SIZE])


def send_digest(*, preference: NewsPreference) -> bool:
    """Send a digest that is due, once even if called twice at the same time. Return whether a mail was sent.

    None is sent without news, without a confirmed address, and to somebody who may not sign in.
    """
    following_at = find_next_digest_time(preference.timing, now(), find_time_zone(preference.user))
    until = max(now() - SETTLING_TIME, preference.mailed_until)
    seen = {"pk": preference.pk, "timing": preference.timing, "next_digest_at": preference.next_digest_at}
    claimed = NewsPreference.objects.filter(**seen).update(next_digest_at=following_at, mailed_until=until)
    if claimed != 1:  # another worker got there first, or the user has chosen otherwise
        return False
    user, address = preference.user, find_confirmed_address(preference.user)
    news = list_news_for(user).filter(happened_at__gt=preference.mailed_until, happened_at__lte=until)
    found = list_first_of_each_subject(news)
    if not (found and address and user.is_active):
        return False
    try:
        build_digest(preference, found, address).send()
    except (OSError, SMTPException):
        logger.exception("The digest to the user %s could not be sent", user.pk)
        unsent = NewsPreference.objects.filter(pk=preference.pk, next_digest_at=following_at, mailed_until=until)
        unsent.update(next_digest_at=now() + RETRY_DELAY, mailed_until=preference.mailed_until)
        return False
    return True


def list_first_of_each_subject(news: Iterable[News]) -> list[News]:
    """Return these news without those of a subject that others of them have."""
    found: dict[str, News] = {}
    for one in news:
        found.setdefault(one.about, one)
    return list(found.values())


def build_digest(preference: NewsPreference, news: list[News], address: str) -> EmailMessage:
    """Return the mail of these news, in the language and with the links of who gets it."""
    site = preference.site.rstrip("/")
    stop = f"{site}{reverse('stop_digests', args=[preference.unsubscribe_key])}"
    with override(preference.language or settings.LANGUAGE_CODE):
        context = {
            "user": preference.user,
            "timing": preference.timing,
            "news": [(render_message(describe_news(one)), f"{site}{find_news_url(one)}") for one in news],
            "shown": MAX_NEWS_IN_DIGEST,
            "more": max(len(news) - MAX_NEWS_IN_DIGEST, 0),
            "count": len(news),
            "following": f"{site}{reverse('following')}",
            "stop": stop,
        }
        subject = render_to_string("account/email/digest_subject.txt", context).strip()
        text = render_to_string("account/email/digest_message.txt", context).strip() + "\n"
    return EmailMessage(
        f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}",
        text,
        to=[address],
        headers={
            "Auto-Submitted": "auto-generated",
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    )
