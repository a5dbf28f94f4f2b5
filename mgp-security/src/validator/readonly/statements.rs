//! The beginnings of statements: a verb, followed by the words that the grammar requires.

use super::tokens::{Token, tokens};
use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `statements.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("statements.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// The verbs that change something, one a line.
    changes: String,
    commands: Words,
    client_reads: Words,
    module_verbs: Words,
}

/// The beginning of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// A verb that may read.
    Reads,
    /// A verb that changes something. `fits` is true if the required words follow; `caps` if the verb is written in capitals.
    Changes { fits: bool, caps: bool },
}

/// Verbs that may read.
const READS: &str = "select with values table show describe desc explain pragma from pivot unpivot summarize";

/// Words after such a command that make it read.
const TELLS: &[(&str, &str)] = &[
    ("config", "get"),
    ("function", "list stats"),
    ("script", "exists"),
    ("cluster", "info nodes slots shards keyslot myid"),
    ("acl", "list whoami users getuser cat log"),
    ("client", "list info id getname"),
    ("latency", "latest history doctor graph"),
    ("slowlog", "get len"),
    ("memory", "usage stats doctor"),
    ("module", "list"),
    ("debug", ""),
    ("uid", "fetch search"),
];

/// Names of languages and clients that may precede a statement.
const LANGUAGES: &[&str] = &["sql", "bigquery", "sqlite", "psql", "mysql", "cypher"];

/// Returns the beginning of the statement in a text, if the text begins with one.
pub(super) fn start(text: &str) -> Option<Start> {
    let all = tokens(text);
    let at = all.iter().position(|token| !is_before(token))?;
    let named = at > 0 && LANGUAGES.contains(&all[at].word());
    // Magic of notebooks, tags and fences of Markdown name the language first.
    let behind = all[at..].iter().skip(1).position(|token| !is_before(token)).filter(|_| named);
    start_of(&all[at + behind.map_or(0, |behind| behind + 1)..])
}

/// Returns whether a token may precede a statement.
fn is_before(token: &Token) -> bool {
    matches!(
        token,
        Token::Mark(';' | '(' | '{' | '%' | '!' | '|' | '/' | '?' | '=' | '`' | '<' | '>') | Token::Number
    )
}

fn start_of(tokens: &[Token]) -> Option<Start> {
    let Some((Token::Word { text: verb, .. }, behind)) = tokens.split_first() else { return None };
    let runs = |verb: &str, behind: &[Token]| {
        ["profile", "analyze", "analyse"].contains(&verb)
            || verb == "explain"
                && behind.first().is_some_and(|next| ["analyze", "analyse"].contains(&next.word()))
    };
    // A statement that is explained also runs in some languages. More than a few of these words are not a statement.
    let mut explained = behind;
    let mut prefix = verb.as_str();
    for _ in 0..MAX_PREFIXES {
        let Some((next, rest)) = explained.split_first().filter(|_| runs(prefix, explained)) else { break };
        if !runs(next.word(), rest) {
            match plain_start(explained) {
                Some(found @ Start::Changes { fits: true, .. }) => return Some(found),
                _ => break,
            }
        }
        (prefix, explained) = (next.word(), rest);
    }
    plain_start(tokens)
}

/// The most words before an explained statement.
const MAX_PREFIXES: usize = 8;

/// Returns the beginning of a statement that is not explained.
fn plain_start(tokens: &[Token]) -> Option<Start> {
    let Some((Token::Word { text: verb, caps }, behind)) = tokens.split_first() else { return None };
    let named = |line: &&str| line.split_ascii_whitespace().next() == Some(verb);
    let grammar = TABLE.changes.lines().filter(named).flat_map(|line| line.split_ascii_whitespace().skip(1));
    let mut listed = false;
    for follower in grammar {
        listed = true;
        if follows(follower, behind) {
            return Some(Start::Changes { fits: true, caps: *caps });
        }
    }
    if READS.split(' ').any(|other| other == verb) {
        return Some(Start::Reads);
    }
    listed.then_some(Start::Changes { fits: false, caps: *caps })
}

