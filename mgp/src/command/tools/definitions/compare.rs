//! `mgp tools diff OLD.json NEW.json`: shows the changes between two lists of tools, and whether versions account for
//! them.

use super::{
    kind::FileKind,
    listing::{self, ToolFile},
    row::difference_lines,
};
use crate::{
    error::CliError,
    exit::Exit,
    output::{Outcome, note, on_one_line, printable},
};
use mgp_security::definition::{DefinitionDiff, VersionCheck};
use mgp_types::{json::RawJson, tool_metadata::VersionStep};
use serde::Serialize;

#[derive(Serialize)]
struct Report {
    changed: Vec<ChangedTool>,
    added: Vec<String>,
    removed: Vec<String>,
    /// The comparison of the server's version with all changes, if both files state a version.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<VersionCheck>,
    /// True if the versions account for every change.
    said: bool,
}

#[derive(Serialize)]
struct ChangedTool {
    name: String,
    breaking: bool,
    /// True if the version accounts for the change.
    said: bool,
    #[serde(flatten)]
    versions: VersionCheck,
    #[serde(flatten)]
    diff: DefinitionDiff,
}

pub(super) fn compare(old: &str, new: &str) -> Result<Outcome, CliError> {
    if (old, new) == ("-", "-") {
        return Err(CliError::usage("only one of the files can be stdin"));
    }
    let (old, new) = (listing::read(old)?, listing::read(new)?);
    for kind in [FileKind::Catalogue, FileKind::Manifest, FileKind::JsonSchema] {
        if [old.kind, new.kind].contains(&kind) {
            kind.note().into_iter().for_each(note);
        }
    }
    let report = Report::of(&old, &new);
    let exit = if report.said { Exit::Success } else { Exit::Failed };
    if report.is_empty() {
        note("the tools are the same");
    }
    Ok(Outcome::new(report.text(), &report)?.with_exit(exit))
}

impl Report {
    fn of(old: &ToolFile, new: &ToolFile) -> Self {
        let kinds = [old.kind, new.kind];
        // A file that omits a member does not record changes of it.
        let shown = |definition: &RawJson| {
            kinds.iter().fold(definition.clone(), |definition, kind| kind.shown(&definition))
        };
        let both = old.tools.iter().filter_map(|(name, old)| Some((name, old, new.tools.get(name)?)));
        let changed: Vec<ChangedTool> = both
            .map(|(name, old, new)| {
                let (old, new) = (shown(old), shown(new));
                let diff = DefinitionDiff::of(&old, &new);
                let versions = VersionCheck::of(&old, &new, &diff);
                ChangedTool {
                    name: name.clone(),
                    breaking: diff.is_breaking(),
                    said: versions.is_said(),
                    versions,
                    diff,
                }
            })
            .filter(|tool| !tool.diff.compared || !tool.diff.differences.is_empty() || !tool.said)
            .collect();
        let only = |one: &ToolFile, other: &ToolFile| -> Vec<String> {
            one.tools.keys().filter(|name| !other.tools.contains_key(*name)).cloned().collect()
        };
        let (added, removed) = (only(new, old), only(old, new));
        let server = old.server_version.clone().zip(new.server_version.clone()).map(|(before, after)| {
            let of_tools = changed.iter().map(|tool| tool.versions.needed).max().unwrap_or(VersionStep::None);
            let of_list = match (removed.is_empty(), added.is_empty()) {
                (false, _) => VersionStep::Major,
                (true, false) => VersionStep::Minor,
                (true, true) => VersionStep::None,
            };
            VersionCheck::between(Some(before), Some(after), of_tools.max(of_list))
        });
        let of_server = server.as_ref().map(VersionCheck::is_said);
        // Only the server's version can account for a removed tool.
        let said = changed.iter().all(|tool| tool.said) && of_server.unwrap_or(removed.is_empty());
        Self { changed, added, removed, server, said }
    }

    fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }

    fn text(&self) -> String {
        let mut parts: Vec<String> = self.changed.iter().map(ChangedTool::text).collect();
        let named = |name: &String| on_one_line(&printable(name));
        parts.extend(self.added.iter().map(|name| format!("tool {}: added", named(name))));
        parts.extend(self.removed.iter().map(|name| format!("tool {}: removed, breaking", named(name))));
        if let Some(server) = self.server.as_ref().filter(|server| !self.is_empty() || !server.is_said()) {
            parts.push(format!("server: {server}"));
        }
        parts.join("\n")
    }
}

impl ChangedTool {
    fn text(&self) -> String {
        let breaking = if self.breaking { "changed, breaking" } else { "changed" };
        let name = on_one_line(&printable(&self.name));
        let mut all = vec![format!("tool {name}: {breaking}; {}", self.versions)];
        if !self.diff.compared {
            all.push(
                "  the definitions hold JSON that readers do not read alike, and are not compared".to_owned(),
            );
        }
        all.extend(difference_lines(&self.diff.differences, self.diff.left_out));
        all.join("\n")
    }
}
