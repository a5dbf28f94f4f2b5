//! `mgp registry show`.

use crate::{
    error::CliError,
    exit::Exit,
    output::{Outcome, note},
};
use clap::Args;
use mgp_discovery::public_registry::{
    Entry, EntryStatus, Need, PublicRegistry, UnusableWay, Way, snippet, ways,
};
use serde::Serialize;

/// Show a server's entry for mgp.toml
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The full name of the server, such as com.example/notes
    name: String,
    /// The id of the server; defaults to the last part of its name
    #[arg(long, value_name = "ID", value_parser = crate::options::server_id)]
    id: Option<String>,
    /// Choose one of the ways to run or reach the server, counted from 1; defaults to the first usable one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    way: Option<u8>,
}

#[derive(Serialize)]
struct EntryReport<'a> {
    name: &'a str,
    version: Option<&'a str>,
    description: Option<&'a str>,
    /// `active`, `deprecated` or `deleted`.
    status: &'static str,
    ways: Vec<WayReport>,
}

#[derive(Serialize)]
struct WayReport {
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    toml: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    needs: Vec<NeedReport>,
    /// The reason why this way cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct NeedReport {
    variable: String,
    what: String,
    required: bool,
    secret: bool,
}

pub(super) async fn run(registry: &PublicRegistry, args: ShowArgs) -> Result<Outcome, CliError> {
    let entry = registry.server(&args.name).await?;
    match entry.status {
        EntryStatus::Active => {}
        EntryStatus::Deprecated => note("it is deprecated: look for its replacement"),
        EntryStatus::Deleted => note("it is deleted from the registry: expected one that is still there"),
    }
    let found = ways(&entry);
    let index = chosen(&found, args.way)?;
    let mut ways = Vec::with_capacity(found.len());
    for way in found {
        ways.push(shown(&entry, way, args.id.as_deref())?);
    }
    let text = text(&ways, index);
    let document = EntryReport {
        name: &entry.name,
        version: entry.version.as_deref(),
        description: entry.description.as_deref(),
        status: entry.status.as_str(),
        ways,
    };
    Outcome::new(text, &document)
}

/// Returns the index of the way with the number `asked`, counted from 1, or of the first usable one.
///
/// # Errors
/// If there is no such way, or if it cannot be used, with the reason.
pub(in crate::command) fn chosen(
    found: &[Result<Way, UnusableWay>],
    asked: Option<u8>,
) -> Result<usize, CliError> {
    let index = match asked {
        Some(number) => usize::from(number) - 1,
        None => found.iter().position(Result::is_ok).unwrap_or_default(),
    };
    match (found.get(index), found.len()) {
        (Some(Ok(_)), _) => Ok(index),
        (Some(Err(UnusableWay { title, reason })), _) => {
            Err(CliError::failed(format!("{title} cannot be taken: {reason}")))
        }
        (None, 0) => {
            Err(CliError::new(Exit::NotFound, "the registry names no way to run or reach this server"))
        }
        (None, count) => Err(CliError::new(
            Exit::NotFound,
            format!("there is no way {}: expected 1 to {count}", index + 1),
        )),
    }
}

/// Returns the text of a way. Notes the other ways on stderr.
fn text(ways: &[WayReport], chosen: usize) -> String {
    for (number, other) in (1..).zip(ways).filter(|(number, _)| *number != chosen + 1) {
        match &other.reason {
            None => note(&format!("another way: {}; see it with --way {number}", other.title)),
            Some(reason) => note(&format!("another way that cannot be taken: {}: {reason}", other.title)),
        }
    }
    ways.get(chosen).and_then(|way| way.toml.clone()).unwrap_or_default()
}

fn shown(entry: &Entry, way: Result<Way, UnusableWay>, id: Option<&str>) -> Result<WayReport, CliError> {
    let way = match way {
        Ok(way) => way,
        Err(UnusableWay { title, reason }) => {
            return Ok(WayReport { title, toml: None, needs: Vec::new(), reason: Some(reason) });
        }
    };
    let toml = snippet(entry, &way, id.unwrap_or(&way.server.id)).map_err(CliError::failed)?;
    let needs = way.needs.into_iter().map(|need| {
        let Need { variable, what, required, secret, .. } = need;
        NeedReport { variable, what, required, secret }
    });
    Ok(WayReport { title: way.title, toml: Some(toml), needs: needs.collect(), reason: None })
}
