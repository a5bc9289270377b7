// A simple bot for Battle Line and Battalion, better than random.
//
// The arena writes one JSON object a line to stdin, and the bot answers with one a line on stdout. Output on stderr, by
// eprintln!, is the bot's private log. `messages.rs` has a type for each message, and `json.rs` reads them.

mod json;
mod messages;

use json::{field, FromJson, Json};
use messages::{battalion, battleline};
use std::io::{self, BufRead};

/// Pseudo-random numbers, the same for the same seed (xorshift). The seed is never 0, for which it would stay at 0.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Return one of the actions that are rated highest.
fn choose_best(actions: &[&str], rate: impl Fn(&str) -> i64, random: &mut RandomNumbers) -> String {
    let highest = actions.iter().map(|action| rate(action)).max();
    let best: Vec<_> = actions.iter().filter(|action| Some(rate(action)) == highest).collect();
    best[random.below(best.len())].to_string()
}

/// Return the first action that begins with one of these words.
fn find_action(legal: &[String], prefixes: &[&str]) -> Option<String> {
    let mut found = prefixes.iter().filter_map(|prefix| legal.iter().find(|action| action.starts_with(prefix)));
    found.next().cloned()
}

/// Claim a flag or draw a troop if possible, else play the troop that fits best to the cards at its flag.
fn choose_in_battle_line(turn: &battleline::Turn, random: &mut RandomNumbers) -> Option<String> {
    let (legal, view) = (turn.legal.as_ref()?, turn.view.as_ref()?);
    if let Some(action) = find_action(legal, &["claim ", "draw troop"]) {
        return Some(action);
    }
    let troops: Vec<&str> = legal.iter().map(String::as_str).filter(|action| rate_fit(action, view, turn.seat) > 0).collect();
    let others: Vec<&str> = legal.iter().map(String::as_str).collect();
    let actions = if troops.is_empty() { &others } else { &troops };
    Some(choose_best(actions, |action| rate_fit(action, view, turn.seat), random))
}

/// Return how well a troop fits to our cards at its flag, by colour and by number; 0 for other actions.
fn rate_fit(action: &str, view: &battleline::View, seat: i64) -> i64 {
    let words: Vec<&str> = action.split(' ').collect();
    let (card, flag) = match words[..] {
        ["play", card, flag] => (card, flag),
        _ => return 0,
    };
    let number = match troop_number(card) {
        Some(number) => number,
        None => return 0,
    };
    let index = flag.parse::<usize>().expect("flags are numbers") - 1;
    let mut points = number;
    for other in &view.flags[index].cards[seat as usize] {
        points += if other[..1] == card[..1] { 8 } else { 0 };
        points += if troop_number(other) == Some(number) { 10 } else { 0 };
    }
    points
}

/// Return the number of a troop: 7 for R7; None for tactics.
fn troop_number(card: &str) -> Option<i64> {
    card.get(1..)?.parse().ok()
}

/// Pick up the wounded if possible, else choose at random.
fn choose_in_battalion(turn: &battalion::Turn, random: &mut RandomNumbers) -> Option<String> {
    let legal = turn.legal.as_ref()?;
    find_action(legal, &["pickup"]).or_else(|| Some(legal[random.below(legal.len())].clone()))
}

fn main() {
    let mut random = RandomNumbers(1);
    let mut game = String::new();
    for line in io::stdin().lock().lines() {
        let line = line.expect("lines are UTF-8");
        let message = Json::parse(&line).expect("messages are JSON");
        let kind: String = field(&message, "type").unwrap_or_default();
        if kind == "hello" {
            game = field(&message, "game").unwrap_or_default();
            random = RandomNumbers(field::<i64>(&message, "seed").unwrap_or(1).max(1) as u64);
            println!("{{\"type\":\"ready\"}}");
            eprintln!("I play {game}");
        } else if kind == "turn" {
            let action = if game == "battalion" {
                battalion::Turn::from_json(&message).and_then(|turn| choose_in_battalion(&turn, &mut random))
            } else {
                battleline::Turn::from_json(&message).and_then(|turn| choose_in_battle_line(&turn, &mut random))
            };
            println!("{{\"action\":\"{}\"}}", action.expect("the message is as messages.rs describes it"));
        }
    }
}
