//! `mgp registry search`.

use crate::{
    error::CliError,
    output::{Outcome, note, shortened, table},
};
use clap::Args;
use mgp_discovery::public_registry::{Entry, EntryStatus, MAX_RESULTS, PublicRegistry};
use serde::Serialize;

/// List the servers that match all of the words
#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// The words to search for, in names, titles and descriptions
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    /// Maximum number of servers to list
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=MAX_RESULTS as i64))]
    limit: u16,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    version: Option<&'a str>,
    title: Option<&'a str>,
    description: Option<&'a str>,
    /// `active` or `deprecated`.
    status: &'static str,
    /// The kinds of its packages and the transports of its remotes.
    comes_as: Vec<&'a str>,
}

#[derive(Serialize)]
struct Servers<'a> {
    servers: Vec<Row<'a>>,
    /// True if the registry may have more results.
    more: bool,
}

pub(super) async fn run(registry: &PublicRegistry, args: SearchArgs) -> Result<Outcome, CliError> {
    let found = registry.search(&args.words, args.limit.into()).await?;
    if found.unreadable > 0 {
        note(&format!("{} entries of the registry cannot be read and are skipped", found.unreadable));
    }
    if found.more {
        note("the registry may have more; add words, or raise --limit");
    }
    let rows: Vec<_> = found.entries.iter().map(row).collect();
    if rows.is_empty() {
        note("no server matches");
    }
    let text = if rows.is_empty() { String::new() } else { text(&rows) };
    Outcome::new(text, &Servers { servers: rows, more: found.more })
}

fn row(entry: &Entry) -> Row<'_> {
    let packages = entry.packages.iter().flatten().map(|package| package.registry_type.as_str());
    let remotes = entry.remotes.iter().flatten().map(|remote| remote.kind.as_str());
    let mut comes_as: Vec<_> = packages.chain(remotes).collect();
    comes_as.dedup();
    Row {
        name: &entry.name,
        version: entry.version.as_deref(),
        title: entry.title.as_deref(),
        description: entry.description.as_deref(),
        status: entry.status.as_str(),
        comes_as,
    }
}

fn text(rows: &[Row<'_>]) -> String {
    let rows = rows.iter().map(|row| {
        let description = shortened(row.description.or(row.title).unwrap_or_default(), 100);
        let description = if row.status == EntryStatus::Deprecated.as_str() {
            format!("(deprecated) {description}")
        } else {
            description
        };
        [
            shortened(row.name, 100),
            shortened(row.version.unwrap_or("-"), 24),
            shortened(&row.comes_as.join(", "), 40),
            description,
        ]
    });
    table(["name", "version", "comes as", "description"], rows)
}
