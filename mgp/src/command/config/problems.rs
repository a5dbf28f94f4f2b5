//! The problems of a text as a file of the configuration.

use super::files::{ConfigurationFiles, FileName};
use crate::{
    error::PlacedProblem,
    setup::{LoadedConfig, parse},
};
use mgp_kernel::Kernel;

/// A text as a file of the configuration.
#[derive(Debug)]
pub(super) struct CheckedText {
    pub(super) problems: Vec<PlacedProblem>,
    /// The configuration with this text, if it can be used.
    pub(super) loaded: Option<LoadedConfig>,
}

/// Checks a text as a gateway would at its start.
pub(super) fn check_text(files: &ConfigurationFiles, name: FileName, text: &[u8]) -> CheckedText {
    match name {
        FileName::Configuration => configuration(files, text),
        FileName::Policy => policy(files, text),
    }
}

fn configuration(files: &ConfigurationFiles, text: &[u8]) -> CheckedText {
    let file = files.files.iter().find(|file| file.name == FileName::Configuration);
    let parsed = file.map(|found| parse(&files.environment, found.file.clone(), text));
    let loaded = match parsed {
        Some(Ok(loaded)) => loaded,
        Some(Err(error)) => return CheckedText { problems: error.into_problems(), loaded: None },
        None => return CheckedText { problems: Vec::new(), loaded: None },
    };
    let mut problems = Vec::new();
    if let Err(error) = Kernel::builder().configure(&loaded.config) {
        problems.push(PlacedProblem::of_file(error.to_string()));
    }
    problems.extend(of_policy_file(&loaded, text));
    let loaded = problems.is_empty().then_some(loaded);
    CheckedText { problems, loaded }
}

/// Returns a problem at the key of the policy file, if the file cannot be used with this configuration.
fn of_policy_file(loaded: &LoadedConfig, text: &[u8]) -> Option<PlacedProblem> {
    let policy = loaded.policy.as_ref()?;
    let first = policy.problems(&loaded.config).into_iter().next()?;
    let text = String::from_utf8_lossy(text);
    let line = text.lines().position(|line| line.contains("policy_file")).map_or(1, |index| index + 1);
    let message = format!("access.policy_file: {}:{first}", policy.path().display());
    Some(PlacedProblem { line, ..PlacedProblem::of_file(message) })
}

fn policy(files: &ConfigurationFiles, text: &[u8]) -> CheckedText {
    let Some(loaded) = &files.loaded else {
        let problem = PlacedProblem::of_file("the configuration that names this file cannot be used")
            .help("`mgp config show` names its problems");
        return CheckedText { problems: vec![problem], loaded: None };
    };
    let policy = loaded.policy.as_ref().map(|policy| policy.with_content(text));
    let problems = policy.as_ref().map(|policy| policy.problems(&loaded.config)).unwrap_or_default();
    let loaded = problems.is_empty().then(|| LoadedConfig { policy, ..loaded.clone() });
    CheckedText { problems, loaded }
}
