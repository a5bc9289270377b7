from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.runner.program import (
    FREE_MS_PER_ANSWER,
    MAX_FILES,
    WALL_TIME_FACTOR,
    BadProgramError,
    Clock,
    Limits,
    OutOfTimeError,
    Program,
    TimeSpent,
    read_program,
)


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a//b", "./a", "a/../../b", "a/", "", "nul\0", "\ud800", "x" * 201, "bot.py/x"]
)
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    with pytest.raises(BadProgramError):
        Program("bot", 1, {"bot.py": b"", path: b""})


@pytest.mark.parametrize(("language", "entry"), [("python", "bot.py"), ("java", "Bot.java")])
def test_a_program_begins_with_the_entry_of_its_language(language: str, entry: str) -> None:
    with pytest.raises(BadProgramError, match=f"no {entry}"):
        Program("bot", 1, {"main.py": b""}, language)


def test_what_was_built_is_a_program_too() -> None:
    assert Program("bot", 1, {"bot.jar": b""}, "java").files
    with pytest.raises(BadProgramError, match="no bot.c"):
        Program("bot", 1, {"bot.jar": b""}, "c")


def test_a_language_nobody_knows_is_refused() -> None:
    with pytest.raises(BadProgramError, match="no language 'ruby'"):
        Program("bot", 1, {"bot.rb": b""}, "ruby")


def test_a_program_has_no_more_files_than_can_be_open_at_once() -> None:
    with pytest.raises(BadProgramError, match="too many"):
        Program("bot", 1, {"bot.py": b""} | {f"{number}.txt": b"" for number in range(MAX_FILES)})


def test_a_folder_is_read_with_its_folders_and_without_leavings(tmp_path: Path) -> None:
    kingfisher = tmp_path / "kingfisher"
    for path in ("bot.py", "tables/book.txt", "__pycache__/bot.pyc", ".git/config"):
        (kingfisher / path).parent.mkdir(parents=True, exist_ok=True)
        (kingfisher / path).write_text(path)
    program = read_program(kingfisher)
    assert program.name == "kingfisher"
    assert program.files == {"bot.py": b"bot.py", "tables/book.txt": b"tables/book.txt"}


def test_a_single_file_is_a_program(tmp_path: Path) -> None:
    (tmp_path / "heron.py").write_text("pass")
    assert read_program(tmp_path / "heron.py") == Program("heron", 1, {"bot.py": b"pass"})


def test_a_single_file_of_another_language_becomes_its_entry(tmp_path: Path) -> None:
    (tmp_path / "heron.c").write_text("int main;")
    assert read_program(tmp_path / "heron.c") == Program("heron", 1, {"bot.c": b"int main;"}, "c")


def test_a_folder_is_of_the_language_of_its_entry(tmp_path: Path) -> None:
    for name in ("Bot.java", "Wing.java", "setup.py"):
        (tmp_path / name).touch()
    assert read_program(tmp_path).language == "java"


def test_a_bot_py_is_called_after_its_folder(tmp_path: Path) -> None:
    (tmp_path / "egret").mkdir()
    (tmp_path / "egret" / "bot.py").write_text("pass")
    assert read_program(tmp_path / "egret" / "bot.py").name == "egret"


def test_a_folder_without_an_entry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadProgramError, match=f"{tmp_path}: no bot.py, .* at the top level"):
        read_program(tmp_path)


TIMES = st.floats(0, 5000)


def computed(ms: float) -> TimeSpent:
    """An answer by a bot that does nothing but compute."""
    return TimeSpent(wall_ms=ms, cpu_ms=ms)


def test_a_bot_pays_for_what_it_computes() -> None:
    assert TimeSpent(wall_ms=300, cpu_ms=200).cost_ms == 200
    assert TimeSpent(wall_ms=100, cpu_ms=190).cost_ms == 190


def test_for_sleeping_a_bot_pays_a_part() -> None:
    assert TimeSpent(wall_ms=300, cpu_ms=10).cost_ms == 300 / WALL_TIME_FACTOR


def test_nobody_pays_for_a_late_machine() -> None:
    assert TimeSpent(wall_ms=5000, cpu_ms=100, late_ms=4900).cost_ms == 100
    assert TimeSpent(wall_ms=5000, cpu_ms=100, late_ms=4000).cost_ms == 500


