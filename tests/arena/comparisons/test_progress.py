"""A comparison continues as its matches finish."""

import json
from base64 import b64decode

import pytest

from arena import tasks
from arena.comparisons.services import start_comparison
from arena.matches.models import Match


@pytest.fixture
def run_and_list_tasks(messages, django_capture_on_commit_callbacks):
    """Return a function that performs an action and returns the tasks it has queued, with their arguments."""

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


def test_each_stored_result_queues_another_match(ana, new, run_and_list_tasks, play, settings):
    settings.MAX_WAITING_MATCHES_PER_COMPARISON = 2
    comparison = start_comparison(owner=ana, version=new)
    assert run_and_list_tasks(tasks.play_comparison, comparison.pk) == [("play_next",)] * 2
    match = Match.objects.queued().first()
    assert play(match)
    assert run_and_list_tasks(tasks.settle_match, match.pk) == [("play_comparison", comparison.pk)]
    comparison.refresh_from_db()
    assert comparison.pairs == 1 and sum(comparison.result_counts) == 1
    assert run_and_list_tasks(tasks.play_comparison, comparison.pk) == [("play_next",)]
    assert run_and_list_tasks(tasks.settle_match, match.pk) == []
