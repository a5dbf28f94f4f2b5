//! Names of operations, methods and members that request a change.

use super::{finding::Finding, kinds};
use crate::{
    validator::{
        Leaf,
        table::{self, Words},
    },
    words::words,
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `names.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("names.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    verbs: Words,
    reads: Words,
    members: Words,
    calls: Words,
    shell: Words,
}

/// Returns whether a name is that of an operation which changes something. `call` is true for the name of a call.
pub(super) fn changes(name: &str) -> bool {
    let words = words(name);
    let verb = |word: &String| {
        TABLE.verbs.contains(&word.as_str())
            || TABLE.verbs.iter().any(|verb| {
                verb.len() > 4
                    && word.starts_with(verb)
                    && word.len() <= verb.len() + 4
                    && !word.ends_with('d')
                    && !word.ends_with('s')
                    && !word.ends_with("ing")
                    && !word.ends_with("or")
                    && !word.ends_with("er")
            })
    };
    let Some(at) = words.iter().position(verb) else { return false };
    // `findOneAndDelete` changes something, `getUpdates` does not.
    let reads = words[..at].iter().any(|word| TABLE.reads.contains(&word.as_str()));
    let and = words[..at].iter().any(|word| ["and", "or", "then"].contains(&word.as_str()));
    !reads || and
}

/// Returns whether a text is a name: a single word, possibly with dots, slashes and the like.
fn is_name(text: &str) -> bool {
    const LONGEST: usize = 120;
    !text.is_empty()
        && text.len() <= LONGEST
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '#' | '"' | '$'))
}

/// Judges a string that may name an operation.
pub(super) fn judge(leaf: &Leaf) -> Option<Finding> {
    let text = leaf.text.trim();
    let within = ["/filter/", "/filters/", "/where/", "/query/", "/match/", "/payload_filter/"]
        .iter()
        .any(|parent| leaf.pointer.contains(parent));
    let listed = leaf.pointer.rsplit('/').next().is_some_and(|part| part.bytes().all(|b| b.is_ascii_digit()))
        && leaf.key().ends_with('s');
    let named = kinds::is_operation(leaf) && !within && !listed && is_name(text);
    let called = (leaf.pointer.ends_with("/params/name")
        || ["client", "target", "sdk"].contains(&leaf.key()) && text.contains('.')
        || crate::words::joined(leaf.key()) == "xamztarget")
        && is_name(text);
    if is_name(text)
        && (["rpc", "fn", "function", "func", "procedure", "proc"].contains(&leaf.key())
            && crate::validator::sql::is_effect(text)
            || crate::words::joined(text) == "storedprocedure")
    {
        return Some(Finding::Doubt("a function of a database that does more than compute"));
    }
    if !named && !called {
        return None;
    }
    if ["operation", "op", "command"].contains(&leaf.key())
        && text.len() > 3
        && !["sort", "type", "move", "copy"].contains(&text)
        && super::statements::is_protocol_command(text, true)
    {
        return Some(Finding::Doubt("an operation that is named after a change"));
    }
    let last = text
        .trim_matches('"')
        .rsplit(['/', '.', ':', '#', '$'])
        .find(|part| !part.is_empty())
        .unwrap_or_default();
    let any = changes(last) || changes(text) && !text.starts_with("http") && !text.contains("://");
    any.then_some(Finding::Doubt("an operation that is named after a change"))
}

/// Judges a member's name.
pub(super) fn judge_member(leaf: &Leaf) -> Option<Finding> {
    const CHANGES: Finding = Finding::Doubt("a member that holds a change or its target");
    if leaf.text.starts_with('$') {
        return None;
    }
    let name = crate::words::joined(&leaf.text);
    let listed = TABLE.members.contains(&name.as_str());
    let parts = words(&leaf.text);
    // `updateOne`, `bulk_write`, `delete-users`, but not `created_at`.
    let called = parts.len() > 1
        && TABLE.verbs.contains(&parts[0].as_str())
        && ![
            "at", "on", "by", "since", "after", "before", "time", "date", "from", "to", "id", "key", "only",
            "count", "mode", "with", "line", "index", "offset", "token",
        ]
        .contains(&parts[parts.len() - 1].as_str())
        && !["start", "end", "run", "tag", "sync", "post", "link", "set", "lock"]
            .contains(&parts[0].as_str());
    (listed || called).then_some(CHANGES)
}

/// Judges the calls in a text that may be code: `db.users.insertOne(...)`, `requests.post(...)`.
pub(super) fn judge_code(leaf: &Leaf) -> Option<Finding> {
    let text = leaf.text.as_str();
    let code = ["code", "expr", "expression", "script", "source", "ruby", "rails"].contains(&leaf.key());
    let last = text.trim().rsplit('.').next().unwrap_or_default();
    if code && text.contains('.') && is_name(text.trim()) && !text.contains('/') && changes(last)
        || has_stage(text) && !kinds::is_prose(leaf) && !kinds::is_search(leaf)
    {
        return Some(Finding::Doubt("code that may write"));
    }
    if !text.contains('(') || kinds::is_sql(leaf) || kinds::is_prose(leaf) || kinds::is_search(leaf) {
        return None;
    }
    if text.trim_start().starts_with("db[")
        || text.contains("ofstream")
        || text.contains("::create(")
        || has_stage(text)
    {
        return Some(Finding::Doubt("code that may write"));
    }
    let quiet = within_strings(text);
    let shell = text.trim_start().starts_with("db.")
        || text.trim_start().starts_with("sh.")
        || text.trim_start().starts_with("rs.");
    let runs = text.contains("function") && text.contains('{');
    for (at, _) in text.match_indices('(') {
        if quiet.binary_search(&at).is_ok() {
            continue;
        }
        let before = &text[..at];
        let start = before
            .char_indices()
            .rev()
            .take(64)
            .find(|(_, c)| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '!')))
            .map_or_else(|| before.floor_char_boundary(at.saturating_sub(64)), |(at, c)| at + c.len_utf8());
        let Some(path) = text.get(start..at).filter(|path| !path.is_empty()) else { continue };
        let name = path.rsplit(['.', ':', '!']).next().unwrap_or_default();
        let behind = &text[at + 1..];
        let joined = crate::words::joined(name);
        let method = path.len() > name.len();
        let inside: String = behind.chars().take(200).collect::<String>().to_ascii_lowercase();
        let opens = name.to_ascii_lowercase().contains("open") && opens_to_write(&inside);
        let sends = ["fetch", "ajax", "axios", "request"].contains(&joined.as_str())
            && ["post", "put", "patch", "delete"]
                .iter()
                .any(|verb| inside.contains(&format!("'{verb}'")) || inside.contains(&format!("\"{verb}\"")));
        let quoted = inside.starts_with('\'') || inside.starts_with('"');
        let stated = ["sql", "execute", "query", "raw", "exec"].contains(&joined.as_str())
            && quoted
            && begins_change(&behind[1..]);
        if stated {
            return Some(Finding::Doubt("a statement in code"));
        }
        if TABLE.calls.contains(&joined.as_str()) && (method || quoted || joined.starts_with("db"))
            || name == "run" && quoted && at == 3
            || opens
            || sends
            || method && changes(name)
        {
            return Some(Finding::Doubt("a call in code that is named after a change"));
        }
        if shell && !TABLE.shell.contains(&joined.as_str()) {
            return Some(Finding::Doubt("a method that may do more than read"));
        }
        if shell && runs {
            return Some(Finding::Doubt("code that the database runs"));
        }
    }
    let tail = text.trim_end();
    (shell && tail.len() > 3 && text.contains(");") && text.trim_end_matches(';').contains(';'))
        .then_some(Finding::Doubt("several statements in code"))
}

/// Returns whether a text begins with a statement that changes something, or with an overlong comment.
fn begins_change(text: &str) -> bool {
    const NEAR: usize = 512;
    let text = text.trim_start();
    let near = &text[..text.floor_char_boundary(NEAR)];
    let hidden = near.len() < text.len() && ["/*", "--", "#"].iter().any(|comment| near.starts_with(comment));
    hidden
        || matches!(
            super::statements::start(near),
            Some(super::statements::Start::Changes { fits: true, .. })
        )
}

/// Returns whether a text contains a stage of MongoDB that writes or runs code.
pub(super) fn has_stage(text: &str) -> bool {
    ["$out", "$merge", "$function", "$where", "$accumulator"].iter().any(|stage| {
        text.match_indices(stage)
            .any(|(at, _)| !text[at + stage.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            && text.contains('{')
    })
}

/// Returns the positions of the parentheses in strings, in order.
fn within_strings(text: &str) -> Vec<usize> {
    let (mut places, mut quote, mut escaped) = (Vec::new(), None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if open == c => quote = None,
            (Some(_), '(') => places.push(at),
            (None, '\'' | '"' | '`') => quote = Some(c),
            _ => {}
        }
    }
    // Unclosed quotes hide nothing.
    if quote.is_some() { Vec::new() } else { places }
}

