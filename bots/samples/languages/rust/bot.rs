// Plays any legal action of any game: the smallest bot in Rust.
//
// A message is one line of JSON. This bot looks at nothing but the list of legal actions, and answers with one of its
// strings just as it stands there, quotes included. So a search for the right words does; for more, bring a JSON parser.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufRead};

/// The legal actions in a message, as JSON strings.
fn legal_actions(line: &str) -> Vec<&str> {
    const KEY: &str = "\"legal\":[";
    let mut actions = Vec::new();
    let mut rest = match line.find(KEY) {
        Some(at) => &line[at + KEY.len()..],
        None => return actions,
    };
    while rest.starts_with('"') {
        let mut end = 1;
        while rest.as_bytes()[end] != b'"' {
            end += if rest.as_bytes()[end] == b'\\' { 2 } else { 1 };
        }
        actions.push(&rest[..=end]);
        rest = rest[end + 1..].trim_start_matches(',');
    }
    actions
}

fn main() {
    for line in io::stdin().lock().lines() {
        let line = line.expect("lines are UTF-8");
        let actions = legal_actions(&line);
        if line.contains("\"type\":\"hello\"") {
            println!("{{\"type\":\"ready\"}}");
        } else if !actions.is_empty() {
            let random = RandomState::new().build_hasher().finish() as usize;
            println!("{{\"action\":{}}}", actions[random % actions.len()]);
        }
    }
}