/// Returns whether a text has the form of statements in capitals: the verb of `start`, followed by another word in capitals, a mark or
/// something in quotes.
pub(super) fn is_formed(text: &str) -> bool {
    let tokens = tokens(text);
    let formed = |token: &Token| match token {
        Token::Word { caps, .. } => *caps,
        Token::Quoted | Token::Number => true,
        Token::Mark(mark) => matches!(mark, '(' | '.' | '@' | '*' | '=' | '[' | '`' | '\''),
    };
    tokens.iter().skip(1).take(3).any(formed)
}

/// Returns whether a text begins with two words in capitals, or is a command for a database client: `\! ls`, `.shell ls`, `:r x`, `@x.sql`.
pub(super) fn is_unknown(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let capital = |word: Option<&str>| {
        word.is_some_and(|word| word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
    };
    let first = words.next().unwrap_or_default();
    let meta = |mark: char, at_least: usize| {
        first.strip_prefix(mark).is_some_and(|name| {
            name.len() >= at_least
                && name.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '_' | '!' | '-'))
        })
    };
    let many = text.split_whitespace().count() > 1;
    let client = (meta('\\', 1)
        || first.starts_with("\\!")
        || many && meta('.', 3) && !text.contains(['[', '|', '=']))
        && !(first.starts_with("\\d")
            || TABLE.client_reads.iter().any(|tell| first.trim_end_matches(['+', 'S']) == *tell))
        || many && meta('!', 3);
    let sqlcmd = first.starts_with(":!!")
        || [":r", ":out", ":connect", ":setvar", ":error", ":listvar"].contains(&first) && many;
    let script = first.starts_with('@') && !many && (first.ends_with(".sql") || first.starts_with("@@"));
    let gexec =
        ["\\gexec", "\\watch", "\\gset", "\\g ", "\\copy", "\\o "].iter().any(|meta| text.contains(meta));
    let procedure =
        ["sp_", "xp_", "dbms_"].iter().any(|start| first.to_ascii_lowercase().starts_with(start)) && many;
    capital(Some(first)) && capital(words.next()) || client || sqlcmd || script || gexec || procedure
}

/// Returns whether the tokens after a verb begin as its grammar requires.
fn follows(follower: &str, tokens: &[Token]) -> bool {
    let at = |at: usize| tokens.get(at);
    let ends = |at: usize| tokens.get(at).is_none_or(|token| *token == Token::Mark(';'));
    match follower {
        "." => ends(0),
        "#" => at(0) == Some(&Token::Number),
        "'" => at(0) == Some(&Token::Quoted),
        "=" => assigns(tokens),
        "*" => {
            at(0).is_some_and(Token::is_name) && ends(behind_name(tokens))
                || at(0) == Some(&Token::Mark('*')) && ends(1)
        }
        "*." => at(0).is_some_and(Token::is_name) && at(1) == Some(&Token::Mark('.')),
        _ if follower.starts_with('*') && follower.len() > 1 => {
            let next = behind_name(tokens);
            next > 0 && follows(&follower[1..], &tokens[next.min(tokens.len())..])
        }
        _ => match at(0) {
            Some(Token::Mark(mark)) => follower.strip_prefix(*mark) == Some(""),
            Some(token) => {
                let word = token.word();
                word == follower || follower.ends_with('_') && word.starts_with(follower)
            }
            None => false,
        },
    }
}

/// Returns the position after a dotted name; zero if there is no name.
fn behind_name(tokens: &[Token]) -> usize {
    let mut at = 0;
    while tokens.get(at).is_some_and(Token::is_name) {
        at += 1;
        if tokens.get(at) != Some(&Token::Mark('.')) {
            break;
        }
        at += 1;
    }
    at
}

