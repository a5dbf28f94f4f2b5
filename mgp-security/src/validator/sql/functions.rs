//! Functions of SQL that only compute, and those that do more.
//!
//! The names come from the reference manuals of PostgreSQL, MySQL, MariaDB, SQLite, SQL Server, Oracle, DuckDB, ClickHouse, Snowflake and
//! BigQuery.

use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `functions.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("functions.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    plain: Words,
    plain_prefixes: Words,
    changing_parts: Words,
    effects: Words,
    effect_prefixes: Words,
    context: Words,
}

/// An effect of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    Some,
    Unknown,
}

/// Returns the effect of a function, named in lower case.
pub(super) fn effect(name: &str) -> Effect {
    if TABLE.context.contains(&name) {
        return Effect::None;
    }
    let prefixed = TABLE.effect_prefixes.iter().any(|prefix| name.starts_with(prefix));
    if prefixed || TABLE.effects.contains(&name) {
        return Effect::Some;
    }
    let family = TABLE.plain_prefixes.iter().any(|prefix| name.starts_with(prefix));
    let changing = TABLE.changing_parts.iter().any(|part| name.contains(part));
    if TABLE.plain.contains(&name) || family && !changing { Effect::None } else { Effect::Unknown }
}
