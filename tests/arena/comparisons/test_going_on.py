"""A comparison in the hands of the conductor."""

import json
from base64 import b64decode

import pytest

from arena import tasks
from arena.comparisons.services import start_comparison
from arena.matches.models import Match


@pytest.fixture
def left(messages, django_capture_on_commit_callbacks):
    """Do something; the names of the tasks that messages were left for, and their arguments."""

    def do(action, *arguments):
        before = set(messages())
        with django_capture_on_commit_callbacks(execute=True):
            action(*arguments)
        contents = [json.loads(message.read_text()) for message in messages() if message not in before]
        return sorted(
            (content["headers"]["task"].rpartition(".")[2], *json.loads(b64decode(content["body"]))[0])
            for content in contents
        )

    return do


def test_each_result_that_is_in_makes_room_for_the_next(ana, new, left, play, settings):
    settings.COMPARISON_WAITING = 2
    comparison = start_comparison(owner=ana, version=new)
    assert left(tasks.play_comparison, comparison.pk) == [("play_next",)] * 2
    match = Match.objects.queued().first()
    assert play(match)
    assert left(tasks.settle_match, match.pk) == [("play_comparison", comparison.pk)]
    comparison.refresh_from_db()
    assert comparison.pairs == 1 and sum(comparison.result_counts) == 1
    assert left(tasks.play_comparison, comparison.pk) == [("play_next",)]
    assert left(tasks.settle_match, match.pk) == []
