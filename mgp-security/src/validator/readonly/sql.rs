//! SQL in any member.

use super::{
    finding::Finding,
    graph::{self, Graph},
    kinds,
    statements::{Start, is_formed, is_unknown, start},
    tokens::is_invisible,
};
use crate::validator::{
    Leaf, LeafKind, sandbox,
    sql::{self, Answer},
};
use mgp_types::tool_security::SqlDialect;

/// The words that begin an SQL statement that changes something, each with the words that may follow it. Outside
/// members for SQL, a word counts only if one of these follows.
const VERBS: &[(&str, &[&str])] = &[
    ("insert", &["into", "or", "overwrite", "ignore"]),
    ("update", &[]),
    ("delete", &["from"]),
    ("drop", &[]),
    ("alter", &[]),
    ("create", &[]),
    ("truncate", &[]),
    ("replace", &["into"]),
    ("merge", &["into"]),
    ("upsert", &[]),
    ("grant", &[]),
    ("revoke", &[]),
    ("vacuum", &[]),
    ("attach", &[]),
    ("reindex", &[]),
    ("call", &[]),
    ("exec", &[]),
    ("lock", &["table", "tables"]),
];

/// The words that follow `create`, `drop` and the like.
const OBJECTS: &[&str] = &[
    "table",
    "index",
    "view",
    "trigger",
    "database",
    "schema",
    "temp",
    "temporary",
    "unique",
    "or",
    "user",
    "role",
];

const WRITES: Finding = Finding::Harm("an SQL statement that writes");
const UNREAD: Finding = Finding::Doubt("SQL that no dialect reads");
const LONG: Finding = Finding::Doubt("a text that is too long to be judged");
const BEGINS: Finding = Finding::Doubt("a text that begins as a statement which changes something");

/// Judges a string that is too long to be read as a statement.
pub(super) fn judge_long(leaf: &Leaf) -> Finding {
    if kinds::is_sql(leaf) && changes_by_sql(&leaf.text, true) { WRITES } else { LONG }
}

/// The longest text, in bytes, in which the name of a function counts in a member that is not for statements: longer ones are data or code.
const LONGEST_VALUE: usize = 2_000;

/// Judges a string that is a statement, or may be.
pub(super) fn judge(leaf: &Leaf, dialect: Option<SqlDialect>) -> Option<Finding> {
    let text = leaf.text.trim_matches(|c: char| c.is_whitespace() || is_invisible(c));
    // A fence of Markdown.
    let text = text
        .strip_prefix("```")
        .and_then(|text| text.split_once('\n'))
        .map_or(text, |(_, body)| body.trim_end().trim_end_matches('`'));
    if text.is_empty() {
        return None;
    }
    // A name of several words may be a statement; a value may be one word.
    let graph = graph::judge(text);
    if let Some(Graph::Found(finding)) = graph {
        let stated = !(kinds::is_prose(leaf) || kinds::is_search(leaf));
        return Some(if stated { finding } else { finding.doubted() });
    }
    // After a semicolon, a statement of SQL may follow.
    if graph == Some(Graph::Reads) && !(text.contains(';') && kinds::is_sql(leaf)) {
        if !kinds::is_prose(leaf) && follows_any(text) {
            return Some(BEGINS);
        }
        return (sql::calls_effects(text) && !kinds::is_prose(leaf)).then_some(BEGINS);
    }
    if kinds::is_sql(leaf) && leaf.kind == LeafKind::Text {
        return certain(leaf, text, dialect);
    }
    perhaps(leaf, text, dialect)
}

/// Judges the text of a member for SQL.
fn certain(leaf: &Leaf, text: &str, dialect: Option<SqlDialect>) -> Option<Finding> {
    let is_word = !text.contains(|c: char| c.is_whitespace() || "(;".contains(c));
    let answer = sql::judge(text, dialect);
    let begun = start(text);
    if is_word && !matches!(begun, Some(Start::Changes { fits: true, .. })) && answer.is_none() {
        // The name of a file, a table or a stored query.
        return None;
    }
    let tells = || {
        let explains = text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("explain "));
        explains && sql::judge(text, None) == Some(Answer::Reads)
    };
    // If the dialect is known, only its reading of SQL counts.
    let decided = dialect.is_some() && answer.is_some();
    if !decided && changes_by_sql(text, true) && !tells() {
        return Some(WRITES);
    }
    match answer {
        Some(Answer::Writes(what)) => Some(Finding::Harm(what)),
        Some(Answer::Unknown(what)) => Some(Finding::Doubt(what)),
        Some(Answer::Reads) => matches!(begun, Some(Start::Changes { fits: true, .. })).then_some(BEGINS),
        None => (!leaf.is_plain_name()).then_some(UNREAD),
    }
}

