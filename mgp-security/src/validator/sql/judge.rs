//! Judges SQL by its statements, its words and its functions, as each dialect reads them.

use super::{
    functions::{Effect, effect},
    words::{Mark, SETS, marks, word},
};
use crate::validator::table::{self, Words};
use mgp_types::tool_security::SqlDialect;
use serde::Deserialize;
use sqlparser::{
    ast::Statement,
    dialect::{
        AnsiDialect, BigQueryDialect, ClickHouseDialect, Dialect, DuckDbDialect, GenericDialect,
        MsSqlDialect, MySqlDialect, OracleDialect, PostgreSqlDialect, SQLiteDialect, SnowflakeDialect,
    },
    parser::Parser,
};
use std::sync::LazyLock;

/// The words of `judge.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("judge.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    writes: Words,
    odd: Words,
    no_functions: Words,
    pragmas: Words,
    getters: Words,
    reading: Words,
    plain_words: Words,
    joining: Words,
    extensions: Words,
    list_ends: Words,
}

/// The longest text that is parsed, in bytes.
const MAX_TEXT: usize = 32 * 1024;

/// The most operators: a chain of them nests in the parser's tree.
const MAX_OPERATORS: usize = 500;

/// The deepest nesting that is parsed.
const MAX_DEPTH: usize = 50;

/// Table hints that lock rows.
const LOCKS: &[&str] = &["tablockx", "xlock", "updlock", "paglock", "holdlock"];

/// A verdict on a text, the strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::validator) enum Answer {
    /// Every statement only reads.
    Reads,
    /// A statement may do more than read.
    Unknown(&'static str),
    /// A statement writes, or does more than read.
    Writes(&'static str),
}

/// Judges a text in one dialect, or else in every dialect that reads it. `None` if no dialect does.
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
    let lower = text.to_ascii_lowercase();
    if ["from @", "join @", "from\n@"].iter().any(|stage| lower.contains(stage)) {
        return Some(Answer::Unknown("a table in a stage").max(readings_of(text)));
    }
    if has_odd_breaks(text) {
        return Some(Answer::Unknown("white space that dialects read differently"));
    }
    let dialects = SqlDialect::ALL.iter().map(|dialect| rules_of(*dialect));
    let readings: Vec<Interpretation> =
        dialects.chain([&GenericDialect {} as &dyn Dialect]).map(|rules| read(rules, text)).collect();
    let Some(answer) = readings.iter().filter_map(|reading| reading.answer).max() else {
        // A query in a dialect that no parser covers completely.
        let query = readings.iter().all(|reading| reading.marks.as_deref().is_none_or(reads_by_words))
            && readings[0].marks.as_deref().is_some_and(is_query);
        return query.then_some(Answer::Reads);
    };
    if answer != Answer::Reads {
        return Some(answer);
    }
    // If a dialect splits the text into other words, and cannot parse them, these words must be harmless on their own.
    let parsed = || readings.iter().filter(|reading| reading.answer.is_some()).map(|reading| &reading.marks);
    let agrees =
        |reading: &&Interpretation| reading.answer.is_some() || parsed().any(|marks| *marks == reading.marks);
    let others = readings.iter().filter(|reading| !agrees(reading));
    let harmless = |reading: &Interpretation| reading.marks.as_deref().is_none_or(reads_by_words);
    if others.into_iter().all(harmless) {
        Some(answer)
    } else {
        Some(Answer::Unknown("SQL that dialects read differently"))
    }
}

/// Returns the strictest answer of the dialects that parse a text.
fn readings_of(text: &str) -> Answer {
    SqlDialect::ALL
        .iter()
        .filter_map(|dialect| judge_in(rules_of(*dialect), text))
        .max()
        .unwrap_or(Answer::Reads)
}

/// A text as a dialect reads it.
struct Interpretation {
    /// The words and marks; `None` if the text cannot be split into them.
    marks: Option<Vec<Mark>>,
    /// The answer; `None` if the dialect does not parse the text.
    answer: Option<Answer>,
}

fn read(dialect: &dyn Dialect, text: &str) -> Interpretation {
    Interpretation { marks: marks(dialect, text), answer: judge_in(dialect, text) }
}

/// Returns whether a comment to the end of a line may end, or begin, at white space that only some dialects recognize.
fn has_odd_breaks(text: &str) -> bool {
    let comments = ["--", "#", "//"].iter().any(|mark| text.contains(mark));
    let odd = |c: char| !c.is_ascii() && c.is_whitespace() || matches!(c, '\u{b}' | '\u{c}');
    let lone = || text.match_indices('\r').any(|(at, _)| !text[at + 1..].starts_with('\n'));
    comments && (text.contains(odd) || lone())
}

/// Returns whether words begin like a query with tables.
fn is_query(marks: &[Mark]) -> bool {
    let has = |name: &str| (0..marks.len()).any(|at| word(marks, at) == name);
    match word(marks, 0) {
        "select" | "with" => has("select") && (has("from") || marks.contains(&Mark::Open)),
        "explain" | "desc" | "describe" => has("select") || marks.len() <= 4,
        "table" | "summarize" | "exists" => marks.len() <= 8,
        "pivot" | "unpivot" => has("on"),
        _ => false,
    }
}

