import json
import random
from dataclasses import replace

import pytest

from arena.runner.match import (
    FAULTS,
    LEG_PAUSE_S,
    VERDICTS,
    LegProgress,
    LegReport,
    MatchReport,
    MatchSpec,
    list_seatings,
    play_match,
)
from arena.runner.program import Limits, Program, Verdict
from arena.runner.sandbox.base import BotError, BotProcess, Sandbox, SandboxError
from engine.registry import find_game
from engine.replay import verify
from engine.series import SeriesLength
from tests.runner.conftest import FIRST, LAST, QUICK, SAMPLES, PlayToy, sample, written
from tests.runner.conftest import toy as toy


def mirrored_pair(*programs: Program) -> MatchSpec:
    game = find_game("battleline")
    options = game.options("standard")
    deal = game.deal(options, 2, random.Random(1))
    return MatchSpec("battleline", "standard", options, deal, ("a", "b"), Limits(), programs)


def leg(seating: tuple[int, ...], places: list[int]) -> LegReport:
    record = {"result": {"places": places}}
    nothing = tuple(None for _ in seating)
    return LegReport(seating, record, ("",) * len(seating), nothing, (0.0,) * len(seating), *[(0,) * len(seating)] * 3)


def test_everybody_sits_everywhere_once() -> None:
    assert list_seatings(2) == [(0, 1), (1, 0)]
    assert list_seatings(3) == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    for participants in range(2, 6):
        for seat in range(participants):
            assert sorted(seating[seat] for seating in list_seatings(participants)) == list(range(participants))


def test_points_are_the_mean_over_the_legs() -> None:
    assert MatchReport((leg((0, 1), [1, 2]), leg((1, 0), [2, 1]))).points == (1, 0)
    assert MatchReport((leg((0, 1), [1, 2]), leg((1, 0), [1, 2]))).points == (0.5, 0.5)
    assert MatchReport((leg((0, 1), [1, 1]), leg((1, 0), [2, 1]))).points == (0.75, 0.25)


def test_points_between_many_are_the_share_left_behind() -> None:
    assert MatchReport((leg((2, 0, 1), [1, 2, 3]),)).points == (0.5, 0, 1)
    assert MatchReport((leg((0, 1, 2), [2, 1, 2]),)).points == (0.25, 1, 0.25)


def test_a_match_is_the_same_deal_with_the_seats_swapped(sandbox: Sandbox) -> None:
    beats = []
    spec = mirrored_pair(sample("random"), replace(sample("random"), name="other", version=7))
    report = play_match(spec, sandbox, lambda underway: beats.append((underway.leg, len(underway.actions))))
    first, second = (leg.record for leg in report.legs)
    assert [seat["name"] for seat in first["seats"]] == ["random", "other"]
    assert [seat["name"] for seat in second["seats"]] == ["other", "random"]
    assert second["seats"][0]["version"] == 7
    assert first["deal"] == second["deal"]
    assert first["deal_hash"] != second["deal_hash"]
    starts = 4
    assert len(beats) == starts + len(first["actions"]) + len(second["actions"])
    told = [(1, 0)] * 2 + [(1, n) for n in range(len(first["actions"]))]
    assert beats == told + [(2, 0)] * 2 + [(2, n) for n in range(len(second["actions"]))]
    for record in (first, second):
        assert record["result"]["verdicts"] == ["ok", "ok"] and "arena" not in record
        verify(record)


def test_records_name_the_version_of_the_arena(bare: Sandbox) -> None:
    spec = replace(mirrored_pair(sample("random"), sample("random")), arena="1.2.3")
    for played in play_match(spec, bare).legs:
        assert played.record["arena"] == "1.2.3"
        verify(played.record)


def test_a_record_with_a_forfeit_is_verified(bare: Sandbox) -> None:
    for name in ("crashes", "illegal", "exits"):
        for played in play_match(mirrored_pair(sample(f"faulty/{name}"), sample("random")), bare).legs:
            verify(played.record)


def toy_match(*programs: Program) -> MatchSpec:
    salts = tuple("abcd"[: len(programs)])
    return MatchSpec("toy", "plain", {"padding": 0}, {}, salts, QUICK, programs)


LINGERS = b"""
import json, sys, time
for line in sys.stdin:
    kind = json.loads(line)["type"]
    if kind == "hello":
        print('{"type":"ready"}', flush=True)
    elif kind == "turn":
        print(json.dumps({"action": "say 1", "note": str(time.perf_counter())}), flush=True)
    elif kind == "end":
        print("the end", file=sys.stderr, flush=True)
        time.sleep(0.5)
        print("half a second later", file=sys.stderr, flush=True)
"""


