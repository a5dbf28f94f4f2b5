//! `mgp config check`.

use super::{
    difference::difference,
    files::{ConfigurationFiles, FileName, NamedFile},
    problems::{CheckedText, check_text},
    run::TextArgs,
};
use crate::{
    error::{CliError, PlacedProblem},
    exit::Exit,
    options::Options,
    output::{Outcome, printable},
    setup::PolicyFile,
};
use mgp_discovery::trust::{FileHash, hash};
use mgp_kernel::configuration_change;
use mgp_types::lifecycle::ConfigurationChange;
use serde::Serialize;

/// The JSON form of the answer.
#[derive(Debug, Serialize)]
struct CheckReport {
    /// The hash of the checked text.
    sha256: FileHash,
    problems: Vec<PlacedProblem>,
    /// The lines of the difference to the file.
    difference: Vec<String>,
    /// The changes of a reload; `None` if the text or the file has problems.
    change: Option<ConfigurationChange>,
}

pub(super) fn check(options: &Options, args: &TextArgs) -> Result<Outcome, CliError> {
    let text = args.read()?;
    let found = ConfigurationFiles::find(options)?;
    let file = found.file(args.file)?;
    let checked = check_text(&found, args.file, &text);
    let (before, after) = (String::from_utf8_lossy(file.bytes()), String::from_utf8_lossy(&text));
    let report = CheckReport {
        sha256: hash(&text),
        difference: difference(&before, &after),
        change: change(&found, file, &checked),
        problems: checked.problems,
    };
    let exit = if report.problems.is_empty() { Exit::Success } else { Exit::Configuration };
    Ok(Outcome::new(text_of(file, &report), &report)?.with_exit(exit))
}

/// Returns what a reload would change in a gateway that has the configuration of the files.
fn change(
    found: &ConfigurationFiles,
    file: &NamedFile,
    checked: &CheckedText,
) -> Option<ConfigurationChange> {
    let (before, after) = (found.loaded.as_ref()?, checked.loaded.as_ref()?);
    let mut change = configuration_change(&before.config, &before.config, &after.config);
    let path = |policy: &Option<PolicyFile>| policy.as_ref().map(|policy| policy.path().to_owned());
    let content = |policy: &Option<PolicyFile>| {
        policy.as_ref().and_then(|policy| policy.content().map(|(_, content)| content.to_owned()))
    };
    if path(&before.policy) != path(&after.policy) {
        PolicyFile::add_key(&mut change.needs_restart);
    } else if file.name == FileName::Policy && content(&before.policy) != content(&after.policy) {
        change.applied.push(PolicyFile::KEY.to_owned());
    }
    Some(change)
}

fn text_of(file: &NamedFile, report: &CheckReport) -> String {
    let path = file.file.path.display();
    if !report.problems.is_empty() {
        let problems = report.problems.iter().map(|problem| format!("  {problem}"));
        let problems = problems.collect::<Vec<_>>().join("\n");
        return format!("the text cannot be the {} {path}:\n{problems}", file.name.as_str());
    }
    if report.difference.is_empty() {
        return format!("the text is that of {path}");
    }
    let lines = printable(&report.difference.join("\n")).into_owned();
    match &report.change {
        Some(change) => format!("{lines}\na reload would change: {change}"),
        None => lines,
    }
}
