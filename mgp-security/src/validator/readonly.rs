//! §4.5 `readonly`: lets through only calls that read.

use super::{
    Input, Leaf, LeafKind, Validator, Verdict, Violation,
    rejection::shown,
    sandbox,
    sql::{self, Answer},
};
use mgp_types::tool_security::SqlDialect;

/// The validator `readonly`.
///
/// The tool must be known to read only (its metadata or MCP hints say so, and nothing denies it), and no argument may
/// ask for a write: an SQL statement that changes something, an HTTP method other than `GET`, `HEAD` and `OPTIONS`, a
/// file mode that writes, or a shell command that changes something, which is judged as by `sandbox`.
#[derive(Debug, Clone, Copy)]
pub struct ReadOnly;

/// The words that begin an SQL statement that changes something, each with the words that may follow it. Outside
/// members for SQL, a word counts only if one of these follows.
const SQL: &[(&str, &[&str])] = &[
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

/// Names of members that hold an SQL text.
const SQL_KEYS: &[&str] = &["sql", "sql_query", "statement", "statements"];

/// Names of members that hold an SQL text, or words to search for.
const QUERY_KEYS: &[&str] = &["query", "queries"];

/// Words that begin a statement of SQL that may read.
const STARTS: &[&str] = &[
    "select", "with", "values", "explain", "show", "describe", "desc", "pragma", "table", "begin", "set",
    "use",
];

/// Names of members that hold the arguments of a command.
const COMMAND_KEYS: &[&str] = &["args"];

/// Commands that change files, where only a word of a command is given.
const WRITING_COMMANDS: &[&str] = &[
    "rm", "rmdir", "mv", "cp", "dd", "tee", "touch", "mkdir", "ln", "chmod", "chown", "truncate", "install",
    "patch", "rsync", "unlink", "shred", "del", "erase", "rd", "move", "copy",
];

impl Validator for ReadOnly {
    fn name(&self) -> &str {
        "readonly"
    }

    fn check(&self, input: &Input<'_>) -> Verdict {
        const REASON: &str = "only reading is allowed";
        if !input.profile.reads_only {
            let why = "nothing says that the tool reads only: expected readOnlyHint, or risk_level safe without side_effects";
            return Verdict::Refuse(Violation::new(REASON, vec![why.to_owned()]));
        }
        let (mut wrong, mut doubt) = (Vec::new(), Vec::new());
        let said = input.leaves.iter().filter(|leaf| leaf.kind != LeafKind::Number && !leaf.is_plain_name());
        let dialect = input.profile.readonly.dialect;
        for leaf in said {
            if let Err(late) = input.in_time() {
                return Verdict::Refuse(late);
            }
            let say = |what: &str| format!("{what} in {}: {:?}", leaf.place(), shown(&leaf.text));
            // Where the dialect is known, its reading of SQL is the only one.
            let decided = dialect.filter(|_| holds(leaf, SQL_KEYS)).and_then(|_| sql_in(leaf, dialect));
            if let Some(what) = write_in(leaf).filter(|_| decided.is_none_or(is_unread)) {
                wrong.push(say(what));
                continue;
            }
            match sql_in(leaf, dialect) {
                Some(Answer::Writes(what)) => wrong.push(say(what)),
                Some(Answer::Unknown(what)) => doubt.push(say(what)),
                Some(Answer::Reads) | None => {}
            }
        }
        let reads = |leaf: &Leaf| begins_sql(leaf) && sql_in(leaf, dialect) == Some(Answer::Reads);
        let commands = sandbox::changes(input, reads);
        wrong.extend(commands.harm);
        if !wrong.is_empty() {
            return Verdict::Refuse(Violation::new(REASON, wrong));
        }
        doubt.extend(commands.doubt);
        if doubt.is_empty() {
            return Verdict::Pass;
        }
        Verdict::Ask(Violation::new("it is not known whether the call only reads", doubt))
    }
}

/// Returns the answer about a string that is SQL, or may be.
fn sql_in(leaf: &Leaf, dialect: Option<SqlDialect>) -> Option<Answer> {
    let text = leaf.text.trim();
    let first = text
        .trim_start_matches(['(', ' '])
        .split(|c: char| !c.is_ascii_alphabetic())
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let (certain, perhaps) = (holds(leaf, SQL_KEYS), holds(leaf, QUERY_KEYS));
    let begins = text.contains(' ') && STARTS.contains(&first.as_str());
    let writes = perhaps && text.contains(' ') && SQL.iter().any(|(verb, _)| *verb == first);
    if leaf.kind != LeafKind::Text || text.is_empty() || !(certain || begins || writes) {
        return None;
    }
    let asks = || {
        let selects = ["select", "with", "values"].contains(&first.as_str()) && sql::may_write(text);
        (certain || writes || selects).then_some(UNREAD)
    };
    sql::judge(text, dialect).or_else(asks)
}

/// The answer about a text that must be SQL.
const UNREAD: Answer = Answer::Unknown("SQL that no dialect reads");

fn is_unread(answer: Answer) -> bool {
    answer == UNREAD
}

/// Returns whether a string begins as a statement of SQL, and as no common program.
fn begins_sql(leaf: &Leaf) -> bool {
    let first = leaf.text.trim_start_matches(['(', ' ']).split(|c: char| !c.is_ascii_alphabetic()).next();
    let first = first.unwrap_or_default().to_ascii_lowercase();
    let reads = ["select", "with", "values", "explain", "show", "describe", "desc", "pragma"];
    reads.contains(&first.as_str()) || SQL.iter().any(|(verb, _)| *verb == first && *verb != "exec")
}

/// Returns whether a string stands in a member of one of the names.
fn holds(leaf: &Leaf, keys: &[&str]) -> bool {
    keys.contains(&leaf.key().to_ascii_lowercase().as_str())
}

/// Returns the kind of write that a string asks for, if it asks for one.
fn write_in(leaf: &Leaf) -> Option<&'static str> {
    let key = leaf.key().to_ascii_lowercase();
    let text = leaf.text.trim();
    let certain = holds(leaf, SQL_KEYS);
    // Elsewhere, prose may begin with the same words.
    let spelled = || !text.contains(|c: char| c.is_ascii_lowercase()) || shouts(text);
    let explains = || text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("explain "));
    let tells = || explains() && sql::judge(text, None) == Some(Answer::Reads);
    let is_sql = !sandbox::is_command(leaf) || begins_sql(leaf);
    if is_sql
        && changes_by_sql(text, certain)
        && (certain || spelled() || sql::judge(text, None).is_some())
        && !tells()
    {
        return Some("an SQL statement that writes");
    }
    if key.ends_with("method") && is_writing_method(text) {
        return Some("an HTTP method that writes");
    }
    if key.ends_with("mode") && is_writing_mode(text) {
        return Some("a file mode that writes");
    }
    if COMMAND_KEYS.contains(&key.as_str()) && runs_a_write(text) {
        return Some("a command that writes");
    }
    None
}