@pytest.mark.usefixtures("toy")
def test_a_leg_does_not_begin_when_a_bot_of_the_last_one_pleases(sandbox: Sandbox) -> None:
    lingers = Program("lingers", 1, {"bot.py": LINGERS})
    spec = replace(toy_match(lingers, lingers), limits=replace(QUICK, start_ms=9000), keeps_legs_apart=True)
    first, second = play_match(spec, sandbox).legs
    assert ["half a second later" in log for leg in (first, second) for log in leg.stderr] == [False] * 2 + [True] * 2
    assert float(second.record["actions"][0]["note"]) - first.ended_at >= LEG_PAUSE_S


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("participants", [2, 3, 4])
def test_a_match_of_many_is_a_leg_for_every_rotation_of_the_seats(bare: Sandbox, participants: int) -> None:
    programs = [replace(LAST if number == 0 else FIRST, name=f"bot {number}") for number in range(participants)]
    report = play_match(toy_match(*programs), bare)
    seated = [[seat["name"] for seat in leg.record["seats"]] for leg in report.legs]
    names = [program.name for program in programs]
    assert seated == [names[first:] + names[:first] for first in range(participants)]
    assert report.points == (1, *[pytest.approx((participants - 2) / 2 / (participants - 1))] * (participants - 1))
    for played in report.legs:
        verify(played.record)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("name", ["crashes", "silent", "exits", "illegal", "garbage"])
def test_a_forfeit_at_a_larger_table_costs_the_offender_alone_and_is_verified(bare: Sandbox, name: str) -> None:
    report = play_match(toy_match(FIRST, sample(f"faulty/{name}"), LAST), bare)
    assert report.points == (0.5, 0, 1)
    for played in report.legs:
        verify(played.record)
        verdicts = played.record["result"]["verdicts"]
        assert [verdict == "ok" for verdict in verdicts] == [participant != 1 for participant in played.seating]
        assert [fault is None for fault in played.faults] == [verdict == "ok" for verdict in verdicts]
        assert sum(entry["action"] == "forfeit" for entry in played.record["actions"]) == 1


@pytest.mark.usefixtures("toy")
def test_offenders_go_out_one_by_one_until_one_is_left(bare: Sandbox) -> None:
    bots = sample("faulty/crashes"), sample("faulty/garbage"), FIRST, sample("faulty/exits")
    for played in play_match(toy_match(*bots), bare).legs:
        verify(played.record)
        verdicts = dict(zip(played.seating, played.record["result"]["verdicts"], strict=True))
        assert verdicts == {0: "crash", 1: "malformed", 2: "ok", 3: "start"}
        assert played.record["result"]["places"][played.seating.index(2)] == 1


@pytest.mark.usefixtures("toy")
def test_who_is_left_alone_before_being_asked_has_no_verdict(bare: Sandbox) -> None:
    for played in play_match(toy_match(*[sample("faulty/exits")] * 3), bare).legs:
        verify(played.record)
        assert played.record["result"]["verdicts"] == ["start", "start", "ok"]
        assert played.record["result"]["places"] == [2, 2, 1]
        assert played.faults[2] is None


def test_an_illegal_action_in_battle_line_is_called_illegal(sandbox: Sandbox) -> None:
    report = play_match(mirrored_pair(sample("faulty/illegal"), sample("random")), sandbox)
    assert report.legs[0].record["result"]["verdicts"] == ["illegal", "ok"]
    assert report.points == (0, 1)


def series(length: SeriesLength, *programs: Program) -> MatchSpec:
    game = find_game("battleline")
    options = game.options("standard")
    deals = [game.deal(options, 2, random.Random(number)) for number in range(length.max_games)]
    salts = tuple(f"salt {number}" for number in range(length.max_games))
    return MatchSpec("battleline", "standard", options, deals[0], salts, Limits(), programs, length, tuple(deals[1:]))