/// Judges the text of a member that is not only for SQL.
fn perhaps(leaf: &Leaf, text: &str, dialect: Option<SqlDialect>) -> Option<Finding> {
    if sandbox::is_command(leaf) {
        return in_command(text, dialect);
    }
    let (prose, search) = (kinds::is_prose(leaf), kinds::is_search(leaf));
    let milder = |finding: Finding| if search || prose { finding.doubted() } else { finding };
    if kinds::is_piece(leaf)
        && let Some(finding) = piece(text)
    {
        return Some(finding);
    }
    let stated = kinds::is_stated(leaf) && !prose && !search;
    let hints = (text.starts_with("/*!") || text.starts_with("/*M!")) && !prose;
    // A part of a call that is given as a name, and the text after it: `dbo.purge 7`.
    if hints
        || stated && is_unknown(text) && !matches!(start(text), Some(Start::Reads))
        || stated && ["\\gexec", "\\watch", "\\g |"].iter().any(|meta| text.contains(meta))
    {
        return Some(BEGINS);
    }
    if (text.starts_with(['\\', '!'])
        || ["sp_", "xp_"].iter().any(|start| text.starts_with(start))
        || text.starts_with("@@")
        || text.starts_with(":!!")
        || text.starts_with('.'))
        && !prose
        && leaf.key() != "jq"
        && is_unknown(text)
    {
        return Some(BEGINS);
    }
    if !prose
        && !search
        && (later(text)
            || (stated || kinds::is_query(leaf) || text.len() < LONGEST_VALUE)
                && !text.contains("=>")
                && sql::calls_effects(text))
    {
        return Some(BEGINS);
    }
    match start(text)? {
        Start::Reads => match sql::judge(text, dialect) {
            Some(Answer::Writes(what)) => Some(milder(Finding::Harm(what))),
            Some(Answer::Unknown(what)) => (!prose).then_some(Finding::Doubt(what)),
            Some(Answer::Reads) => None,
            None if text.to_ascii_lowercase().starts_with("pragma") && text.contains('=') && !prose => {
                Some(UNREAD)
            }
            None => (!prose
                && selects(text)
                && (stated || kinds::is_query(leaf) || !text.contains("|>"))
                && !is_flux(text)
                && sql::may_write(text))
            .then_some(UNREAD),
        },
        Start::Changes { fits, caps } => {
            let few = text.split_whitespace().count() <= 2;
            if prose && !(fits && caps) || !fits && !caps {
                // A dialect may allow more than the grammar of the others: `delete accounts`.
                let parsed = || matches!(sql::judge(text, dialect), Some(Answer::Writes(_)));
                return (kinds::is_query(leaf) && parsed()).then_some(BEGINS);
            }
            if !fits {
                return (!prose && !few && is_formed(text)).then_some(BEGINS);
            }
            if (search || prose)
                && few
                && !(caps && search && is_formed(text))
                && !text.contains(['(', '.', '\'', '@', '*', ';'])
            {
                return None;
            }
            if text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
                && !caps
                && !kinds::is_query(leaf)
            {
                // One word, such as the name of a state.
                return None;
            }
            let answer = sql::judge(text, dialect);
            let plain = text.chars().all(|c| c.is_alphanumeric() || c == ' ') && text.split(' ').count() > 4;
            if plain && !caps && answer.is_none() && !kinds::is_stated_only(leaf) {
                // A sentence.
                return None;
            }
            let writes = matches!(answer, Some(Answer::Writes(_)));
            Some(if caps && writes && !search && !prose { WRITES } else { BEGINS })
        }
    }
}

/// Judges the text of a member for commands, which may be a statement if its first word is not a program.
fn in_command(text: &str, dialect: Option<SqlDialect>) -> Option<Finding> {
    let first = text.split_whitespace().next().unwrap_or_default();
    if sandbox::is_program(first) || !matches!(start(text), Some(Start::Changes { fits: true, .. })) {
        return None;
    }
    let writes = changes_by_sql(text, false) && matches!(sql::judge(text, dialect), Some(Answer::Writes(_)));
    Some(if writes { WRITES } else { BEGINS })
}