/// Returns whether a text has a word in capital letters that begins a statement of SQL.
fn shouts(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| {
        word.bytes().all(|b| b.is_ascii_uppercase())
            && SQL.iter().any(|(verb, _)| verb.eq_ignore_ascii_case(word))
    })
}

fn is_writing_method(text: &str) -> bool {
    ["POST", "PUT", "PATCH", "DELETE", "CONNECT"].iter().any(|method| method.eq_ignore_ascii_case(text))
}

/// Returns whether a text is a file mode that writes, as `fopen` and Python spell it, or a word for one.
fn is_writing_mode(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "rw",
        "write",
        "append",
        "overwrite",
        "create",
        "truncate",
        "exclusive",
        "readwrite",
        "read-write",
        "read_write",
    ];
    let text = text.to_ascii_lowercase();
    let mut letters = text.chars();
    let first = letters.next();
    let flags = letters.as_str();
    WORDS.contains(&text.as_str())
        || (flags.chars().all(|flag| matches!(flag, 'b' | 't' | 'u' | '+'))
            && (matches!(first, Some('w' | 'a' | 'x')) || (first == Some('r') && flags.contains('+'))))
}

/// Returns whether an SQL statement in the text writes. In a member that holds SQL, the first word of a statement is
/// enough; elsewhere the word after it must fit as well.
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
        SQL.iter().any(|(verb, after)| *verb == word && ((holds_sql && starts) || after.contains(&next)))
            || (["create", "drop", "alter", "truncate"].contains(&word) && OBJECTS.contains(&next))
            || (word == "update" && words.get(at + 2) == Some(&"set"))
    };
    words.iter().enumerate().any(|(at, word)| writes(at, word))
}

