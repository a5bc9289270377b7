"""The stories as an Atom feed."""

from datetime import datetime, time

from django.contrib.syndication.views import Feed
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.timezone import make_aware
from django.utils.translation import gettext_lazy

from arena.pages.watch.stories import StoryCard, list_cards
from arena.stories.queries.stories import list_newest_stories

STORIES_IN_FEED = 30


class StoriesFeed(Feed):  # type: ignore[type-arg]
    """The newest stories of all days."""

    feed_type = Atom1Feed
    title = "Pennant"
    subtitle = gettext_lazy("What happened on the ladders.")

    def link(self) -> str:
        """Return the address of the page with the same stories."""
        return reverse("today")

    def items(self) -> list[StoryCard]:
        """Return the stories, the newest first."""
        return list_cards(list_newest_stories(STORIES_IN_FEED))

    def item_title(self, item: StoryCard) -> str:
        """Return the headline."""
        return item.headline

    def item_description(self, item: StoryCard) -> str:
        """Return the sentence, with the kind of story before it."""
        return f"{item.kind}: {item.sentence}"

    def item_link(self, item: StoryCard) -> str:
        """Return the address of the match, the bot or the pair."""
        return item.url

    def item_guid(self, item: StoryCard) -> str:
        """Return what tells a story from all others of this arena."""
        return f"story-{item.story.pk}"

    def item_pubdate(self, item: StoryCard) -> datetime:
        """Return the beginning of the day of the story."""
        return make_aware(datetime.combine(item.story.day, time()))
