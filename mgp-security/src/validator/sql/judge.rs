//! Judges SQL by its statements, its words and its functions, as each dialect reads them.

use super::{
    functions::{Effect, effect},
    words::{Mark, SETS, marks, word},
};
use mgp_types::tool_security::SqlDialect;
use sqlparser::{
    ast::Statement,
    dialect::{
        AnsiDialect, BigQueryDialect, ClickHouseDialect, Dialect, DuckDbDialect, GenericDialect,
        MsSqlDialect, MySqlDialect, OracleDialect, PostgreSqlDialect, SQLiteDialect, SnowflakeDialect,
    },
    parser::Parser,
};

/// The longest text that is parsed, in bytes.
const MAX_TEXT: usize = 32 * 1024;

/// The most operators: a chain of them nests in what the parser makes of it.
const MAX_OPERATORS: usize = 500;

/// The deepest nesting that is parsed.
const MAX_DEPTH: usize = 50;

/// Words that stand in no statement that only reads, except as quoted names.
const WRITES: &[&str] = &[
    "insert", "update", "delete", "merge", "into", "drop", "alter", "truncate", "grant", "revoke", "outfile",
    "dumpfile", "exec", "execute", "upsert", "attach", "detach", "create", "replace",
];

/// Words that begin a statement in some dialects without a mark before it. Elsewhere they may be names.
const ODD: &[&str] = &[
    "shutdown",
    "kill",
    "backup",
    "restore",
    "waitfor",
    "reconfigure",
    "dbcc",
    "deny",
    "bulk",
    "writetext",
    "updatetext",
    "handler",
    "vacuum",
    "reindex",
    "program",
    "load",
    "call",
    "use",
    "go",
    "declare",
    "begin",
    "print",
    "checkpoint",
    "raiserror",
    "revert",
    "throw",
    "goto",
    "save",
];

/// Words that stand before a parenthesis and are no functions.
const NO_FUNCTIONS: &str = "select from where and or not in exists any all some as on using over partition by order group having limit offset fetch union except intersect minus then else case end filter within join lateral inner outer cross full natural with recursive materialized distinct between is similar to rlike interval rows groups table only unique key primary returning qualify window ignore respect nulls sets cube rollup pivot unpivot for of at zone precision unsigned signed escape collate xor binary top percent ties prewhere sample final settings tablesample bernoulli exclude rename columns when default analyze verbose explain values";

/// Statements of SQLite's `PRAGMA` that only read.
const PRAGMAS: &[&str] = &[
    "table_info",
    "table_xinfo",
    "table_list",
    "index_list",
    "index_info",
    "index_xinfo",
    "foreign_key_list",
    "database_list",
    "collation_list",
    "function_list",
    "module_list",
    "pragma_list",
    "compile_options",
    "integrity_check",
    "quick_check",
    "foreign_key_check",
];

/// Pragmas that change something without a value.
const CHANGING_PRAGMAS: &[&str] = &["optimize", "incremental_vacuum", "wal_checkpoint", "shrink_memory"];

/// An answer about a text, the strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::validator) enum Answer {
    /// Every statement only reads.
    Reads,
    /// It is not known whether every statement only reads.
    Unknown(&'static str),
    /// A statement writes, or does something else than to read.
    Writes(&'static str),
}

/// Judges a text in one dialect, or else as every dialect does that reads it. `None` if it is SQL in none of them.
pub(in crate::validator) fn judge(text: &str, dialect: Option<SqlDialect>) -> Option<Answer> {
    if text.len() > MAX_TEXT {
        return Some(Answer::Unknown("a text of more than 32 KiB"));
    }
    if is_simple(text) {
        return Some(Answer::Reads);
    }
    if let Some(dialect) = dialect {
        return judge_in(rules_of(dialect), text);
    }
    let dialects = SqlDialect::ALL.iter().map(|dialect| rules_of(*dialect));
    dialects.chain([&GenericDialect {} as &dyn Dialect]).filter_map(|rules| judge_in(rules, text)).max()
}

fn rules_of(dialect: SqlDialect) -> &'static dyn Dialect {
    match dialect {
        SqlDialect::Ansi => &AnsiDialect {},
        SqlDialect::BigQuery => &BigQueryDialect {},
        SqlDialect::ClickHouse => &ClickHouseDialect {},
        SqlDialect::DuckDb => &DuckDbDialect {},
        SqlDialect::MsSql => &MsSqlDialect {},
        SqlDialect::MySql => &MySqlDialect {},
        SqlDialect::Oracle => &OracleDialect {},
        SqlDialect::Postgres => &PostgreSqlDialect {},
        SqlDialect::Snowflake => &SnowflakeDialect {},
        SqlDialect::Sqlite => &SQLiteDialect {},
    }
}