@given(TIMES, TIMES, TIMES)
def test_lateness_never_makes_an_answer_dearer_nor_computing_cheaper(wall: float, cpu: float, late: float) -> None:
    assert cpu <= TimeSpent(wall, cpu, late).cost_ms <= TimeSpent(wall, cpu).cost_ms


def test_a_quick_answer_costs_nothing() -> None:
    clock = Clock(1000, 500)
    clock.charge(computed(FREE_MS_PER_ANSWER))
    assert clock.bank_ms == 500


def test_only_what_goes_beyond_the_free_time_comes_out_of_the_bank() -> None:
    clock = Clock(1000, 500)
    clock.charge(computed(120))
    assert clock.bank_ms == 400


def test_a_bot_that_mostly_waits_uses_up_the_elapsed_time() -> None:
    clock = Clock(1000, 30000, elapsed_left_ms=500)
    clock.charge(TimeSpent(wall_ms=FREE_MS_PER_ANSWER, cpu_ms=0))
    clock.charge(TimeSpent(wall_ms=900, cpu_ms=0, late_ms=500))
    with pytest.raises(OutOfTimeError, match="mostly by waiting"):
        clock.charge(TimeSpent(wall_ms=150, cpu_ms=0))


@given(st.lists(st.floats(0, 1000)))
def test_a_bot_that_computes_has_elapsed_time_as_long_as_its_bank_lasts(answers: list[float]) -> None:
    limits = Limits(start_ms=0, bank_ms=2000)
    clock = Clock(limits.move_ms, limits.bank_ms, limits.elapsed_ms)
    for took in answers:
        if took - FREE_MS_PER_ANSWER >= clock.bank_ms:
            break
        clock.charge(computed(took))


def test_an_answer_at_the_hard_limit_is_in_time() -> None:
    Clock(1000, 30000).charge(computed(1000))
    Clock(1000, 30000).charge(TimeSpent(wall_ms=2000, cpu_ms=0))


@pytest.mark.parametrize(
    ("spent", "sentence"),
    [
        (
            TimeSpent(1400, 1001),
            "the answer cost 1001 ms (1001 ms of CPU time in 1400 ms); the limit is 1000 ms",
        ),
        (
            TimeSpent(2100, 3, 60),
            "the answer cost 1020 ms (3 ms of CPU time in 2100 ms, including 60 ms of server delay); "
            "the limit is 1000 ms",
        ),
    ],
)
def test_an_answer_beyond_the_hard_limit_is_late_however_full_the_bank(spent: TimeSpent, sentence: str) -> None:
    with pytest.raises(OutOfTimeError) as raised:
        Clock(1000, 30000).charge(spent)
    assert str(raised.value) == sentence


def test_an_answer_that_empties_the_bank_is_late() -> None:
    with pytest.raises(OutOfTimeError, match="used up this leg's time bank"):
        Clock(1000, 100).charge(computed(120))


def test_a_bot_without_a_bank_lives_on_quick_answers() -> None:
    clock = Clock(1000, 0)
    clock.charge(computed(15))
    assert clock.allowance_ms == FREE_MS_PER_ANSWER
    with pytest.raises(OutOfTimeError):
        clock.charge(computed(21))


def test_the_allowance_is_the_smaller_of_hard_limit_and_bank() -> None:
    assert Clock(1000, 30000).allowance_ms == 1000
    assert Clock(1000, 300).allowance_ms == 320


@given(st.lists(st.floats(0, 2000), max_size=50), st.floats(1, 1000), st.floats(0, 5000))
def test_a_bot_that_keeps_to_the_allowance_never_goes_below_nothing(
    answers: list[float], move: float, bank: float
) -> None:
    clock = Clock(move, bank)
    taken = 0.0
    for took in answers:
        took = min(took, clock.allowance_ms)
        taken += max(0.0, took - FREE_MS_PER_ANSWER)
        try:
            clock.charge(computed(took))
        except OutOfTimeError:
            assert clock.bank_ms == 0
            return
        assert clock.bank_ms == pytest.approx(bank - taken, abs=1e-6)
    assert clock.answers == len(answers)
