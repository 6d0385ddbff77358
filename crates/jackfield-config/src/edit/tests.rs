use super::*;

mod cases;
mod corpus;
mod json;
mod random;
mod structural;
mod there_and_back;
mod toggle;
mod toml;
mod yaml;

const JSON: Format = Format::JSONC;

fn strings(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

/// Applies a change and takes it back; both ways have to hold.
fn there_and_back(format: Format, before: &str, there: &Change, back: &Change, after: &str) {
    let edited = apply(before, format, there).unwrap_or_else(|error| panic!("{error}\n{before}"));
    assert_eq!(edited.text, after, "\nbefore:\n{before}");
    assert!(edited.inserted);
    let returned = apply(after, format, back).unwrap_or_else(|error| panic!("back: {error}\n{after}"));
    assert_eq!(returned.text, before);
}

/// How many lines of `after` are not in `before`, and the other way round.
fn changed_lines(before: &str, after: &str) -> (usize, usize) {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let tail =
        before[head..].iter().rev().zip(after[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    (before.len() - head - tail, after.len() - head - tail)
}
