// A simple bot for Battle Line and Battalion, better than random.
//
// The arena writes one JSON object a line to stdin, and the bot answers with one a line on stdout. Output on stderr, by
// eprintln!, is the bot's private log. `messages.rs` has a type for each message, and `json.rs` reads them.

mod json;
mod messages;
#[cfg(test)]
mod tests;

use json::{field, FromJson, Json};
use messages::{battalion, battleline};
use std::collections::HashMap;
use std::io::{self, BufRead};

const HIDDEN_CARD_VALUE: f64 = 6.5;

struct Bot {
    /// Numbers that `pennant tune` can find better values for.
    same_colour: f64,
    same_number: f64,
    seed: i64,
    game: String,
    /// The turn of Battle Line that is planned, and the rest of its plan.
    planned_turn: i64,
    plan: Vec<String>,
}

impl Bot {
    fn new(parameters: &Json) -> Bot {
        let number = |key| field(parameters, key).expect("params.json has this number");
        let (same_colour, same_number) = (number("same_colour"), number("same_number"));
        Bot { same_colour, same_number, seed: 1, game: String::new(), planned_turn: -1, plan: Vec::new() }
    }

    /// Begin a leg.
    fn start(&mut self, hello: &Json) {
        self.game = field(hello, "game").unwrap_or_default();
        self.seed = field(hello, "seed").unwrap_or(1);
        self.planned_turn = -1;
    }

    /// Return the chosen action. All actions in `legal` are allowed.
    fn choose(&mut self, message: &Json) -> Option<String> {
        if self.game == "battalion" {
            let turn = battalion::Turn::from_json(message)?;
            return match turn.view.as_ref()?.decision.as_str() {
                "turn" => self.choose_in_battalion(&turn),
                _ => self.pick(&with_prefix(turn.legal.as_ref()?, ""), turn.n),
            };
        }
        let turn = battleline::Turn::from_json(message)?;
        match turn.view.as_ref()?.decision.as_str() {
            "play" | "finish" => self.choose_in_battle_line(&turn),
            _ => self.pick(&with_prefix(turn.legal.as_ref()?, ""), turn.n),
        }
    }

    /// Return one of these actions: by chance, but the same whenever this request comes in this leg.
    fn pick(&self, actions: &[&String], n: i64) -> Option<String> {
        Some(actions[(self.seed + n) as usize % actions.len()].clone())
    }

    /// Follow the plan of this turn. A turn is several decisions: claims, a card, more claims, and a draw.
    fn choose_in_battle_line(&mut self, message: &battleline::Turn) -> Option<String> {
        let (legal, view) = (message.legal.as_ref()?, message.view.as_ref()?);
        if self.planned_turn != view.turn {
            self.planned_turn = view.turn;
            self.plan = self.make_plan(message)?;
        }
        // What isn't possible when its time comes is left out.
        match self.plan.iter().position(|action| legal.contains(action)) {
            Some(next) => self.plan.drain(..=next).last(),
            None => self.pick(&with_prefix(legal, ""), message.n),
        }
    }

    /// Return the actions of a whole turn: claim what can be claimed, play the card that fits best, claim, and draw.
    fn make_plan(&self, message: &battleline::Turn) -> Option<Vec<String>> {
        let (legal, view) = (message.legal.as_ref()?, message.view.as_ref()?);
        let mut actions: Vec<String> = with_prefix(legal, "claim ").into_iter().cloned().collect();
        let plays: Vec<&String> = legal.iter().filter(|action| is_troop(action)).collect();
        if !plays.is_empty() {
            let best = find_best(&plays, |action| self.rate_fit(action, view, message.seat));
            actions.push(self.pick(&best, message.n)?);
        }
        let open = view.flags.iter().filter(|flag| flag.owner.is_none());
        actions.extend(open.map(|flag| format!("claim {}", flag.flag)));
        actions.push("draw troop".to_string());
        Some(actions)
    }