/// Returns whether tokens contain an assignment after a name: `x = 1`, or `t SET x = 1`.
fn assigns(tokens: &[Token]) -> bool {
    const NEAR: usize = 24;
    let near = &tokens[..tokens.len().min(NEAR)];
    let direct = behind_name(near);
    let is_sign = |at: usize| matches!(near.get(at), Some(Token::Mark('=')));
    let to =
        matches!(near.get(direct), Some(token) if token.word() == "to") && direct == 1 && near.len() == 3;
    if direct > 0 && (is_sign(direct) || to) {
        return true;
    }
    near.iter().enumerate().any(|(at, token)| {
        let rest = near.get(at + 1..).unwrap_or_default();
        let name = behind_name(rest);
        let set = token.word() == "set" && at > 0;
        let signs = matches!(rest.get(name), Some(Token::Mark('=' | '[' | '+' | '(' | ':')));
        let merged = token.word() == "with" && rest.first() == Some(&Token::Mark('{'));
        let shaped = set && rest.first() == Some(&Token::Mark('{'));
        shaped
            || set
                && (name > 0 && signs
                    || rest.first() == Some(&Token::Mark('('))
                    || rest.first() == Some(&Token::Mark('@')))
            || merged
    })
}

/// Returns whether a text is a command of Redis or another protocol that changes something.
pub(super) fn is_protocol_command(text: &str, certain: bool) -> bool {
    let mut words = text.split_ascii_whitespace();
    let Some(first) = words.next() else { return false };
    let verb = first.to_ascii_lowercase();
    let next = words.next().unwrap_or_default().to_ascii_lowercase();
    if TELLS
        .iter()
        .any(|(name, tells)| *name == verb && tells.split(' ').any(|tell| tell == next && !tell.is_empty()))
    {
        return false;
    }
    let caps = first.len() > 2 && !first.contains(|c: char| c.is_ascii_lowercase());
    let listed = TABLE.commands.contains(&verb.as_str());
    let module = first.split_once('.').is_some_and(|(module, call)| {
        caps && (2..=6).contains(&module.len()) && TABLE.module_verbs.iter().any(|verb| call.contains(verb))
    });
    (listed || module) && (caps || certain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_begins_a_statement_only_with_its_required_words() {
        for text in [
            "insert into t values (1)",
            "update t set a = 1",
            "delete from t",
            "drop table t",
            "kill 55",
            "call app.purge()",
            "truncate t",
            "/* x */ -- y\n delete from t",
            "\u{feff};; grant select on t to bob",
            "%sql truncate accounts",
            "merge t using s on 1 = 1",
            "explain analyze delete from t",
            "use shop",
            "set @a = 1",
            "do $$ begin end $$",
        ] {
            assert!(matches!(start(text), Some(Start::Changes { fits: true, .. })), "{text}");
        }
        for text in [
            "insert the coin",
            "update dependencies automatically",
            "drop shadow generator",
            "merge conflicts how to",
            "kill bill",
            "call stack exceeded",
            "use effect cleanup",
            "set theory lecture notes",
            "grant writing for beginners",
            "load balancing algorithms",
            "restore old photos",
            "rename a branch",
            "lock screen wallpaper",
            "do you need a visa",
            "execute around pattern",
        ] {
            assert!(matches!(start(text), Some(Start::Changes { fits: false, caps: false })), "{text}");
        }
        assert_eq!(start("how to delete from a list"), None);
        assert_eq!(start("(select 1)"), Some(Start::Reads));
    }

    #[test]
    fn protocol_commands_count_in_capitals_unless_in_prose() {
        for (text, changes) in [
            ("SET k v", true),
            ("set k v", false),
            ("CONFIG SET a b", true),
            ("CONFIG GET a", false),
            ("GET k", false),
            ("JSON.SET d $ 1", true),
            ("JSON.GET d", false),
        ] {
            assert_eq!(is_protocol_command(text, false), changes, "{text}");
        }
        assert!(is_protocol_command("set k v", true));
    }
}