/// Returns whether a text is one statement that parsers do not know and that only reads: a pragma that tells, or a whole table.
fn is_simple(text: &str) -> bool {
    let Some(mut marks) = marks(&SQLiteDialect {}, text) else { return false };
    marks.pop_if(|mark| *mark == Mark::Semicolon);
    match &marks[..] {
        [Mark::Word(verb), Mark::Word(_) | Mark::Name(_)] => verb == "table",
        [
            Mark::Word(verb),
            Mark::Word(name),
            Mark::Open,
            Mark::Word(_) | Mark::Name(_) | Mark::Text,
            Mark::Close,
        ] => verb == "pragma" && PRAGMAS.contains(&name.as_str()),
        _ => false,
    }
}

/// Returns whether a text that is parsed by no dialect has the words of a statement that does more than to read.
pub(in crate::validator) fn may_write(text: &str) -> bool {
    let dialects: [&dyn Dialect; 3] = [&GenericDialect {}, &MySqlDialect {}, &PostgreSqlDialect {}];
    let read = |dialect| marks(dialect, text).map(|marks| by_words(&marks).max(by_functions(&marks)));
    let answers: Vec<Answer> = dialects.into_iter().filter_map(read).collect();
    answers.is_empty() || answers.iter().any(|answer| *answer != Answer::Reads)
}

/// Judges a text in a dialect. `None` if the dialect does not read it.
fn judge_in(dialect: &dyn Dialect, text: &str) -> Option<Answer> {
    let marks = marks(dialect, text)?;
    if operators(&marks) > MAX_OPERATORS {
        return Some(Answer::Unknown("too many operators"));
    }
    let parser = Parser::new(dialect).with_recursion_limit(MAX_DEPTH);
    let statements = parser.try_with_sql(text).and_then(|mut parser| parser.parse_statements()).ok()?;
    let by_statement = statements.iter().map(by_statement).max()?;
    let by_words = if statements.iter().all(only_tells) { Answer::Reads } else { by_words(&marks) };
    Some(by_statement.max(by_words).max(by_functions(&marks)))
}

/// Returns the number of operators and words that join two expressions or queries.
fn operators(marks: &[Mark]) -> usize {
    const JOINING: &[&str] = &[
        "and",
        "or",
        "xor",
        "union",
        "except",
        "intersect",
        "minus",
        "is",
        "like",
        "join",
        "not",
        "between",
        "in",
        "collate",
    ];
    let operator = |at: &usize| marks[*at] == Mark::Operator || JOINING.contains(&word(marks, *at));
    (0..marks.len()).filter(operator).count()
}

/// Returns whether a statement only tells something: it shows, or explains another one, which is not run.
fn only_tells(statement: &Statement) -> bool {
    let explains = matches!(statement, Statement::Explain { analyze: false, options: None, .. });
    explains || matches!(statement, Statement::ShowVariable { .. })
}

fn by_statement(statement: &Statement) -> Answer {
    match statement {
        Statement::Query(_)
        | Statement::ExplainTable { .. }
        | Statement::Explain { .. }
        | Statement::ShowFunctions { .. }
        | Statement::ShowVariable { .. }
        | Statement::ShowStatus { .. }
        | Statement::ShowVariables { .. }
        | Statement::ShowCreate { .. }
        | Statement::ShowColumns { .. }
        | Statement::ShowCatalogs { .. }
        | Statement::ShowDatabases { .. }
        | Statement::ShowProcessList { .. }
        | Statement::ShowSchemas { .. }
        | Statement::ShowCharset(_)
        | Statement::ShowObjects(_)
        | Statement::ShowTables { .. }
        | Statement::ShowViews { .. }
        | Statement::ShowCollation { .. } => Answer::Reads,
        Statement::Pragma { name, value, is_eq } => {
            let name = name.to_string().to_lowercase();
            let name = name.rsplit('.').next().unwrap_or_default();
            let asks = value.is_none() && !CHANGING_PRAGMAS.contains(&name);
            if !is_eq && (asks || PRAGMAS.contains(&name)) {
                Answer::Reads
            } else {
                Answer::Writes("a setting of the database")
            }
        }
        Statement::StartTransaction { .. }
        | Statement::Commit { .. }
        | Statement::Rollback { .. }
        | Statement::Set(_)
        | Statement::Use(_) => Answer::Unknown("a change of the session"),
        _ => Answer::Writes("a statement that does not only read"),
    }
}