    /// Return how well a troop fits to our cards at its flag, by colour and by number.
    fn rate_fit(&self, action: &str, view: &battleline::View, seat: i64) -> f64 {
        let words: Vec<&str> = action.split(' ').collect();
        let (colour, number) = words[1].split_at(1);
        let flag: usize = words[2].parse().expect("flags are numbers");
        let mut points = number.parse::<f64>().expect("troops have numbers") / 10.0;
        for other in &view.flags[flag - 1].cards[seat as usize] {
            points += if other[..1] == *colour { self.same_colour } else { 0.0 };
            points += if other[1..] == *number { self.same_number } else { 0.0 };
        }
        points
    }

    /// Pick up the wounded, make the best attack, or else reinforce, modify or pass.
    fn choose_in_battalion(&self, message: &battalion::Turn) -> Option<String> {
        let (legal, view) = (message.legal.as_ref()?, message.view.as_ref()?);
        let mut cards: HashMap<String, &Option<String>> = HashMap::new();
        for player in &view.seats {
            for place in player.rows.iter().flatten() {
                cards.insert(format!("{}:{}", player.seat, place.cell), &place.card);
            }
            if let Some(guard) = &player.guard {
                cards.insert(format!("{}:g", player.seat), &guard.card);
            }
        }
        let value = |cell: &str| cards.get(cell).map_or(0.0, |card| strength(card));
        let gain = |action: &str| {
            let words: Vec<&str> = action.split(' ').collect();
            value(&format!("{}:{}", message.seat, words[1])) - value(words[2])
        };
        let attacks: Vec<&String> = with_prefix(legal, "attack ").into_iter().filter(|action| gain(action) > 0.0).collect();
        if !attacks.is_empty() && with_prefix(legal, "pickup").is_empty() {
            return self.pick(&find_best(&attacks, gain), message.n);
        }
        let prefixes = ["pickup", "reinforce ", "modify", "pass", ""];
        let matching = prefixes.iter().map(|prefix| with_prefix(legal, prefix)).find(|found| !found.is_empty());
        self.pick(&matching?, message.n)
    }
}

fn with_prefix<'a>(actions: &'a [String], prefix: &str) -> Vec<&'a String> {
    actions.iter().filter(|action| action.starts_with(prefix)).collect()
}

/// Return the actions with the highest rating.
fn find_best<'a>(actions: &[&'a String], rate: impl Fn(&str) -> f64) -> Vec<&'a String> {
    let highest = actions.iter().map(|action| rate(action)).fold(f64::MIN, f64::max);
    actions.iter().copied().filter(|action| rate(action) == highest).collect()
}

/// Return whether the action plays a troop: a letter for the colour, then the number, as in `play R7 3`.
fn is_troop(action: &str) -> bool {
    let words: Vec<&str> = action.split(' ').collect();
    words[0] == "play" && words[1][1..].parse::<i64>().is_ok()
}

/// Return the value of a card: average for a hidden card (?), 0 for an empty cell (None). Court cards are approximate.
fn strength(card: &Option<String>) -> f64 {
    match card.as_deref() {
        None => 0.0,
        Some("?") => HIDDEN_CARD_VALUE,
        Some("A") => 11.0,
        Some("Q") => 10.0,
        Some("K") | Some("J") => 1.0,
        Some(number) => number.parse().expect("other cards are numbers"),
    }
}

fn main() {
    let parameters = std::fs::read_to_string("params.json").expect("params.json is beside the bot");
    let mut bot = Bot::new(&Json::parse(&parameters).expect("params.json is JSON"));
    for line in io::stdin().lock().lines() {
        let line = line.expect("lines are UTF-8");
        let message = Json::parse(&line).expect("messages are JSON");
        let kind: String = field(&message, "type").unwrap_or_default();
        if kind == "hello" {
            bot.start(&message);
            println!("{{\"type\":\"ready\"}}");
            eprintln!("I play {}", bot.game);
        } else if kind == "turn" {
            let action = bot.choose(&message).expect("the message is as messages.rs describes it");
            println!("{{\"action\":\"{action}\"}}");
        }
    }
}