def test_bl_25_a_series_is_played_with_a_new_deal_each_game_and_the_winner_starts(sandbox: Sandbox) -> None:
    told = []
    spec = series(SeriesLength(games=4), sample("greedy"), replace(sample("random"), name="other"))
    report = play_match(spec, sandbox, lambda underway: told.append((underway.leg, underway.seating)))
    assert report.is_series and len(report.legs) == 4
    assert [leg.record["deal"] for leg in report.legs] == [spec.deal, *spec.later_deals]
    assert [leg.record["salt"] for leg in report.legs] == list(spec.salts)
    expected, totals = 0, [0, 0]
    for number, played in enumerate(report.legs, start=1):
        verify(played.record)
        assert played.seating[0] == expected
        assert {seating for leg, seating in told if leg == number} == {played.seating}
        result = played.record["result"]
        for participant, score, place in zip(played.seating, result["scores"], result["places"], strict=True):
            totals[participant] += score
            if place == 1 and result["places"].count(1) == 1:
                assert score == 5
                expected = participant
    assert report.scores == tuple(totals)
    assert report.points == ((1, 0) if totals[0] > totals[1] else (0, 1) if totals[0] < totals[1] else (0.5, 0.5))


@pytest.mark.parametrize(("name", "verdict"), [("crashes", "crash"), ("illegal", "illegal"), ("exits", "start")])
def test_bl_25_a_fault_loses_its_game_alone_and_the_series_goes_on(sandbox: Sandbox, name: str, verdict: str) -> None:
    report = play_match(series(SeriesLength(points=12), sample(f"faulty/{name}"), sample("random")), sandbox)
    assert [leg.seating for leg in report.legs] == [(0, 1), (1, 0), (1, 0)]
    assert report.scores == (0, 15) and report.points == (0, 1)
    for played in report.legs:
        verify(played.record)
        assert played.record["result"]["verdicts"][played.seating.index(0)] == verdict


def test_a_series_wants_a_salt_and_a_deal_for_each_possible_game_and_two_players(sandbox: Sandbox) -> None:
    spec = series(SeriesLength(games=3), sample("random"), sample("random"))
    with pytest.raises(ValueError, match="3 legs need 3 salts, not 2"):
        play_match(replace(spec, salts=("a", "b")), sandbox)
    with pytest.raises(ValueError, match="2 further deals are needed, not 1"):
        play_match(replace(spec, later_deals=spec.later_deals[:1]), sandbox)
    with pytest.raises(ValueError, match="of two participants, not 3"):
        play_match(replace(spec, programs=(FIRST, LAST, FIRST)), sandbox)
    with pytest.raises(ValueError, match="0 further deals are needed, not 2"):
        play_match(replace(spec, series=None, salts=("a", "b")), sandbox)


@pytest.mark.parametrize("salts", [(), ("a", "b", "c")])
def test_salts_are_one_a_leg(sandbox: Sandbox, salts: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="2 legs need 2 salts"):
        play_match(replace(mirrored_pair(sample("random"), sample("random")), salts=salts), sandbox)


class Stop(Exception):
    pass


def test_a_beat_may_stop_a_match(sandbox: Sandbox) -> None:
    def beat(_: LegProgress | None) -> None:
        raise Stop

    with pytest.raises(Stop):
        play_match(mirrored_pair(sample("random"), sample("random")), sandbox, beat)


class Broken:
    name = "broken"
    level = "A"

    def start(self, program: Program, limits: Limits) -> BotProcess:
        raise SandboxError("no space left on device")


def test_a_failing_sandbox_is_nobodys_verdict() -> None:
    with pytest.raises(SandboxError):
        play_match(mirrored_pair(sample("random"), sample("random")), Broken())


EXPECTED = {
    "silent": Verdict.START,
    "exits": Verdict.START,
    "garbage": Verdict.MALFORMED,
    "illegal": Verdict.MALFORMED,
    "spins": Verdict.TIMEOUT,
    "half-line": Verdict.TIMEOUT,
    "slow-drip": Verdict.TIMEOUT,
    "closes-stdout": Verdict.TIMEOUT,
    "crashes": Verdict.CRASH,
    "memory-hog": Verdict.MEMORY,
    "flood-stdout": Verdict.OUTPUT,
    "flood-stderr": Verdict.OUTPUT,
    "long-line": Verdict.OUTPUT,
    "out-of-turn": Verdict.MALFORMED,
    "forks": Verdict.OK,
}
"""The illegal sample plays Battle Line, whose actions the toy game doesn't know."""


@pytest.mark.parametrize(("name", "verdict"), EXPECTED.items())
def test_every_faulty_sample_gets_its_verdict(play_toy: PlayToy, name: str, verdict: Verdict) -> None:
    leg = play_toy(sample(f"faulty/{name}"), FIRST)
    result = leg.record["result"]
    assert result["verdicts"] == [verdict, "ok"]
    fault = leg.faults[0]
    if verdict is Verdict.OK:
        assert fault is None
    else:
        assert fault is not None and fault.verdict is verdict and fault.message
        assert (result["places"], result["reason"]) == ([2, 1], verdict)
        assert leg.record["actions"][-1] == {"seat": 0, "action": "forfeit", "verdict": verdict}


