"""Find whom and what users follow."""

from collections.abc import Iterable, Sequence

from django.db.models import Q, QuerySet

from arena.accounts.models import User
from arena.accounts.queries import list_authors
from arena.bots.models import Bot
from arena.following.models import Follow, News, NewsPreference, Timing
from arena.ladders.models import Ladder

Subject = Bot | User | Ladder
"""What can be followed. A ladder stands for all seasons of its edition."""


def build_subject_lookup(subject: Subject) -> dict[str, object]:
    """Return the fields of a follow of a bot, an author or a ladder."""
    if isinstance(subject, Bot):
        return {"bot": subject}
    return {"author": subject} if isinstance(subject, User) else {"game": subject.game, "edition": subject.edition}


def find_follow(user: User, subject: Subject) -> Follow | None:
    """Return the follow of this user, or None."""
    return Follow.objects.filter(user=user, **build_subject_lookup(subject)).first()


def list_follows(user: User) -> QuerySet[Follow]:
    """List what a user follows and may see, newest first, with bots and authors."""
    seen = Q(bot=None) | Q(bot__in=Bot.objects.visible_to(user))
    seen &= Q(author=None) | Q(author__in=list_authors())
    return Follow.objects.filter(seen, user=user).select_related("bot__owner", "author")


def attach_ladders(follows: Iterable[Follow]) -> None:
    """Set `ladder` of these follows: the latest season of each ladder; None for bots and authors."""
    latest: dict[tuple[str, str], Ladder] = {}
    editions = [(one.game, one.edition) for one in follows if one.game]
    if editions:
        seasons = Ladder.objects.public().filter(_is_any_edition(editions)).defer("secret").order_by("season")
        latest = {(one.game, one.edition): one for one in seasons}
    for follow in follows:
        follow.ladder = latest.get((follow.game, follow.edition))


def count_follows(user: User) -> int:
    """Count what a user follows."""
    return list_follows(user).count()


def list_followers_told_at_once(news: Sequence[News]) -> QuerySet[User]:
    """List the users who want to know at once, and follow any bot, author or ladder of these news."""
    bots = {key for one in news for key in (one.bot_id, one.other_id) if key}
    authors = {key for one in news if one.bot for key in one.bot.author_keys}
    concerned = Q(bot__in=bots) | Q(author__in=authors)
    concerned |= _is_any_edition({(one.ladder.game, one.ladder.edition) for one in news if one.ladder})
    followers = User.objects.filter(is_active=True, pk__in=Follow.objects.filter(concerned).values("user"))
    return followers.exclude(news_preference__timing__in=[one for one in Timing if one != Timing.AT_ONCE])


def _is_any_edition(editions: Iterable[tuple[str, str]]) -> Q:
    """Return the condition of rows with one of these games and editions; of no rows if there are none."""
    found = Q(pk__in=[])
    for game, edition in editions:
        found |= Q(game=game, edition=edition)
    return found


def find_preference(user: User) -> NewsPreference | None:
    """Return how a user chose to be told of news; None if it never chose."""
    return NewsPreference.objects.filter(user=user).first()


def find_timing(user: User) -> Timing:
    """Return when a user is told of news."""
    preference = find_preference(user)
    return Timing(preference.timing) if preference else Timing.AT_ONCE


def find_preference_to_unsubscribe(key: str) -> NewsPreference | None:
    """Return the preference whose mails have this key in their link, or None."""
    return NewsPreference.objects.filter(unsubscribe_key=key).select_related("user").first()