fn runs_a_write(text: &str) -> bool {
    text.contains('>')
        || text
            .split(|c: char| c.is_whitespace() || ";|&()`".contains(c))
            .map(|word| word.trim_matches(['"', '\'', '\\']).rsplit('/').next().unwrap_or_default())
            .any(|word| WRITING_COMMANDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{ConfiguredTool, ToolFacts, assess};
    use mgp_types::{
        context::TrustLevel,
        json::RawJson,
        mcp::{Tool, ToolAnnotations},
        tool_security::ReadonlySettings,
    };

    fn check(reads_only: bool, pointer: &str, text: &str) -> Verdict {
        let annotations = Some(ToolAnnotations { read_only_hint: Some(reads_only), ..Default::default() });
        let tool = Tool { annotations, ..Tool::new("t", RawJson::empty_object()) };
        let profile = assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &ConfiguredTool::default()));
        ReadOnly.check(&Input::new(&[Leaf::new(pointer, text)], &profile))
    }

    #[test]
    fn a_tool_that_is_not_known_to_read_only_is_refused() {
        assert_ne!(check(false, "/path", "x"), Verdict::Pass);
        assert_eq!(check(true, "/path", "x"), Verdict::Pass);
    }

    #[test]
    fn reading_passes() {
        for (pointer, text) in [
            ("/sql", "SELECT * FROM t WHERE name = 'update'"),
            ("/query", "how to delete a branch"),
            ("/text", "please update the page and drop me a line"),
            ("/method", "get"),
            ("/mode", "rb"),
            ("/command", "grep -n rmx src/main.rs"),
            ("/text", "cp is a command"),
        ] {
            assert_eq!(check(true, pointer, text), Verdict::Pass, "{pointer} {text}");
        }
    }

    #[test]
    fn a_configured_dialect_alone_says_what_a_statement_does() {
        let profile = |dialect| {
            let annotations = Some(ToolAnnotations { read_only_hint: Some(true), ..Default::default() });
            let tool = Tool { annotations, ..Tool::new("t", RawJson::empty_object()) };
            let readonly = ReadonlySettings { dialect };
            let configured = ConfiguredTool { readonly, ..ConfiguredTool::default() };
            assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &configured))
        };
        let text = "SELECT 'a\\'; DROP TABLE t; --'";
        for (dialect, passes) in
            [(None, false), (Some(SqlDialect::MySql), true), (Some(SqlDialect::Postgres), false)]
        {
            let (leaves, profile) = ([Leaf::new("/sql", text)], profile(dialect));
            assert_eq!(
                ReadOnly.check(&Input::new(&leaves, &profile)) == Verdict::Pass,
                passes,
                "{dialect:?}"
            );
        }
        // What is not read in it, and begins as a write, is one.
        let (leaves, profile) = ([Leaf::new("/sql", "DROP TABLE ((")], profile(Some(SqlDialect::MySql)));
        assert!(matches!(ReadOnly.check(&Input::new(&leaves, &profile)), Verdict::Refuse(_)));
    }

    #[test]
    fn arguments_that_write_are_refused() {
        for (pointer, text) in [
            ("/sql", "UPDATE t SET a = 1"),
            ("/sql", "  /* x */ -- y\n delete from t"),
            ("/sql", "select 1; drop table t"),
            ("/sql", "select 1;vacuum"),
            ("/sql", "explain analyze update t set a=1"),
            ("/query", "with x as (select 1) insert into t select * from x"),
            ("/text", "DROP TABLE users"),
            ("/method", "Post"),
            ("/requests/0/http_method", "DELETE"),
            ("/mode", "w+"),
            ("/open_mode", "a"),
            ("/command", "ls; /bin/rm x"),
            ("/cmd", "echo x > y"),
            ("/args/0", "touch"),
        ] {
            assert_ne!(check(true, pointer, text), Verdict::Pass, "{pointer} {text}");
        }
    }
}
