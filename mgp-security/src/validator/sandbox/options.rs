//! Searches for options among arguments.

use crate::validator::shell::Word;

/// Returns the first option of a list, separated by blanks, that is among arguments. A long one may be abbreviated or have a value,
/// and a short one may be combined with others. `exact` is true for a program whose long options begin with one dash.
pub(super) fn find<'a>(words: &[Word], list: &'a str, exact: bool) -> Option<&'a str> {
    words
        .iter()
        .take_while(|word| word.text != "--")
        .find_map(|word| list.split_whitespace().find(|option| is_option(&word.text, option, exact)))
}

fn is_option(text: &str, option: &str, exact: bool) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    if option.starts_with("--") {
        return text.starts_with("--") && option.starts_with(name);
    }
    if exact || option.len() > 2 {
        return name == option || name.strip_prefix('-') == Some(option);
    }
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    letters.is_some_and(|letters| letters.contains(&option[1..]))
}

/// An option with its value, or an operand, as a program reads its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Argument {
    /// The option with its dashes, a letter of a cluster separately; empty for an operand.
    pub(super) option: String,
    /// The value of the option, or the operand.
    pub(super) value: String,
}

/// Reads arguments as `getopt` does. `letters` are the short options with a value, attached or as the next word; `names` are the long
/// options with a value in the next word.
pub(super) fn parsed(words: &[Word], letters: &str, names: &str) -> Vec<Argument> {
    let mut arguments = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        let operand = |text: &str| Argument { option: String::new(), value: text.to_owned() };
        if text == "--" {
            arguments.extend(rest.map(|word| operand(&word.text)));
            break;
        }
        if text.starts_with("--") {
            let (name, value) =
                text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value.to_owned())));
            let valued = value.is_none() && names.split_whitespace().any(|other| other == name);
            let value = if valued { rest.next().map(|word| word.text.clone()) } else { value };
            arguments.push(Argument { option: name.to_owned(), value: value.unwrap_or_default() });
            continue;
        }
        let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.is_empty()) else {
            arguments.push(operand(text));
            continue;
        };
        for (at, letter) in cluster.char_indices() {
            let option = format!("-{letter}");
            if letters.contains(letter) {
                let glued = &cluster[at + letter.len_utf8()..];
                let value = if glued.is_empty() {
                    rest.next().map(|word| word.text.clone()).unwrap_or_default()
                } else {
                    glued.to_owned()
                };
                arguments.push(Argument { option, value });
                break;
            }
            arguments.push(Argument { option, value: String::new() });
        }
    }
    arguments
}

/// Returns the words that are neither options nor values of the listed options.
pub(super) fn operands<'a>(words: &'a [Word], valued: &str) -> Vec<&'a Word> {
    let (mut operands, mut rest) = (Vec::new(), words.iter());
    while let Some(word) = rest.next() {
        if word.text == "--" {
            operands.extend(rest);
            break;
        }
        if !word.text.starts_with('-') || word.text == "-" {
            operands.push(word);
        } else if valued.split_whitespace().any(|option| option == word.text) {
            rest.next();
        }
    }
    operands
}

/// Returns the words after a wrapper's own options and its first operands, and true if all of its options are known. `flags` are
/// options without a value, `valued` those with one.
pub(super) fn behind<'a>(
    words: &'a [Word],
    flags: &str,
    valued: &str,
    operands: usize,
) -> (&'a [Word], bool) {
    let (mut at, mut known) = (0, true);
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            at += 1;
            break;
        }
        if !text.starts_with('-') || text.len() == 1 {
            break;
        }
        if valued.split_whitespace().any(|option| option == text) {
            at += 1;
        } else {
            let glued = |option: &str| {
                text.starts_with(option)
                    && (!option.starts_with("--") || text[option.len()..].starts_with('='))
            };
            let number = text[1..].bytes().all(|b| b.is_ascii_digit());
            known &= number
                || flags.split_whitespace().any(|option| option == text)
                || valued.split_whitespace().any(glued);
        }
        at += 1;
    }
    (words.get(at + operands..).unwrap_or_default(), known)
}
