"""Find the news for a user: of what that user follows, and may see at this moment."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot, TeamMember
from arena.following.models import Follow, News
from arena.matches.models import Match
from arena.tournaments.queries.tournaments import listed_for

Kind = News.Kind
KINDS_OF_BOT = (Kind.VERSION, Kind.PLACE, Kind.TITLE, Kind.MATCH_OF_THE_DAY, Kind.UPSET)
KINDS_OF_AUTHOR = (Kind.NEW_BOT, Kind.TITLE)
KINDS_OF_LADDER = (Kind.LEADER, Kind.SEASON, Kind.MATCH_OF_THE_DAY)


def list_news_for(user: User) -> QuerySet[News]:
    """List the news since a user began to follow what they concern, with all that their sentences need.

    An author isn't told that an own version was accepted, of which there is a notice already.
    """
    followed = Follow.objects.filter(user=user, created_at__lte=OuterRef("happened_at"))
    of_bot = Exists(followed.filter(bot=OuterRef("bot"))) | Exists(followed.filter(bot=OuterRef("other")))
    of_author = Q(Exists(followed.filter(author=OuterRef("bot__owner"))))
    co_authors = TeamMember.objects.joined().filter(bot=OuterRef(OuterRef("bot")))
    of_author |= Q(Exists(followed.filter(author__in=co_authors.values("user"))))
    of_ladder = Exists(followed.filter(game=OuterRef("ladder__game"), edition=OuterRef("ladder__edition")))
    concerned = Q(kind__in=KINDS_OF_BOT) & Q(of_bot)
    concerned |= Q(kind__in=KINDS_OF_AUTHOR) & of_author
    concerned |= Q(kind__in=KINDS_OF_LADDER) & Q(of_ladder)
    is_own = Q(kind__in=[Kind.VERSION, Kind.NEW_BOT], bot__in=Bot.objects.of_authors([user]))
    found = News.objects.filter(concerned & ~is_own & _may_see(user))
    return found.select_related("bot__owner", "other", "ladder", "tournament").defer("ladder__secret")


def _may_see(user: User) -> Q:
    """Return the condition of news that tell of nothing that the user may not see."""
    bots = Bot.objects.visible_to(user)
    seen = Q(bot=None) | Q(bot__in=bots)
    seen &= Q(other=None) | Q(other__in=bots)
    seen &= Q(match=None) | Q(match__in=Match.objects.visible_to(user))
    return seen & (Q(tournament=None) | Q(tournament__in=listed_for(user)))
