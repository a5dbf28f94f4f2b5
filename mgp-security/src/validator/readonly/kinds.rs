//! Kinds of members, by their names.

use crate::{
    validator::{
        Leaf,
        table::{self, Words},
    },
    words::{joined, words},
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `kinds.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("kinds.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    sql: Words,
    prose: Words,
    search: Words,
    pieces: Words,
    commands: Words,
    operations: Words,
    stated: Words,
}

/// Names of members for a query, or words to search for.
const QUERY: &[&str] = &["query", "queries", "querytext", "querystring", "rawquery"];

fn is_among(leaf: &Leaf, names: &[&str]) -> bool {
    names.contains(&joined(leaf.key()).as_str())
}

fn has_word(leaf: &Leaf, names: &[&str]) -> bool {
    is_among(leaf, names) || words(leaf.key()).iter().any(|word| names.contains(&word.as_str()))
}

/// Returns whether a string is in a member for SQL.
pub(super) fn is_sql(leaf: &Leaf) -> bool {
    let last =
        leaf.pointer.rsplit('/').find(|part| !part.is_empty() && !part.bytes().all(|b| b.is_ascii_digit()));
    is_among(leaf, &TABLE.sql)
        || words(leaf.key()).iter().any(|word| word == "sql" || word == "sqls") && last.is_some()
        || ["text", "query", "statement", "statementText"].contains(&leaf.key())
            && leaf.pointer.to_ascii_lowercase().contains("/sql/")
}

/// Returns whether a member is named after a query or a statement, whatever other words are in its name.
pub(super) fn is_stated(leaf: &Leaf) -> bool {
    has_word(leaf, &TABLE.stated)
}

/// Returns whether a string is in a member for a query, or for words to search for.
pub(super) fn is_query(leaf: &Leaf) -> bool {
    is_among(leaf, QUERY)
}

/// Returns whether a string is in a member for prose.
pub(super) fn is_prose(leaf: &Leaf) -> bool {
    is_among(leaf, &TABLE.prose) && !is_sql(leaf)
}

/// Returns whether a string is in a member for words or a pattern to search for.
pub(super) fn is_search(leaf: &Leaf) -> bool {
    is_among(leaf, &TABLE.search)
}

/// Returns whether a string is in a member for a piece of an SQL query.
pub(super) fn is_piece(leaf: &Leaf) -> bool {
    is_among(leaf, &TABLE.pieces)
}

/// Returns whether the name of a string's member has a word for commands.
pub(super) fn is_command(leaf: &Leaf) -> bool {
    has_word(leaf, &TABLE.commands)
        && !has_word(leaf, &["redis", "mongo", "sql", "name", "type", "id", "ftp", "imap", "at", "count"])
}

/// Returns whether the name of a string's member has a word for operations.
pub(super) fn is_operation(leaf: &Leaf) -> bool {
    has_word(leaf, &TABLE.operations)
}

/// Returns whether a member is for a statement in another language than SQL, and never for words to search for.
pub(super) fn is_stated_only(leaf: &Leaf) -> bool {
    is_stated(leaf) && !is_query(leaf)
}