/// Returns whether words that no parser reads are those of statements that only read.
fn reads_by_words(marks: &[Mark]) -> bool {
    let mut begins = true;
    for (at, mark) in marks.iter().enumerate() {
        if *mark == Mark::Semicolon {
            begins = true;
        } else if begins && *mark != Mark::Open {
            if !TABLE.reading.contains(&word(marks, at)) {
                return false;
            }
            begins = false;
        }
    }
    by_words(marks) == Answer::Reads && by_functions(marks) == Answer::Reads
}

/// Returns whether a function of this name does more than compute.
pub(in crate::validator) fn is_effect(name: &str) -> bool {
    let name = name.to_lowercase();
    effect(&name) == Effect::Some && !TABLE.plain_words.contains(&name.as_str())
}

/// Returns whether a text calls functions that do more than compute.
pub(in crate::validator) fn calls_effects(text: &str) -> bool {
    if !text.contains('(') {
        return false;
    }
    if text.len() > MAX_TEXT {
        return true;
    }
    marks(&GenericDialect {}, text).is_some_and(|marks| {
        let called = |at: usize| marks.get(at + 1) == Some(&Mark::Open);
        let name = |mark: &Mark| match mark {
            Mark::Word(name) | Mark::Name(name) => {
                effect(name) == Effect::Some
                    && !["url", "file", "http", "input", "cluster", "shell", "system", "glob", "remote"]
                        .contains(&name.as_str())
            }
            _ => false,
        };
        marks.iter().enumerate().any(|(at, mark)| called(at) && name(mark))
    })
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

/// Returns whether a text is one statement that parsers do not know and that only reads: a pragma that reports, or a whole table.
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
        ] => verb == "pragma" && TABLE.pragmas.contains(&name.as_str()),
        _ => false,
    }
}

/// Returns whether a text that no dialect parses has the words of a statement that does more than read.
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
    let piped = word(&marks, 0) == "show" && marks.contains(&Mark::Operator);
    let by_words =
        if statements.iter().all(only_tells) && !piped { by_files(&marks) } else { by_words(&marks) };
    Some(by_statement.max(by_words).max(by_functions(&marks)))
}

/// Returns the number of operators and words that join two expressions or queries.
fn operators(marks: &[Mark]) -> usize {
    let operator = |at: &usize| marks[*at] == Mark::Operator || TABLE.joining.contains(&word(marks, *at));
    (0..marks.len()).filter(operator).count()
}

/// Returns whether a statement only reports: it shows, or explains another one, which is not run.
fn only_tells(statement: &Statement) -> bool {
    let runs = |options: &Option<Vec<sqlparser::ast::UtilityOption>>| {
        options.iter().flatten().any(|option| option.name.value.to_ascii_lowercase().starts_with("analy"))
    };
    let explains = matches!(statement, Statement::Explain { analyze: false, options, .. } if !runs(options));
    let shows = |variable: &[sqlparser::ast::Ident]| {
        variable.iter().all(|part| part.value.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c)))
    };
    explains || matches!(statement, Statement::ShowVariable { variable } if shows(variable))
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
            let name =
                name.rsplit('.').next().unwrap_or_default().trim_matches(|c: char| "\"'`[]".contains(c));
            let asks = value.is_none() && TABLE.getters.contains(&name);
            let tells = TABLE.pragmas.contains(&name) || name == "storage_info";
            if !is_eq && (asks || tells) {
                Answer::Reads
            } else {
                Answer::Writes("a setting of the database")
            }
        }
        Statement::List(_) => Answer::Reads,
        Statement::Declare { .. } => Answer::Unknown("a variable that is set"),
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
        let sequence = found == "nextval" && named
            || found == "next" && word(marks, at + 1) == "value" && word(marks, at + 2) == "for";
        let stage = found == "using" && next == Some(&Mark::Text);
        if stage {
            answer = answer.max(Answer::Unknown("a table that a file or a program gives"));
        }
        let body = found == "function" && before == "with";
        if LOCKS.contains(&found) || found == "lock" && word(marks, at + 1) == "in" || sequence || body {
            answer = answer.max(Answer::Unknown("a lock, a sequence or a function in a query"));
        }
        let called = next == Some(&Mark::Open) && ["insert", "replace", "truncate"].contains(&found);
        if found.is_empty() || named || called {
            continue;
        }
        // A column or a table, in a list or at the end.
        let listed = matches!(next, Some(Mark::Comma | Mark::Operator | Mark::Close))
            || ["from", "as", "asc", "desc", "is", "in", "like", "between", "then", "end", "and", "or"]
                .contains(&word(marks, at + 1));
        let table = ["from", "join"].contains(&before);
        if before == "for" && ["update", "share", "no", "key"].contains(&found) {
            answer = answer.max(Answer::Unknown("rows that are locked"));
        } else if TABLE.writes.contains(&found) && !["show", "key"].contains(&before) {
            return Answer::Writes("a statement that does not only read");
        } else if TABLE.odd.contains(&found) && before != "as" && !listed && !table {
            answer = answer.max(Answer::Unknown("a word that begins a statement in some dialects"));
        }
        // An argument by its name follows a parenthesis or a comma.
        let argument = at > 1
            && matches!(marks[at - 1], Mark::Word(_))
            && matches!(marks[at - 2], Mark::Open | Mark::Comma);
        if found == SETS && !argument {
            answer = answer.max(Answer::Unknown("a variable that is set"));
        }
        if ["from", "join", "table", "pivot", "unpivot", "summarize"].contains(&found)
            && next == Some(&Mark::Text)
        {
            answer = answer.max(Answer::Unknown("a table in a file"));
        }
    }
    if names_file(marks) { answer.max(Answer::Unknown("a table in a file")) } else { answer }
}