def test_every_faulty_sample_is_expected_to_do_something() -> None:
    from_disk = {path.parent.name for path in (SAMPLES / "faulty").glob("*/bot.py")}
    assert from_disk == set(EXPECTED)


def test_every_fault_of_a_bot_is_in_the_table() -> None:
    assert all(issubclass(kind, FAULTS) for kind in BotError.__subclasses__())
    assert set(VERDICTS.values()) == set(Verdict) - {Verdict.OK}


def test_an_action_the_rules_forbid_is_illegal(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, written('from pennant_kit import run\nrun(lambda message: "say 7")'))
    fault = leg.faults[1]
    assert fault is not None and fault.verdict is Verdict.ILLEGAL
    assert str(fault.message) == "7 may not be said here"
    assert fault.sent == '{"action": "say 7"}'
    assert fault.request is not None and fault.request["legal"] == ["say 1", "say 2"]


def test_the_owner_is_told_what_was_legal_even_where_the_bot_was_not(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, written('from pennant_kit import run\nrun(lambda message: "say 7", ready={"legal": False})'))
    assert leg.faults[1] is not None and leg.faults[1].request is not None
    assert leg.faults[1].request["legal"] == ["say 1", "say 2"]


def test_decisions_without_a_choice_are_taken_without_asking(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, LAST)
    assert [(entry["seat"], entry["action"], entry.get("auto")) for entry in leg.record["actions"]] == [
        (0, "say 1", None),
        (1, "say 2", None),
        (0, "say 3", True),
        (1, "say 3", True),
        (0, "say 1", None),
        (1, "say 2", None),
        (0, "say 1", None),
        (1, "say 2", None),
    ]
    assert leg.answers == (3, 3)
    assert all(("ms" in entry) != ("auto" in entry) for entry in leg.record["actions"])
    assert leg.record["result"] == {"places": [2, 1], "scores": [6, 9], "reason": "said", "verdicts": ["ok", "ok"]}


LOGGER = """
import json, sys
from pennant_kit import run

def log(message):
    print(json.dumps(message), file=sys.stderr)

def choose(message):
    log(message)
    return message["legal"][-1] if "legal" in message else "say 2"

run(choose, ready=READY, hello=log, end=log)
"""


def heard(stderr: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in stderr.splitlines()]


def test_a_bot_hears_everything_once_and_in_order(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, written(LOGGER.replace("READY", "{}")))
    hello, *turns, end = heard(leg.stderr[1])
    assert hello["type"] == "hello" and hello["deal_hash"] == leg.record["deal_hash"]
    assert [turn["n"] for turn in turns] == [1, 5, 7]
    assert all(turn["legal"] == ["say 1", "say 2"] and turn["view"] for turn in turns)
    assert (end["places"], end["verdicts"]) == ([2, 1], ["ok", "ok"])
    events = [event for message in (*turns, end) for event in message["events"]]  # type: ignore[attr-defined]
    assert [event["action"] for event in events] == [entry["action"] for entry in leg.record["actions"]]


def test_a_bot_that_wants_no_lists_and_views_is_sent_none(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, written(LOGGER.replace("READY", '{"legal": False, "view": False}')))
    _, *turns, _ = heard(leg.stderr[1])
    assert all("legal" not in turn and "view" not in turn and "events" in turn for turn in turns)
    assert leg.record["result"]["scores"] == [6, 9]


def test_notes_and_evals_go_into_the_record(play_toy: PlayToy) -> None:
    noted = written(
        """
        from pennant_kit import run
        run(lambda message: {"action": "say 1", "note": "hm", "eval": -0.123456} if message["n"] else "say 1")
        """
    )
    first, *_, last = play_toy(noted, FIRST).record["actions"][:-1]
    assert "note" not in first and "eval" not in first
    assert (last["note"], last["eval"]) == ("hm", -0.1235)


def test_the_first_of_two_that_fails_to_start_loses_and_the_other_is_not_started(play_toy: PlayToy) -> None:
    leg = play_toy(sample("faulty/exits"), sample("faulty/silent"))
    assert leg.record["result"]["verdicts"] == ["start", "ok"]
    assert leg.record["actions"] == [{"seat": 0, "action": "forfeit", "verdict": "start"}]