fn by_words(marks: &[Mark]) -> Answer {
    let mut answer = Answer::Reads;
    for at in 0..marks.len() {
        let (found, next) = (word(marks, at), marks.get(at + 1));
        let before = at.checked_sub(1).map_or("", |before| word(marks, before));
        let named = at > 0 && marks[at - 1] == Mark::Period;
        let called = next == Some(&Mark::Open) && ["insert", "replace", "truncate"].contains(&found);
        if found.is_empty() || named || called {
            continue;
        }
        // A column or a table, in a list or at the end.
        let listed = matches!(next, Some(Mark::Comma | Mark::Operator | Mark::Close));
        let table = ["from", "join"].contains(&before);
        if before == "for" && ["update", "share", "no", "key"].contains(&found) {
            answer = answer.max(Answer::Unknown("rows that are locked"));
        } else if WRITES.contains(&found) && !["show", "key"].contains(&before) {
            return Answer::Writes("a statement that does not only read");
        } else if ODD.contains(&found) && before != "as" && !listed && !table {
            answer = answer.max(Answer::Unknown("a word that begins a statement in some dialects"));
        }
        if found == SETS {
            answer = answer.max(Answer::Unknown("a variable that is set"));
        }
        if ["from", "join"].contains(&found) && next == Some(&Mark::Text) {
            answer = answer.max(Answer::Unknown("a table in a file"));
        }
    }
    answer
}

fn by_functions(marks: &[Mark]) -> Answer {
    let mut answer = Answer::Reads;
    for (at, mark) in marks.iter().enumerate() {
        if marks.get(at + 1) != Some(&Mark::Open) {
            continue;
        }
        let (Mark::Word(name) | Mark::Name(name)) = mark else { continue };
        let alias = at > 0 && (marks[at - 1] == Mark::Close || word(marks, at - 1) == "as");
        let keyword = matches!(mark, Mark::Word(_)) && NO_FUNCTIONS.split(' ').any(|other| other == name);
        if keyword || alias || names_query(marks, at) {
            continue;
        }
        let table = at > 0 && ["from", "join"].contains(&word(marks, at - 1));
        match effect(name) {
            // Elsewhere, a comparison with a pattern.
            Effect::None if table && name == "glob" => {
                return Answer::Writes("a function that does not only compute");
            }
            Effect::None => {}
            Effect::Some => return Answer::Writes("a function that does not only compute"),
            Effect::Unknown => answer = answer.max(Answer::Unknown("a function that is not known")),
        }
    }
    answer
}

/// Returns whether a name with parentheses is that of a query in `WITH`, with its columns.
fn names_query(marks: &[Mark], at: usize) -> bool {
    let columns =
        marks[at + 2..].iter().take_while(|mark| matches!(mark, Mark::Word(_) | Mark::Name(_) | Mark::Comma));
    let close = at + 2 + columns.count();
    marks.get(close) == Some(&Mark::Close)
        && word(marks, close + 1) == "as"
        && marks.get(close + 2) == Some(&Mark::Open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_and_long_texts_are_bounded() {
        for text in [
            format!("SELECT {}1", "(".repeat(10_000)),
            format!("SELECT 1{}", "+1".repeat(10_000)),
            format!("SELECT 1{}", "+1".repeat(450)),
            format!("SELECT 1{}", " UNION SELECT 1".repeat(400)),
            format!("SELECT {}1", "- ".repeat(450)),
            format!("SELECT {}true", "NOT ".repeat(450)),
            format!("SELECT a{}", ".a".repeat(5_000)),
            format!("SELECT a{}", "[1]".repeat(2_000)),
            format!("SELECT a{}", "::int".repeat(2_000)),
            format!("SELECT {}", "CASE WHEN ".repeat(1_000)),
            "SELECT 1;".repeat(3_000),
        ] {
            let answer = judge(&text, None);
            assert!(!matches!(answer, Some(Answer::Writes(_))), "{}: {answer:?}", &text[..20]);
        }
    }

    #[test]
    fn every_dialect_that_reads_a_text_must_agree() {
        let quotes = "SELECT 'a\\'; DROP TABLE t; --'";
        assert_eq!(judge(quotes, None).map(|answer| answer > Answer::Reads), Some(true));
        assert_eq!(judge("SELECT 1", None), Some(Answer::Reads));
        assert_eq!(judge("no statement", None), None);
        assert_eq!(judge(quotes, Some(SqlDialect::MySql)), Some(Answer::Reads));
        assert!(matches!(judge(quotes, Some(SqlDialect::Postgres)), Some(Answer::Writes(_))));
    }

    #[test]
    fn a_text_that_the_configured_dialect_does_not_read_is_not_judged_by_another() {
        let of_mysql = "SELECT `a` FROM `t` WHERE `b` <=> 1";
        assert_eq!(judge(of_mysql, Some(SqlDialect::MySql)), Some(Answer::Reads));
        assert_eq!(judge(of_mysql, Some(SqlDialect::Postgres)), None);
    }
}
