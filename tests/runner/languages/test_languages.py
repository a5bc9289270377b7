"""Properties of all languages."""

import subprocess
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from arena.runner.languages import (
    LANGUAGES,
    BadProgramError,
    Tree,
    find_file_language,
    find_language,
    find_on_host,
    find_system_tool,
    read_output,
)
from arena.runner.match import MatchSpec, play_match
from arena.runner.program import Limits, Program, read_program
from arena.runner.sandbox.base import BotOutOfMemoryError, BuildError, Sandbox
from arena.runner.sandbox.detection import find_language_fault
from engine.registry import find_game
from tests.runner.languages.conftest import by_language, installed

SAMPLES = Path(__file__).parents[3] / "bots" / "samples"
BUILT = [key for key, language in LANGUAGES.items() if language.is_built]
every = pytest.mark.parametrize("key", by_language(LANGUAGES))

HUNGRY = {
    "javascript": b"""
        const kept = [];
        process.stdin.on("data", () => { for (;;) kept.push(new Array(1000).fill(0.5)); });
    """,
    "cpp": b"""
        #include <iostream>
        #include <vector>
        int main() { std::cin.get(); for (std::vector<std::vector<char>> kept;;) kept.emplace_back(1 << 20, 1); }
    """,
    "rust": b"""
        fn main() {
            std::io::stdin().read_line(&mut String::new()).unwrap();
            let mut kept = vec![];
            loop { kept.push(vec![1u8; 1 << 20]); }
        }
    """,
    "go": b"""
        package main
        import "os"
        func main() {
            os.Stdin.Read(make([]byte, 1))
            for kept := [][]byte{}; ; {
                block := make([]byte, 1 << 20)
                for index := range block { block[index] = 1 }
                kept = append(kept, block)
            }
        }
    """,
    "java": b"""
        public class Bot {
            public static void main(String[] arguments) throws Exception {
                System.in.read();
                for (var kept = new java.util.ArrayList<long[]>();;) kept.add(new long[1 << 17]);
            }
        }
    """,
}


def test_a_source_is_of_the_language_of_its_entry() -> None:
    for key, language in LANGUAGES.items():
        assert language.key == key
        assert find_language({language.entry, "notes.txt", "lib/bot.rb"}) is language


@pytest.mark.parametrize(
    ("paths", "sentence"),
    [
        ({"main.py", "src/bot.c"}, "no bot.py, bot.js, .* or bot at the top level"),
        ({"bot.c", "bot.py"}, "top level: bot.py, bot.c; keep one"),
    ],
)
def test_a_source_begins_with_exactly_one_entry(paths: set[str], sentence: str) -> None:
    with pytest.raises(BadProgramError, match=sentence):
        find_language(paths)


@pytest.mark.parametrize(
    ("name", "content", "key"),
    [
        ("heron.py", b"", "python"),
        ("heron.cpp", b"", "cpp"),
        ("Heron.java", b"", "java"),
        ("heron", b"\x7fELF\2\1\1", "executable"),
        ("heron.c", b"\x7fELF\2\1\1", "executable"),
    ],
)
def test_a_single_file_is_told_by_its_suffix_or_as_an_executable(name: str, content: bytes, key: str) -> None:
    assert find_file_language(name, content).key == key


@pytest.mark.parametrize("name", ["heron.rb", "heron", ".py"])
def test_a_single_file_of_another_kind_is_refused(name: str) -> None:
    with pytest.raises(BadProgramError, match="no program that is known here"):
        find_file_language(name, b"puts 1")


@every
def test_a_toolchain_builds_what_its_language_says(key: str) -> None:
    language = LANGUAGES[key]
    assert language.entry in language.canary
    toolchain = language.find()
    if toolchain is None:
        pytest.skip(f"not on this machine: {language.advice}")
    assert (toolchain.build and toolchain.build.artefact) == language.artefact
    trees = toolchain.run.trees + (toolchain.build.trees if toolchain.build else ())
    for tree in trees:
        if tree.make is None:
            assert all(any(Path(tree.host).glob(part)) for part in tree.parts), tree
        else:
            assert Path(tree.host).is_file()


