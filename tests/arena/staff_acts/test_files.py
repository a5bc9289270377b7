"""Files of bots that are removed for good."""

import pytest

from arena.accounts.models import User
from arena.bots.models import Blob, BotVersion
from arena.bots.services import submit_version
from arena.comparisons.models import Comparison
from arena.comparisons.services import queue_comparison_matches, start_comparison
from arena.errors import ArenaError, Conflict
from arena.ladders.models import Entry
from arena.ladders.services.entering import enter_version
from arena.ladders.services.pairing import queue_ladder_matches
from arena.matches.models import Match
from arena.matches.services import claim_next
from arena.personal_data.export import write_export
from arena.staff_acts.files import RemoveFiles
from arena.tasks import settle_match
from arena.tournaments.models import Entrant
from tests.arena.staff_acts.conftest import Do
from tests.arena.tournaments.world import make_tournament
from tests.conftest import FIRST_LEGAL, MakeVersion, Play

OWN = FIRST_LEGAL + b"\n# her own\n"


@pytest.fixture
def versions(ana: User, make_version: MakeVersion) -> list[BotVersion]:
    """Two versions of Ana's bot: the first has the files of every other bot here, the second files of its own."""
    return [make_version(ana, "Kingfisher"), make_version(ana, "Kingfisher", OWN)]


@pytest.fixture
def rival(ben: User, make_version: MakeVersion) -> BotVersion:
    return make_version(ben, "Heron")


@pytest.mark.usefixtures("rival")
def test_blobs_go_that_nobody_else_has_and_hashes_stay(versions, do: Do):
    hashes = [version.sha256 for version in versions]
    bot = versions[0].bot
    assert "2 versions of Kingfisher" in RemoveFiles(bot).describe()
    assert "1 blob of" in do(RemoveFiles(bot))
    assert list(Blob.objects.values_list("pk", flat=True)) == [hashes[0]]
    for version, sha256 in zip(versions, hashes, strict=True):
        version.refresh_from_db()
        assert (version.sha256, version.has_files, version.state) == (sha256, False, "rejected")
        assert str(version.state_reason) == "The staff of this arena has removed its files."
    with pytest.raises(Conflict, match="Nothing is left"):
        RemoveFiles(bot).describe()


def test_one_version_goes_and_the_others_stay(versions, do):
    with pytest.raises(ArenaError, match="no version 7"):
        RemoveFiles(versions[0].bot, [7]).describe()
    do(RemoveFiles(versions[0].bot, [2]))
    assert [version.has_files for version in BotVersion.objects.order_by("number")] == [True, False]


def test_a_build_goes_with_its_log_and_the_source_can_come_again(ana, versions, do):
    binary = Blob.objects.create(sha256="b" * 64, content=b"", size=0)
    BotVersion.objects.filter(pk=versions[1].pk).update(binary=binary, build_log="bot.c: int main()")
    do(RemoveFiles(versions[1].bot))
    version = BotVersion.objects.get(pk=versions[1].pk)
    assert (version.binary, version.build_log) == (None, "") and not Blob.objects.exists()
    again, is_new = submit_version(owner=ana, bot=version.bot, files={"bot.py": OWN})
    assert is_new and again.number == 3


def test_what_was_played_stays_and_nothing_more_is(ladder, versions, rival, do, play: Play, client):
    for version in (versions[1], rival):
        enter_version(ladder=ladder, version=version)
    played, *_ = queue_ladder_matches(ladder=ladder)
    assert play(played)
    settle_match(played.pk)
    comparison = start_comparison(owner=versions[0].bot.owner, version=versions[1])
    queue_comparison_matches(comparison=comparison)
    make_tournament([versions[1].bot])
    queue_ladder_matches(ladder=ladder)
    do(RemoveFiles(versions[1].bot, [2]))
    assert not Match.objects.queued().exists() and claim_next(worker="w") is None
    assert queue_ladder_matches(ladder=ladder) == []
    assert Entry.objects.get(version=versions[1]).state == Entry.State.RETIRED
    comparison.refresh_from_db()
    assert comparison.state == Comparison.State.STOPPED and "removed its files" in str(comparison.state_reason)
    assert Entrant.objects.get().state == Entrant.State.WITHDRAWN
    assert client.get(f"/matches/{played.pk}/").status_code == 200
    assert played.legs.exclude(record=None).count() == 2


def test_pages_api_and_export_of_a_version_without_files(ana, versions, do, client, tmp_path):
    do(RemoveFiles(versions[1].bot, [2]))
    client.force_login(ana)
    page = client.get(versions[1].get_absolute_url(), headers={"Accept-Language": "hu"}).content.decode()
    assert "eltávolították a fájljait" in page and "source.zip" not in page
    assert client.get("/bots/kingfisher/v/2/source.zip").status_code == 404
    assert client.get("/api/v1/bots/kingfisher/versions/2/source/").status_code == 410
    api = client.get("/api/v1/bots/kingfisher/versions/2/").json()
    assert api["sha256"] == versions[1].sha256
    with (tmp_path / "ana.zip").open("wb") as file:
        write_export(user=ana, file=file)


def test_the_arenas_own_bots_keep_theirs(house, make_version):
    with pytest.raises(Conflict, match="belongs to the arena"):
        RemoveFiles(make_version(house, "sample").bot).describe()