def test_of_three_the_offender_goes_out_when_asked_and_the_others_play_on(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, sample("faulty/crashes"), LAST)
    assert leg.record["result"] == {
        "places": [2, 3, 1],
        "scores": [6, 5, 9],
        "reason": "said",
        "verdicts": ["ok", "crash", "ok"],
    }
    assert leg.record["actions"][10] == {"seat": 1, "action": "forfeit", "verdict": "crash"}


def test_of_three_one_that_did_not_start_goes_out_at_its_first_turn(play_toy: PlayToy) -> None:
    leg = play_toy(FIRST, LAST, sample("faulty/exits"))
    assert leg.record["result"]["verdicts"] == ["ok", "ok", "start"]
    assert leg.record["actions"][2] == {"seat": 2, "action": "forfeit", "verdict": "start"}


def test_requests_longer_than_a_pipe_reach_a_stopped_bot(play_toy: PlayToy) -> None:
    assert play_toy(FIRST, LAST, padding=300_000).record["result"]["verdicts"] == ["ok", "ok"]


def test_a_bot_that_reads_nothing_runs_out_of_time(play_toy: PlayToy) -> None:
    deaf = written('import time\nprint(\'{"type": "ready"}\', flush=True)\ntime.sleep(3600)')
    leg = play_toy(deaf, FIRST, padding=300_000)
    assert leg.faults[0] is not None and str(leg.faults[0].message) == "the bot didn't read the request within 1000 ms"


def test_an_empty_bank_is_a_timeout(play_toy: PlayToy) -> None:
    slow = written(
        """
        import time
        from pennant_kit import run

        def choose(message):
            time.sleep(1)
            return "say 1"

        run(choose)
        """
    )
    leg = play_toy(slow, FIRST, limits=Limits(start_ms=2000, move_ms=500, bank_ms=700, memory_mb=64))
    assert leg.faults[0] is not None and leg.faults[0].verdict is Verdict.TIMEOUT
    assert leg.answers[0] == 1
    assert leg.faults[0].request is not None and leg.faults[0].request["bank_ms"] < 500


def test_time_and_cpu_time_are_told_apart(play_toy: PlayToy) -> None:
    bots = """
    import time
    from pennant_kit import run

    def choose(message):
        end = CLOCK() + 0.1
        while CLOCK() < end:
            PAUSE
        return "say 1"

    run(choose)
    """
    busy = written(bots.replace("CLOCK", "time.process_time").replace("PAUSE", "pass"))
    idle = written(bots.replace("CLOCK", "time.monotonic").replace("PAUSE", "time.sleep(0.01)"))
    busy_entry, idle_entry = play_toy(busy, idle).record["actions"][:2]
    assert 95 <= busy_entry["cpu_ms"] <= 1.2 * busy_entry["ms"]  # two clocks of the kernel, which differ under load
    assert idle_entry["ms"] >= 100 and idle_entry["cpu_ms"] < 20


def test_a_bot_is_stopped_while_it_is_not_asked(play_toy: PlayToy) -> None:
    ponderer = written(
        """
        import sys, threading, time
        from pennant_kit import run

        counted = 0

        def count():
            global counted
            while True:
                time.sleep(0.001)
                counted += 1

        def choose(message):
            print(counted, file=sys.stderr)
            return "say 1"

        threading.Thread(target=count, daemon=True).start()
        run(choose)
        """
    )
    waiter = written(
        "import time\nfrom pennant_kit import run\nrun(lambda message: time.sleep(0.2) or message['legal'][0])"
    )
    counts = [int(line) for line in play_toy(ponderer, waiter).stderr[0].splitlines()]
    assert counts[-1] - counts[0] < 100


def test_whatever_happens_after_the_result_is_no_verdict(play_toy: PlayToy) -> None:
    lingerer = written(
        """
        import sys, time
        from pennant_kit import run

        def end(message):
            print("x" * 100000, flush=True)
            print("was told", file=sys.stderr)
            time.sleep(3600)

        run(lambda message: "say 1", end=end)
        """
    )
    leg = play_toy(lingerer, written("from pennant_kit import run\nrun(lambda message: 'say 1', end=lambda _: 1 / 0)"))
    assert leg.record["result"]["verdicts"] == ["ok", "ok"]
    assert leg.stderr[0] == "was told\n"
    assert "ZeroDivisionError" in leg.stderr[1]