/// Returns whether the arguments of a function that opens a file request writing.
fn opens_to_write(arguments: &str) -> bool {
    let end = arguments.find(')').unwrap_or(arguments.len());
    let (_, mode) = arguments[..end].split_once(',').unwrap_or_default();
    let mode = mode.trim_matches(|c: char| c.is_whitespace() || "'\"".contains(c));
    let mode = mode
        .rsplit('=')
        .next()
        .unwrap_or_default()
        .trim_matches(|c: char| c.is_whitespace() || "'\"".contains(c));
    mode.starts_with(['w', 'a', 'x', 'c', '>'])
        || mode.contains('>')
        || mode.contains('+')
        || mode.contains("wr")
        || mode.contains("creat")
        || mode.contains("trunc")
        || mode.contains("append")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::steps_of;

    #[test]
    fn a_changing_verb_without_a_reading_one_names_a_change() {
        for name in ["deleteUser", "find_one_and_update", "bulkWrite", "UserService/DeleteUser", "removeAll"]
        {
            assert!(changes(name), "{name}");
        }
        for name in ["getUpdates", "list_deleted", "search", "describeCreateOptions", "find", "count"] {
            assert!(!changes(name), "{name}");
        }
    }

    #[test]
    fn only_the_beginning_of_a_statement_in_code_is_read() {
        let text = "query('x')".repeat(6_000);
        let (found, steps) = steps_of(|| judge_code(&Leaf::new("/data", &*text)));
        assert_eq!(found, None);
        assert!(steps <= 256 * text.len() as u64, "{steps} steps for {} bytes", text.len());
        for (behind, finds) in [
            (format!("{}drop table t", " ".repeat(600)), true),
            (format!("/*{}*/ drop table t", " ".repeat(600)), true),
            (format!("select {} from t", "a, ".repeat(600)), false),
        ] {
            let code = Leaf::new("/data", format!("query('{behind}')"));
            assert_eq!(judge_code(&code).is_some(), finds, "{}", code.text);
        }
    }

    #[test]
    fn calls_in_strings_do_not_count() {
        assert!(judge_code(&Leaf::new("/query", "db.users.deleteMany({})")).is_some());
        assert!(judge_code(&Leaf::new("/query", "db.users.find({note: 'drop() me'})")).is_none());
        assert!(judge_code(&Leaf::new("/code", "open('a.txt', 'w')")).is_some());
        assert!(judge_code(&Leaf::new("/code", "open('a.txt')")).is_none());
    }
}