@every
def test_a_canary_is_built_and_answers_in_a_sandbox(key: str, workshop: Sandbox) -> None:
    assert find_language_fault(workshop, installed(workshop, key)) is None


def test_a_canary_that_dies_says_how(workshop: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    python = LANGUAGES["python"]
    monkeypatch.setitem(LANGUAGES, "python", replace(python, canary={"bot.py": b"1 / 0"}))
    fault = find_language_fault(workshop, "python")
    assert fault is not None and "ZeroDivisionError" in str(fault)


@pytest.mark.parametrize("key", by_language(BUILT))
def test_a_source_with_an_error_is_its_authors_to_mend(key: str, workshop: Sandbox) -> None:
    entry = LANGUAGES[installed(workshop, key)].entry
    with pytest.raises(BuildError) as raised:
        workshop.build(Program("broken", 1, {entry: b"this is no program\n"}, key))
    assert f"{entry}:1" in raised.value.log


@pytest.mark.parametrize("key", by_language(HUNGRY))
def test_a_bot_that_wants_too_much_memory_is_told_so(key: str, workshop: Sandbox) -> None:
    entry = LANGUAGES[installed(workshop, key)].entry
    limits = Limits(memory_mb=64)
    program, _ = workshop.build(Program("hungry", 1, {entry: HUNGRY[key]}, key))
    process = workshop.start(program, limits)
    try:
        with pytest.raises(BotOutOfMemoryError):
            process.ask(b"\n", 5)
    finally:
        process.close()


@pytest.mark.parametrize("key", by_language(path.name for path in sorted((SAMPLES / "languages").iterdir())))
def test_the_smallest_bot_of_a_language_plays_every_game(key: str, workshop: Sandbox) -> None:
    sample, _ = workshop.build(read_program(SAMPLES / "languages" / installed(workshop, key)))
    assert sample.language == key
    opponent = read_program(SAMPLES / "random")
    for game in map(find_game, ("battleline", "battalion")):
        options = game.options("standard")
        deal = game.deal(options, 2, Random(key))
        programs = (sample, opponent)
        spec = MatchSpec(game.key, "standard", options, deal, ("salt", "pepper"), Limits(), programs)
        for leg in play_match(spec, workshop).legs:
            assert leg.record["result"]["verdicts"] == ["ok", "ok"], leg.faults


def test_all_languages_but_python_and_executables_have_a_smallest_bot() -> None:
    assert {path.name for path in (SAMPLES / "languages").iterdir()} == set(LANGUAGES) - {"python", "executable"}


def test_a_tool_is_the_real_one_and_lies_where_sandboxes_show_it() -> None:
    shell = find_system_tool("sh")
    assert shell is not None and Path(shell).is_file() and not Path(shell).is_symlink()
    assert find_system_tool("no-such-tool") is None


def test_a_tool_that_does_not_work_has_no_version() -> None:
    assert read_output("/bin/sh", "-c", "echo 1.2; exit 3") is None
    assert read_output("/no/such/tool", "--version") is None
    assert read_output("/bin/sh", "-c", "echo 1.2") == "1.2"


def test_paths_inside_a_tree_lie_on_this_machine_elsewhere() -> None:
    trees = (Tree("/home/otto/.rustup/stable", "/rust"),)
    assert find_on_host("/rust/bin/rustc", trees) == "/home/otto/.rustup/stable/bin/rustc"
    assert find_on_host("/rusty", trees) == "/rusty"


def test_the_smallest_executable_has_nothing_to_say_without_a_question(tmp_path: Path) -> None:
    canary = LANGUAGES["executable"].canary["bot"]
    if not canary:
        pytest.skip("nobody has written one for this processor")
    (tmp_path / "bot").write_bytes(canary)
    (tmp_path / "bot").chmod(0o555)
    for asked, answer in ((b"", b""), (b"one\ntwo\nhal", b'{"type":"ready"}\n' * 2)):
        done = subprocess.run([tmp_path / "bot"], input=asked, capture_output=True, check=True)
        assert done.stdout == answer