def test_the_last_of_the_log_is_kept(play_toy: PlayToy) -> None:
    chatty = written(
        """
        import sys
        from pennant_kit import run

        def choose(message):
            print("\\0" + "." * 100_000 + str(message["n"]), file=sys.stderr)
            return "say 1"

        run(choose)
        """
    )
    leg = play_toy(chatty, FIRST)
    assert leg.record["result"]["verdicts"] == ["ok", "ok"]
    assert len(leg.stderr[0]) == 64 * 1024 and leg.stderr[0].endswith("...6\n")


def test_what_a_bot_sent_is_kept_short_and_printable(play_toy: PlayToy) -> None:
    rude = written(
        'input()\nprint(\'{"type": "ready"}\', flush=True)\ninput()\nprint(chr(0) + "x" * 50000, flush=True)'
    )
    fault = play_toy(rude, FIRST).faults[0]
    assert fault is not None and fault.sent is not None
    assert len(fault.sent) <= 2001 and fault.sent.startswith("\\x00xxx")


def test_limits_are_those_a_bot_is_told(play_toy: PlayToy) -> None:
    leg = play_toy(written(LOGGER.replace("READY", "{}")), FIRST)
    assert heard(leg.stderr[0])[0]["limits"] == {
        "start_ms": QUICK.start_ms,
        "move_ms": QUICK.move_ms,
        "bank_ms": QUICK.bank_ms,
        "memory_mb": QUICK.memory_mb,
    }


KIT = b"from pennant_kit import run\n"
READS = b"import json, sys\nfor line in sys.stdin:\n    message = json.loads(line)\n    "
READY = (
    READS
    + b"""if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "turn":
        """
)
MISTAKES = {
    "prints": (READY + b'print("turn 3", flush=True)', "'turn 3' isn't JSON"),
    "prints unasked": (
        READY + b'print(json.dumps({"action": "say 1"}) + "\\ndebug", flush=True)',
        "the bot wrote 'debug' to stdout without being asked; answer each request with one line",
    ),
    "no action": (
        READY + b"print('{\"action\": null}', flush=True)",
        '\'{"action": null}\' has no "action" with a string value',
    ),
    "a text": (READY + b"print('\"say 1\"', flush=True)", "'\"say 1\"' isn't a JSON object; an answer looks like"),
    "not ready": (
        READS + b'print(\'{"action": "say 1"}\', flush=True)',
        'expected {"type": "ready"} in answer to "hello", got \'{"action": "say 1"}\'',
    ),
    "returns None": (KIT + b"run(lambda message: None)", "TypeError: return an action, such as 'play R7 3', or a dict"),
    "no flush": (
        READY + b'print(\'{"action": "say 1"}\')',
        "600 ms (waiting counts half; the limit is 300 ms)",
    ),
    "no call": (KIT, "exited with code 0. It ended without an error; call run()"),
    "package": (b"import numpy", "ModuleNotFoundError: No module named 'numpy'. Bots run on Python 3."),
    "syntax": (b"def choose(message)\n    return 1", "SyntaxError: expected ':'. Bots run on Python 3."),
    "process": (b"import os\nos.fork()", "The sandbox had blocked something: a bot is one process"),
    "network": (
        b'raise OSError("[Errno -3] Temporary failure in name resolution")',
        "Bots have no network access; put everything your bot needs into its folder",
    ),
    "recursion": (
        b"import ctypes\nctypes.string_at(0)",
        "SIGSEGV. Very deep recursion can cause this",
    ),
    "recursion in Python": (
        b"def deepen():\n    deepen()\ndeepen()",
        "RecursionError: maximum recursion depth exceeded. Very deep",
    ),
    "memory": (b"[0] * 10**10", "ran out of memory and exited with code 1; the limit is 64 MiB"),
    "log": (b'import sys\nprint("x" * 2**21, file=sys.stderr)\n' + KIT, "wrote more than 1 MiB to stderr"),
    "module": (
        b"import random\nrandom.choice([1])",
        "'choice'. Your file random.py shadows the module of that",
    ),
}


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_common_mistake_is_told_with_the_way_out(sandbox: Sandbox, mistake: str) -> None:
    source, sentence = MISTAKES[mistake]
    files = {"bot.py": source} | ({"random.py": b"x = 1"} if mistake == "module" else {})
    spec = replace(toy_match(Program("k", 1, files), FIRST), salts=("a",), limits=replace(QUICK, move_ms=300))
    (leg,) = play_match(spec, sandbox).legs
    assert leg.faults[0] is not None and sentence in str(leg.faults[0].message), str(leg.faults[0].message)
