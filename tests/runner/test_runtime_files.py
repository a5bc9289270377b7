"""What bots of each language see of this machine: the files their language runs on, in memory."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from arena.runner.languages.base import Tree
from arena.runner.sandbox import NoSandboxError
from arena.runner.sandbox.bwrap import BwrapSandbox
from arena.runner.sandbox.runtime_files import list_memory_folders, prepare_runtime
from tests.runner.conftest import QUICK, written
from tests.runner.sandboxes import find_bwrap


@pytest.fixture(scope="module")
def box() -> BwrapSandbox:
    try:
        found = find_bwrap()
    except NoSandboxError as missing:
        pytest.skip(f"no bubblewrap: {missing}")
    assert isinstance(found, BwrapSandbox)
    if not list_memory_folders():
        pytest.skip("no folder in memory allows programs")
    return found


def test_a_bot_sees_its_interpreter_and_no_other_program(box: BwrapSandbox) -> None:
    source = "import os\ninput()\nprint(*sorted(os.listdir('/usr/bin') + os.listdir('/bin')), flush=True)"
    with closing(box.start(written(source), QUICK)) as bot:
        seen = bot.ask(b"\n", 2).decode().split()
    python = os.path.basename(box.languages["python"].run.argv[0])
    assert set(seen) - {python} == {"prlimit", "sh"}


def test_all_files_it_sees_are_in_memory(box: BwrapSandbox) -> None:
    with closing(box.start(written("input()\nprint(1, flush=True)\ninput()"), QUICK)) as bot:
        bot.ask(b"\n", 2)
        mounts = Path(f"/proc/{bot.pid}/mountinfo").read_text().splitlines()
    assert {line.partition(" - ")[2].split()[0] for line in mounts} == {"tmpfs"}


def test_a_changed_file_gets_a_folder_of_its_own(box: BwrapSandbox, open_folder: Path) -> None:
    run = box.languages["python"].run
    word = open_folder / "word"
    made = []
    for number, text in enumerate(("one", "two")):
        word.write_text(text)
        os.utime(word, (number, number))
        tree = Tree(str(open_folder), "/words", ("word",))
        runtime = prepare_runtime(type(run)(("/words/word",), trees=(tree,)), ("/bin/sh",))
        assert runtime is not None
        made.append(runtime.folder)
    assert [(folder / "words/word").read_text() for folder in made] == ["one", "two"]
