"""Comparisons from before reasons were messages."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from arena.comparisons.models import Comparison
from tests.old_tables import read_models

OLD = [("comparisons", "0001_initial"), ("bots", "0006_words_for_search")]


@pytest.mark.full
def test_reasons_become_messages(transactional_db: None) -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(OLD)
    tables = read_models()
    owner = tables.get_model("accounts", "User").objects.create(username="ana")
    blob = tables.get_model("bots", "Blob").objects.create(sha256="0", content=b"", size=0)
    bot = tables.get_model("bots", "Bot").objects.create(owner=owner, name="k", slug="k", game="battleline")
    version = tables.get_model("bots", "BotVersion").objects.create(bot=bot, number=1, source=blob, size=1)
    sentences = ["", "Nothing was decided in 5000 pairs.", "It was not promoted. 3 of your bots play already."]
    for sentence in sentences:
        tables.get_model("comparisons", "Comparison").objects.create(
            owner=owner, version=version, baseline=version, edition="standard", state_reason=sentence
        )
    call_command("migrate", verbosity=0)
    seen = [(str(one.state_reason), str(one.state_detail)) for one in Comparison.objects.order_by("pk")]
    assert seen == [
        ("None", "None"),
        ("Nothing was decided in 5000 pairs.", "None"),
        ("It was not promoted.", "3 of your bots play already."),
    ]
    executor = MigrationExecutor(connection)
    executor.migrate(OLD)
    old = executor.loader.project_state(OLD).apps.get_model("comparisons", "Comparison")
    back = list(old.objects.order_by("pk").values_list("state_reason", flat=True))
    call_command("migrate", verbosity=0)
    assert back == sentences