/// Returns whether a statement that changes something follows a semicolon.
fn follows_any(text: &str) -> bool {
    let changes = |part: &str| matches!(start(part), Some(Start::Changes { fits: true, .. }));
    text.split(';').skip(1).any(changes)
}

/// Returns whether a statement in capitals that changes something follows a semicolon.
fn later(text: &str) -> bool {
    let changes = |part: &str| matches!(start(part), Some(Start::Changes { fits: true, caps: true }));
    text.split(';').skip(1).any(changes)
}

/// Returns whether a text is a query of Flux, or a selector, which begin with words of SQL.
fn is_flux(text: &str) -> bool {
    let first = text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let behind = &text[first.len()..];
    first.eq_ignore_ascii_case("from") && behind.trim_start().starts_with('(')
        || first == "table"
            && behind.starts_with(['.', '#', '[', ' ', '>'])
            && text.contains(['.', '#', '>'])
            && !text.contains(';')
}

/// Returns whether a text has the structure of a query after its first word, and is not a sentence.
fn selects(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    text.starts_with("SELECT")
        || text.starts_with("SHOW") && text.contains("->>")
        || lower.starts_with("pragma") && text.contains('=')
        || text.contains(['(', '*', '\\', '=', ';', '@', '\'', '"', '`', '[']) && !lower.ends_with('.')
        || lower.contains(" from ") && lower.contains("select")
        || !text.chars().any(|c| c.is_ascii_lowercase())
}

/// Judges a piece of a query: a condition, a list of columns, a limit.
fn piece(text: &str) -> Option<Finding> {
    const PIECE: Finding = Finding::Doubt("a piece of a query that does more than read");
    let code = sql::code_alone(text).to_ascii_lowercase();
    let second = code.split(';').skip(1).any(|rest| rest.contains(|c: char| c.is_alphabetic()));
    let words: Vec<&str> = code
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '('))
        .filter(|word| !word.is_empty())
        .collect();
    let targets = words.windows(2).any(|pair| {
        pair[0] == "into" && ["outfile", "dumpfile"].contains(&pair[1])
            || pair[0].trim_start_matches('(') == "insert" && pair[1] == "into"
            || pair[0].trim_start_matches('(') == "delete" && pair[1] == "from"
    });
    let nested = words
        .windows(2)
        .any(|pair| pair[0].ends_with('(') && ["insert", "update", "delete", "merge"].contains(&pair[1]))
        || words.iter().any(|word| ["(insert", "(update", "(delete", "(merge"].contains(word));
    let locked = ["tablockx", "xlock", "updlock", "for update"].iter().any(|lock| code.contains(lock));
    (second && code.contains(' ') || targets || nested || locked || sql::calls_effects(text)).then_some(PIECE)
}

/// Returns whether an SQL statement in the text writes. In a member for SQL, the first word of a statement is
/// enough; elsewhere the next word must fit as well.
fn changes_by_sql(text: &str, holds_sql: bool) -> bool {
    let plain = sql::code_alone(text).to_ascii_lowercase().replace(';', " ; ");
    let words: Vec<&str> = plain
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ';')
        .filter(|w| !w.is_empty())
        .collect();
    let writes = |at: usize, word: &str| {
        let starts = at == 0 || matches!(words[at - 1], ";" | "explain" | "analyze");
        let next = words.get(at + 1).copied().unwrap_or_default();
        if at > 0 && words[at - 1] == "show" {
            return false;
        }
        VERBS.iter().any(|(verb, after)| *verb == word && ((holds_sql && starts) || after.contains(&next)))
            || (["create", "drop", "alter", "truncate"].contains(&word) && OBJECTS.contains(&next))
            || (word == "update" && words.get(at + 2) == Some(&"set"))
    };
    words.iter().enumerate().any(|(at, word)| writes(at, word))
}

/// Returns whether a text is a statement that only reads, in a member for commands.
pub(super) fn only_reads(leaf: &Leaf, dialect: Option<SqlDialect>) -> bool {
    start(&leaf.text) == Some(Start::Reads) && sql::judge(leaf.text.trim(), dialect) == Some(Answer::Reads)
}