/// Returns whether a table is the name of a file: a text in a list of tables, or a quoted name with a slash or a file extension.
fn names_file(marks: &[Mark]) -> bool {
    let mut lists = false;
    for (at, mark) in marks.iter().enumerate() {
        match mark {
            Mark::Word(word) if word == "from" || word == "join" => lists = true,
            Mark::Word(word) if TABLE.list_ends.contains(&word.as_str()) => lists = false,
            Mark::Open | Mark::Semicolon => lists = false,
            Mark::Text if lists && at > 0 && marks[at - 1] == Mark::Comma => return true,
            Mark::Name(name)
                if lists
                    && (name.contains("//")
                        || name.starts_with(['/', '~', '.', '@'])
                        || TABLE.extensions.iter().any(|ending| name.ends_with(ending))) =>
            {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// Judges the tables of a statement that only reports.
fn by_files(marks: &[Mark]) -> Answer {
    let text = (0..marks.len())
        .any(|at| ["from", "join"].contains(&word(marks, at)) && marks.get(at + 1) == Some(&Mark::Text));
    if text || names_file(marks) { Answer::Unknown("a table in a file") } else { Answer::Reads }
}

fn by_functions(marks: &[Mark]) -> Answer {
    let mut answer = Answer::Reads;
    let distinct = (1..marks.len()).any(|at| word(marks, at) == "on" && word(marks, at - 1) == "distinct");
    let mut in_tables = false;
    for (at, mark) in marks.iter().enumerate() {
        match word(marks, at) {
            "from" | "join" => in_tables = true,
            "where" | "select" | "group" | "order" | "on" | "having" => in_tables = false,
            _ => {}
        }
        if marks.get(at + 1) != Some(&Mark::Open) {
            continue;
        }
        let (Mark::Word(name) | Mark::Name(name)) = mark else { continue };
        let alias = at > 0 && (marks[at - 1] == Mark::Close && !distinct || word(marks, at - 1) == "as");
        let keyword = matches!(mark, Mark::Word(_)) && TABLE.no_functions.contains(&name.as_str());
        let macros = name.starts_with("$__") || at > 0 && name.starts_with("__time");
        let operand = ["apply", "before", "option"].contains(&name.as_str())
            || matches!(&marks[at + 2..marks.len().min(at + 4)], [Mark::Operator, Mark::Close]);
        let tells = ["display_cursor", "get_ddl"].contains(&name.as_str())
            && at > 1
            && ["dbms_xplan", "dbms_metadata"].contains(&word(marks, at - 2));
        if keyword
            || alias
            || macros
            || operand
            || tells
            || names_query(marks, at) && effect(name) != Effect::Some
        {
            continue;
        }
        let listed = in_tables && at > 0 && marks[at - 1] == Mark::Comma;
        let table = at > 0 && ["from", "join"].contains(&word(marks, at - 1)) || listed;
        if at > 0 && ["tablesample", "sample"].contains(&word(marks, at - 1)) {
            continue;
        }
        // A function in a user's schema is not the one of the dialect.
        let owner = |mark: &Mark| matches!(mark, Mark::Word(owner) | Mark::Name(owner) if !["pg_catalog", "sys", "safe", "net", "ml", "json", "array", "system", "information_schema", "snowflake", "account_usage", "keys", "hll_count", "st", "gds", "xmltype"].contains(&owner.as_str()));
        let owned = at > 1 && marks[at - 1] == Mark::Period && owner(&marks[at - 2]);
        let sets = name == "last_insert_id" && marks.get(at + 2) != Some(&Mark::Close);
        if owned && effect(name) == Effect::None || sets {
            answer = answer.max(Answer::Unknown("a function that is not known"));
        }
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
    fn a_text_unreadable_in_its_dialect_is_not_judged_by_another() {
        let of_mysql = "SELECT `a` FROM `t` WHERE `b` <=> 1";
        assert_eq!(judge(of_mysql, Some(SqlDialect::MySql)), Some(Answer::Reads));
        assert_eq!(judge(of_mysql, Some(SqlDialect::Postgres)), None);
    }
}
