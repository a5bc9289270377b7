"""Ways to tamper with the record of a Battle Line play, each with a part of the sentence that refuses it."""

from collections.abc import Callable

from engine.core import Json
from engine.deal import deal_hash
from engine.replay import begin

Tamper = Callable[[Json], None]
TAMPERINGS: dict[str, tuple[Tamper, str]] = {}


def tampering(sentence: str) -> Callable[[Tamper], Tamper]:
    def remember(change: Tamper) -> Tamper:
        TAMPERINGS[change.__name__] = change, sentence
        return change

    return remember


def choice_after(record: Json, ply: int, verb: str) -> int:
    """The number of the first free decision from here on that was taken with this verb."""
    numbered = list(enumerate(record["actions"]))[ply:]
    return next(n for n, entry in numbered if entry["action"].split()[0] == verb and "auto" not in entry)


def rehash(record: Json) -> None:
    record["deal_hash"] = deal_hash(record["deal"], record["salt"])


@tampering("no flag '0'")
def malformed_action(record: Json) -> None:
    record["actions"][choice_after(record, 10, "play")]["action"] = "play R1 0"


@tampering("isn't in the hand")
def illegal_action(record: Json) -> None:
    held = {card for state in [begin(record)] for card in state.view(0)["hand"]}
    foreign = next(card for card in record["deal"]["troops"] if card not in held)
    record["actions"][0]["action"] = f"play {foreign} 1"


@tampering("isn't in the hand")
def card_played_twice(record: Json) -> None:
    first = record["actions"][0]["action"]
    record["actions"][choice_after(record, 3, "play")]["action"] = first.rsplit(" ", 1)[0] + " 9"


@tampering("deal and salt don't give the deal hash")
def deal_changed(record: Json) -> None:
    troops = record["deal"]["troops"]
    troops[-1], troops[-2] = troops[-2], troops[-1]


@tampering("")
def deal_changed_and_hashed_anew(record: Json) -> None:
    troops = record["deal"]["troops"]
    troops[:7], troops[7:14] = troops[7:14], troops[:7]
    rehash(record)


@tampering("the deal is no deal of this game: troops are not the deck of these rules")
def card_twice_in_the_deal(record: Json) -> None:
    record["deal"]["troops"][40] = record["deal"]["troops"][41]
    rehash(record)


@tampering("the deal is no deal of this game")
def card_left_out_of_the_deal(record: Json) -> None:
    record["deal"]["tactics"].pop()
    rehash(record)


@tampering("the deal is no deal of this game: a deal has troops, tactics and tiles")
def part_of_the_deal_missing(record: Json) -> None:
    del record["deal"]["tiles"]
    rehash(record)


@tampering("deal and salt don't give the deal hash")
def hash_changed(record: Json) -> None:
    record["deal_hash"] = "0" * 64


@tampering("deal and salt don't give the deal hash")
def hash_in_capitals(record: Json) -> None:
    record["deal_hash"] = record["deal_hash"].upper()


@tampering("deal and salt don't give the deal hash")
def salt_changed(record: Json) -> None:
    record["salt"] += "!"


@tampering("places should be")
def places_swapped(record: Json) -> None:
    record["result"]["places"].reverse()


@tampering("scores should be")
def scores_changed(record: Json) -> None:
    record["result"]["scores"][record["result"]["places"].index(2)] += 1


@tampering("reason should be")
def reason_changed(record: Json) -> None:
    record["result"]["reason"] = "passes"


@tampering("verdicts should be")
def verdict_added(record: Json) -> None:
    record["result"]["verdicts"][0] = "timeout"


@tampering("result: field 'verdicts' is missing")
def verdicts_left_out(record: Json) -> None:
    del record["result"]["verdicts"]


@tampering("")
def two_actions_swapped(record: Json) -> None:
    number = choice_after(record, 10, "play")
    later = choice_after(record, number + 1, "play")
    actions = record["actions"]
    actions[number]["action"], actions[later]["action"] = actions[later]["action"], actions[number]["action"]


@tampering("is seat")
def two_entries_swapped(record: Json) -> None:
    actions = record["actions"]
    number = next(n for n in range(10, len(actions)) if actions[n]["seat"] != actions[n + 1]["seat"])
    actions[number], actions[number + 1] = actions[number + 1], actions[number]


@tampering("")
def action_dropped(record: Json) -> None:
    del record["actions"][12]


