//! Grammars of programs that read with most of their options, and write with some: the options with which they only read.
//!
//! The options come from the manual pages. An option that is not listed is asked about.

use super::options::{Argument, parsed};
use crate::validator::{shell::Word, table};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::LazyLock};

/// The grammar of a program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Grammar {
    /// The short options without a value that only read.
    flags: String,
    /// The short options with a value that only read.
    valued: String,
    /// All short options that take a value.
    letters: String,
    /// The long options that only read, with `=` after those that take a value.
    long: String,
}

/// The grammars, by the names of the programs.
static GRAMMARS: LazyLock<BTreeMap<String, Grammar>> =
    LazyLock::new(|| table::parse(include_str!("grammars.toml")));

/// Returns whether a program only reads with its arguments; `None` if its grammar is not known.
pub(super) fn only_reads(name: &str, arguments: &[Word]) -> Option<bool> {
    let (_, grammar) = GRAMMARS.iter().find(|(names, _)| names.split(' ').any(|other| other == name))?;
    let names: Vec<&str> =
        grammar.long.split_whitespace().filter_map(|name| name.strip_suffix('=')).collect();
    let arguments = parsed(arguments, &grammar.letters, &names.join(" "));
    let listed = |Argument { option, .. }: &Argument| {
        let letter = option.strip_prefix('-').filter(|letter| !letter.starts_with('-'));
        match letter {
            Some(letter) => {
                grammar.flags.contains(letter)
                    || grammar.valued.contains(letter)
                    || name != "rpm" && letter.chars().all(|c| c.is_ascii_digit())
            }
            None => {
                option.is_empty()
                    || grammar.long.split_whitespace().any(|long| long.trim_end_matches('=') == option)
            }
        }
    };
    let every = arguments.iter().all(listed);
    let has = |list: &[&str]| arguments.iter().any(|argument| list.contains(&argument.option.as_str()));
    let operands = || arguments.iter().filter(|argument| argument.option.is_empty());
    Some(
        every
            && match name {
                // A date without a leading sign sets the clock.
                "date" => {
                    operands().all(|argument| argument.value.starts_with('+') || has(&["-j", "-v", "-r"]))
                }
                "rpm" => has(&[
                    "-q",
                    "-V",
                    "-K",
                    "--query",
                    "--verify",
                    "--checksig",
                    "--version",
                    "--help",
                    "--querytags",
                ]),
                "dpkg" => has(&[
                    "-l",
                    "-L",
                    "-S",
                    "-s",
                    "-C",
                    "-V",
                    "-I",
                    "-c",
                    "-p",
                    "--list",
                    "--listfiles",
                    "--search",
                    "--status",
                    "--audit",
                    "--verify",
                    "--print-avail",
                    "--print-architecture",
                    "--print-foreign-architectures",
                    "--get-selections",
                    "--compare-versions",
                    "--version",
                    "--help",
                    "--info",
                    "--contents",
                ]),
                "unzip" => has(&["-l", "-p", "-v", "-t", "-Z", "-z", "-c", "-h", "--help", "--version"]),
                "bat" | "batcat" => operands().next().is_none_or(|argument| argument.value != "cache"),
                _ => true,
            },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_options_read() {
        for (line, reads) in [
            ("sort -t, -k3,3nr a", Some(true)),
            ("sort -uonames.txt a", Some(false)),
            ("sort -to a", Some(true)),
            ("date -Iseconds", Some(true)),
            ("date -s now", Some(false)),
            ("date 01010000", Some(false)),
            ("rpm -qi bash", Some(true)),
            ("rpm -i a.rpm", Some(false)),
            ("unzip -l a.zip", Some(true)),
            ("unzip a.zip -x -l", Some(false)),
            ("cat a", None),
        ] {
            let words: Vec<Word> = line.split(' ').map(Word::literal).collect();
            assert_eq!(only_reads(&words[0].text, &words[1..]), reads, "{line}");
        }
    }
}
