// A simple bot for Battle Line and Battalion, better than random.
//
// The arena writes one JSON object a line to stdin, and the bot answers with one a line on stdout. Output on stderr, by
// eprintln!, is the bot's private log.
//
// Rust's standard library has no JSON parser. This bot needs only the type of a message, the seed and the list of legal
// actions, which it finds as text. To read the view, add a module with a JSON parser to this folder.

use std::io::{self, BufRead};

/// Return the text that follows a key in a message, if the key is there.
fn text_after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.find(key).map(|at| &line[at + key.len()..])
}

/// Return whether a message has this type: "hello", "turn" or "end".
fn is_type(line: &str, name: &str) -> bool {
    line.contains(&format!("\"type\":\"{name}\""))
}

/// Return the strings of the list "legal", which never contain quotes or backslashes.
fn legal_actions(line: &str) -> Vec<&str> {
    let list = text_after(line, "\"legal\":[").and_then(|rest| rest.split(']').next());
    list.map_or(Vec::new(), |list| list.split('"').skip(1).step_by(2).collect())
}

/// Pseudo-random numbers, the same for the same seed (xorshift).
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Return the seed that the arena gives this bot for the leg. It is never 0, for which xorshift would stay at 0.
fn read_seed(line: &str) -> u64 {
    let digits = text_after(line, "\"seed\":").unwrap_or("");
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().unwrap_or(1).max(1)
}

/// Return the number of the troop that is played, 7 for "play R7 3"; 0 for other cards.
fn troop_number(action: &str) -> u32 {
    let card = action.split(' ').nth(1).unwrap_or("");
    card.get(1..).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Claim a flag, draw a troop or pick up the wounded if possible, else play one of the highest troops, else choose at
/// random.
fn choose<'a>(legal: &[&'a str], random: &mut RandomNumbers) -> &'a str {
    for prefix in ["claim ", "draw troop", "pickup"] {
        if let Some(action) = legal.iter().find(|action| action.starts_with(prefix)) {
            return action;
        }
    }
    let troops = || legal.iter().filter(|action| action.starts_with("play ") && troop_number(action) > 0);
    let highest = troops().map(|action| troop_number(action)).max();
    let best: Vec<_> = troops().filter(|action| Some(troop_number(action)) == highest).collect();
    if best.is_empty() {
        legal[random.below(legal.len())]
    } else {
        best[random.below(best.len())]
    }
}

fn main() {
    let mut random = RandomNumbers(1);
    for line in io::stdin().lock().lines() {
        let line = line.expect("lines are UTF-8");
        if is_type(&line, "hello") {
            random = RandomNumbers(read_seed(&line));
            println!("{{\"type\":\"ready\"}}");
            eprintln!("ready");
        } else if is_type(&line, "end") {
            break;
        } else {
            let legal = legal_actions(&line);
            if !legal.is_empty() {
                println!("{{\"action\":\"{}\"}}", choose(&legal, &mut random));
            }
        }
    }
}