@tampering("the play is not over after the last action")
def last_action_dropped(record: Json) -> None:
    record["actions"].pop()


@tampering("the play is not over after the last action; seat 0 is to act")
def all_actions_dropped(record: Json) -> None:
    record["actions"].clear()


@tampering("comes after the end of the play")
def action_added_after_the_end(record: Json) -> None:
    record["actions"].append({"seat": 0, "action": "pass", "ms": 1, "cpu_ms": 1})


@tampering("comes after the end of the play")
def forfeit_added_after_the_end(record: Json) -> None:
    record["actions"].append({"seat": 0, "action": "forfeit", "verdict": "timeout"})


@tampering("is seat 1's, where seat 0 is to act")
def seat_wrong(record: Json) -> None:
    record["actions"][0]["seat"] = 1


@tampering("was a choice, and is marked otherwise")
def choice_marked_automatic(record: Json) -> None:
    first = record["actions"][0]
    record["actions"][0] = {"seat": first["seat"], "action": first["action"], "auto": True}


@tampering("action 0: there is no field 'ms' here")
def times_of_an_automatic_decision(record: Json) -> None:
    record["actions"][0]["auto"] = True


@tampering("was not a choice, and is marked otherwise")
def forced_decision_marked_chosen(record: Json) -> None:
    del next(entry for entry in record["actions"] if "auto" in entry)["auto"]


@tampering("option 'claims' can't be 'never'")
def unknown_option_value(record: Json) -> None:
    record["options"]["claims"] = "never"


@tampering("options don't name every option of the edition")
def option_left_out(record: Json) -> None:
    del record["options"]["claims"]


@tampering("edition is 'standard', and the options are those of 'advanced'")
def options_of_another_edition(record: Json) -> None:
    record["options"]["claims"] = "start"


@tampering("field 'changed_options' is missing: scout differ from the edition's")
def other_options(record: Json) -> None:
    record["options"]["scout"] = "at-once"


@tampering("changed_options should be ['scout'], and is ['claims']")
def other_options_misnamed(record: Json) -> None:
    record["options"]["scout"] = "at-once"
    record["changed_options"] = ["claims"]


@tampering("")
def other_options_named(record: Json) -> None:
    """All that is left of a play by other rules is that it doesn't go by them."""
    record["options"] |= {"claims": "start", "copies": 1, "scout": "at-once"}
    record["edition"], record["changed_options"] = "advanced", ["scout"]


@tampering("changed_options is left out where none differs")
def changed_options_empty(record: Json) -> None:
    record["changed_options"] = []


@tampering("changed_options should be [], and is ['scout']")
def changed_options_invented(record: Json) -> None:
    record["changed_options"] = ["scout"]


@tampering("multiple values for argument 'edition'")
def option_that_is_an_argument(record: Json) -> None:
    record["options"]["edition"] = "standard"


@tampering("rules version is 99")
def rules_version_changed(record: Json) -> None:
    record["rules_version"] = 99


@tampering("no edition 'chess'")
def edition_unknown(record: Json) -> None:
    record["edition"] = "chess"


@tampering("format is 'arena-replay/2'")
def format_changed(record: Json) -> None:
    record["format"] = "arena-replay/2"


@tampering("no game 'chess'")
def game_unknown(record: Json) -> None:
    record["game"] = "chess"


@tampering("Battle Line is not played by 3")
def seat_added(record: Json) -> None:
    record["seats"].append({"name": "third", "version": 1})


@tampering("comes after the end of the play")
def forfeit_slipped_in(record: Json) -> None:
    seat = record["actions"][20]["seat"]
    record["actions"].insert(20, {"seat": seat, "action": "forfeit", "verdict": "timeout"})


@tampering("action 20: field 'verdict' is missing")
def forfeit_without_a_verdict(record: Json) -> None:
    seat = record["actions"][20]["seat"]
    record["actions"][20:] = [{"seat": seat, "action": "forfeit"}]


@tampering("is a forfeit for a person's reason, and seat 1 is no person's")
def forfeit_of_a_bot_for_a_reason(record: Json) -> None:
    record["actions"][20:] = [{"seat": 1, "action": "forfeit", "reason": "resigned"}]


@tampering("action 20: field 'verdict' should be one of illegal, malformed, ")
def forfeit_with_verdict_ok(record: Json) -> None:
    seat = record["actions"][20]["seat"]
    record["actions"][20:] = [{"seat": seat, "action": "forfeit", "verdict": "ok"}]
