// Tests of the bot: `rustc --edition 2021 --test -o .test bot.rs && ./.test` in its folder runs them.

use super::*;
use std::fs::read_to_string;

fn read_bot() -> Bot {
    Bot::new(&Json::parse(&read_to_string("params.json").unwrap()).unwrap())
}

/// Return a turn of each game as the arena sends it, and in `answer` what the bot says before you change it.
fn read_turns() -> Vec<Json> {
    read_to_string("turns.jsonl").unwrap().lines().map(|line| Json::parse(line).unwrap()).collect()
}

#[test]
fn a_whole_turn() {
    let mut bot = read_bot();
    for message in read_turns() {
        if field::<String>(&message, "type").unwrap() == "hello" {
            bot.start(&message);
            continue;
        }
        let answer = bot.choose(&message).unwrap();
        assert!(field::<Vec<String>>(&message, "legal").unwrap().contains(&answer));
        assert_eq!(answer, field::<String>(&message, "answer").unwrap());
    }
}

#[test]
fn cards_that_go_together_fit() {
    let (bot, turn) = (read_bot(), battleline::Turn::from_json(&read_turns()[1]).unwrap());
    let view = turn.view.unwrap();
    let [colour, number, other] = ["play B10 4", "play Y3 4", "play R1 4"].map(|it| bot.rate_fit(it, &view, turn.seat));
    assert!(colour > number && number > other);
}

#[test]
fn the_strength_of_cards() {
    let worth = ["A", "J", "10", "?"].map(|card| strength(&Some(card.to_string())));
    assert_eq!((worth, strength(&None)), ([11.0, 1.0, 10.0, 6.5], 0.0));
}

#[test]
fn json_is_read() {
    let text = r#" {"a": [1, -2.5e1, 3], "b\u00e9\n": "\"\u20ac\\", "c": [], "d": true, "e": null} "#;
    let value = Json::parse(text).unwrap();
    assert_eq!(field::<Vec<f64>>(&value, "a"), Some(vec![1.0, -25.0, 3.0]));
    assert_eq!(field::<String>(&value, "b\u{e9}\n").as_deref(), Some("\"\u{20ac}\\"));
    assert_eq!(field::<Vec<String>>(&value, "c"), Some(vec![]));
    assert_eq!((field(&value, "d"), field::<Option<bool>>(&value, "e")), (Some(true), Some(None)));
    for wrong in ["", "{", "[1 2]", "{\"a\" 1}", r#""\u12""#, "\"", r#""\"#, "nul", "1 1", "{1: 2}"] {
        assert!(Json::parse(wrong).is_none(), "{wrong}");
    }
}
