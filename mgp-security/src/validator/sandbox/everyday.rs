//! Everyday commands that look like harmful ones: statements that only read, and builds of images.

use super::{judge::ScriptJudge, options};
use crate::validator::{
    shell::Word,
    sql::{self, Answer},
    table::{self, Words},
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `everyday.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("everyday.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    shows: Words,
    writes: Words,
    reaches: Words,
}

impl ScriptJudge<'_> {
    /// Returns whether a client of a database queries a server of this machine, or a file, with a statement that only reads.
    pub(super) fn only_queries(&self, name: &str, arguments: &[Word]) -> bool {
        const FLAGS: &str = "-t -A -q -x -X -w -tA -At -tq --csv --no-psqlrc --quiet --tuples-only -header -column -json -csv -readonly -N -B -s -line -markdown";
        const VALUED: &str = "-h --host -U --username -d --dbname -p --port -u --user -D --database";
        let (mut statements, mut rest, mut names) = (Vec::new(), arguments.iter(), 0);
        while let Some(word) = rest.next() {
            let Some(text) = word.known() else { return false };
            let statement =
                ["-c", "--command", "-e", "--execute", "-tAc", "-Atc", "-tc", "-qc", "-Nse", "-Ne", "-se"]
                    .contains(&text);
            if statement && name != "sqlite3" {
                let Some(statement) = rest.next().and_then(|word| word.known()) else { return false };
                statements.push(statement);
            } else if VALUED.split(' ').any(|option| option == text) && name != "sqlite3" {
                let Some(value) = rest.next().and_then(|word| word.known()) else { return false };
                let own = ["localhost", "127.0.0.1", "::1"].contains(&value);
                if ["-h", "--host"].contains(&text) && !own || value.contains([':', '/', '=', '|']) {
                    return false;
                }
            } else if text.starts_with('-') {
                if !FLAGS.split(' ').any(|flag| flag == text) {
                    return false;
                }
            } else if name == "sqlite3" && names == 1 {
                statements.push(text);
                names += 1;
            } else {
                names += 1;
                if names > 2
                    || text.contains([':', '=', '|', '~'])
                    || text.starts_with('/')
                    || text.contains("..")
                {
                    return false;
                }
            }
        }
        !statements.is_empty() && statements.into_iter().all(only_reads)
    }

    /// Returns whether an image is built from the project's own folder, with options that give it no further access.
    pub(super) fn builds_image(&self, arguments: &[Word]) -> bool {
        const VALUED: &str = "-t --tag -f --file --target --progress --platform";
        let flags = ["--no-cache", "--pull", "-q", "--quiet", "--load", "--rm"];
        let Some(at) = arguments.iter().position(|word| word.text == "build") else { return false };
        let rest = &arguments[at + 1..];
        let inside = |text: &str| {
            !text.starts_with(['/', '~', '-'])
                && !text.contains("..")
                && !text.contains("://")
                && !text.contains('@')
        };
        let known = rest.iter().all(|word| {
            let Some(text) = word.known() else { return false };
            let option = text.split('=').next().unwrap_or_default();
            !text.starts_with('-')
                || flags.contains(&text)
                || VALUED.split(' ').any(|valued| valued == option)
        });
        let tagged = rest.iter().any(|word| word.text.starts_with("-t") || word.text.starts_with("--tag"));
        let operands = options::operands(rest, VALUED);
        let values = rest.iter().filter(|word| !word.text.starts_with('-')).all(|word| inside(&word.text));
        at == 0 && known && tagged && values && operands.len() == 1
    }
}

/// Returns whether a statement of SQL, or a command of a client, only reads, according to every dialect and a few plain words.
fn only_reads(statement: &str) -> bool {
    let lower = statement.trim().trim_end_matches(';').to_ascii_lowercase();
    let first = lower.split_whitespace().next().unwrap_or_default();
    let plain = |c: char| c.is_alphanumeric() || " _,.*()'=<>%\"\n\t!-".contains(c);
    if TABLE.shows.contains(&first) {
        return lower[first.len()..].chars().all(|c| c.is_alphanumeric() || " _.*".contains(c));
    }
    let verb = ["select", "show", "explain", "describe", "desc"].contains(&first);
    let words = || lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    verb && lower.chars().all(plain)
        && !lower.contains("--")
        && sql::judge(statement, None) == Some(Answer::Reads)
        && !words().any(|word| {
            TABLE.writes.contains(&word) || TABLE.reaches.iter().any(|start| word.starts_with(start))
        })
}
