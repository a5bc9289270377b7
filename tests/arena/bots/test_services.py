import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils.timezone import now

from arena.bots.models import Blob, Bot, BotVersion
from arena.bots.services import (
    BUILD_LEASE,
    BadName,
    claim_build,
    create_bot,
    postpone_build,
    record_trial_result,
    reject_build,
    renew_build,
    store_build,
    submit_version,
)
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.people.accounts.models import User
from arena.runner.archive import Upload
from arena.runner.program import Program
from engine.message import literal
from tests.arena.capabilities import able
from tests.conftest import MakeVersion


@pytest.fixture
def kingfisher(ana: User) -> Bot:
    return create_bot(owner=ana, name="King  Fisher", game="battleline")


def test_a_bot_is_found_by_its_slug(kingfisher: Bot) -> None:
    assert (kingfisher.name, kingfisher.slug) == ("King Fisher", "king-fisher")


def test_a_name_is_given_once(kingfisher: Bot, ben: User) -> None:
    with pytest.raises(Conflict, match="King Fisher"):
        create_bot(owner=ben, name="king fisher", game="battleline")


@pytest.mark.parametrize("name", ["", "  ", "!!!", "x" * 41, "a\x07b"])
def test_an_unusable_name_is_refused(ana: User, name: str) -> None:
    with pytest.raises(BadName):
        create_bot(owner=ana, name=name, game="battleline")


def test_an_unknown_game_is_refused(ana: User) -> None:
    with pytest.raises(ArenaError, match="'chess'"):
        create_bot(owner=ana, name="Deep", game="chess")


def submit(bot: Bot, content: bytes, entry: str = "bot.py") -> BotVersion:
    version, is_new = submit_version(owner=bot.owner, bot=bot, files=Upload({entry: content}))
    assert is_new
    return version


def test_uploads_are_numbered_and_wait_for_their_trial(kingfisher: Bot) -> None:
    versions = [submit(kingfisher, text) for text in (b"1", b"22")]
    assert [(version.number, version.state, version.size) for version in versions] == [
        (1, "on_trial", 1),
        (2, "on_trial", 2),
    ]
    assert versions[1].files == {"bot.py": b"22"}
    assert versions[1].program == Program("King Fisher", 2, {"bot.py": b"22"})


def test_the_same_files_again_are_the_same_version(ana: User, kingfisher: Bot) -> None:
    first = submit(kingfisher, b"1")
    submit(kingfisher, b"2")
    assert submit_version(owner=ana, bot=kingfisher, files=Upload({"bot.py": b"1"})) == (first, False)
    assert kingfisher.versions.count() == 2


def test_another_bot_may_have_the_same_files_which_are_kept_once(ana: User, kingfisher: Bot) -> None:
    heron = create_bot(owner=ana, name="Heron", game="battleline")
    versions = [submit(bot, b"1") for bot in (kingfisher, heron)]
    assert versions[0].sha256 == versions[1].sha256 == Blob.objects.get().sha256


class TestALanguageThatIsBuilt:
    BUILT = Program("King Fisher", 1, {"bot": b"\x7fELF"}, "c")

    @pytest.fixture
    def version(self, kingfisher: Bot) -> BotVersion:
        return submit(kingfisher, b"int main(){}", "bot.c")

    def test_waits_to_be_built(self, version: BotVersion) -> None:
        assert (version.state, version.language) == ("building", "c")
        assert version.program == Program("King Fisher", 1, {"bot.c": b"int main(){}"}, "c")

    def test_waits_for_its_trial_once_it_is_built(self, version: BotVersion) -> None:
        assert store_build(version=version, program=self.BUILT, log="warning: \0")
        version = BotVersion.objects.get()
        assert (version.state, version.build_log) == ("on_trial", "warning: \ufffd")
        assert version.program == self.BUILT
        assert version.files == {"bot.c": b"int main(){}"}

    def test_is_rejected_where_it_does_not_build(self, version: BotVersion) -> None:
        assert reject_build(version=version, detail=literal("no luck"), log="bot.c:1: error")
        version = BotVersion.objects.get()
        assert (version.state, str(version.state_reason)) == ("rejected", "It couldn't be built.")
        assert version.build_log == "bot.c:1: error"

    def test_is_built_once(self, version: BotVersion) -> None:
        assert store_build(version=version, program=self.BUILT, log="")
        assert not store_build(version=version, program=self.BUILT, log="again")
        assert not reject_build(version=version, detail=literal("no luck"), log="again")
        assert BotVersion.objects.get().build_log == ""

    def test_is_claimed_by_one_worker_which_keeps_it_while_it_builds(self, version: BotVersion) -> None:
        assert claim_build(able("go")) is None and claim_build(able("c"), waited=timedelta(seconds=9)) is None
        assert claim_build(able("c")) == version and claim_build(able("c")) is None
        BotVersion.objects.update(build_due_at=now() + timedelta(seconds=1))
        renew_build(version=version)
        assert BotVersion.objects.get().build_due_at > now() + BUILD_LEASE - timedelta(seconds=5)

    def test_is_claimed_again_where_its_worker_stopped(self, version: BotVersion) -> None:
        assert claim_build(able("c")) == version
        BotVersion.objects.update(build_due_at=now() - timedelta(seconds=1))
        assert claim_build(able("c")) == version

    def test_is_tried_again_with_growing_pauses_where_the_arena_failed(self, version: BotVersion) -> None:
        pauses = []
        for _ in range(7):
            version.refresh_from_db()
            postpone_build(version=version)
            pauses.append(round((BotVersion.objects.get().build_due_at - now()).total_seconds()))
        assert pauses == [5, 15, 45, 120, 300, 600, 600] and BotVersion.objects.get().state == "building"

    def test_is_not_judged_before(self, version: BotVersion) -> None:
        assert not record_trial_result(version=version, fault=None)


def test_only_its_author_adds_versions(kingfisher: Bot, ben: User) -> None:
    with pytest.raises(NotYours):
        submit_version(owner=ben, bot=kingfisher, files=Upload({"bot.py": b"1"}))


def test_a_version_is_judged_once(ana: User, make_version: MakeVersion) -> None:
    version = make_version(ana, "k", state=BotVersion.State.ON_TRIAL)
    assert record_trial_result(version=version, fault=literal("It fell asleep."), detail=literal("It said so."))
    assert not record_trial_result(version=version, fault=None)
    version.refresh_from_db()
    assert (version.state, version.state_reason) == ("rejected", literal("It fell asleep."))
    assert version.state_detail == literal("It said so.")


@pytest.mark.django_db(transaction=True)
def test_the_same_files_sent_several_times_at_once_are_one_version(ana: User, kingfisher: Bot) -> None:
    answers: list[tuple[BotVersion, bool]] = []

    def send() -> None:
        answers.append(submit_version(owner=ana, bot=kingfisher, files=Upload({"bot.py": b"1"})))
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(is_new for _, is_new in answers) == [False, False, False, True]
    assert {version.pk for version, _ in answers} == {kingfisher.versions.get().pk}
