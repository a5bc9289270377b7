// Plays any legal action of any game: the smallest bot in Rust.
//
// A message is one line of JSON. This bot looks at nothing but the list of legal actions, and answers with one of its
// strings just as it stands there, quotes included. So a search for the right words does; for more, bring a JSON parser.

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

/// The whole number after these words in a message; 0 if it doesn't have them.
fn number_after(line: &str, words: &str) -> u64 {
    let rest = line.find(words).map_or("", |at| &line[at + words.len()..]);
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().unwrap_or(0)
}

/// A number at random for the leg's seed and the number of the decision: the same question has the same answer.
fn draw(seed: u64, n: u64) -> usize {
    let mut mixed = (seed ^ n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as usize
}

fn main() {
    let mut seed = 0;
    for line in io::stdin().lock().lines() {
        let line = line.expect("lines are UTF-8");
        let actions = legal_actions(&line);
        if line.contains("\"type\":\"hello\"") {
            seed = number_after(&line, "\"seed\":");
            println!("{{\"type\":\"ready\"}}");
        } else if !actions.is_empty() {
            let drawn = draw(seed, number_after(&line, "\"n\":"));
            println!("{{\"action\":{}}}", actions[drawn % actions.len()]);
        }
    }
}
