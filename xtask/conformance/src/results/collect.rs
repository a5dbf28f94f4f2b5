//! Finds a scenario's result in the folder that the suite wrote to.

use super::{Check, check::parse_checks};
use crate::suite::Side;
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// The suite's output for a scenario.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScenarioOutput {
    pub(crate) checks: Vec<Check>,
    /// The last line that a client under test wrote to stderr.
    pub(crate) said: Option<String>,
}

/// Returns the output of the scenario's last run, or `None` if there is none.
pub(crate) fn collect(output: &Path, side: Side, scenario: &str) -> Result<Option<ScenarioOutput>, String> {
    let Some(folder) = find(output, side, scenario) else { return Ok(None) };
    let Some(checks) = read(&folder.join("checks.json"))? else { return Ok(None) };
    let said = read(&folder.join("stderr.txt"))?.unwrap_or_default();
    let said =
        String::from_utf8_lossy(&said).lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
    Ok(Some(ScenarioOutput { checks: parse_checks(&checks)?, said }))
}

/// Returns the bytes of a file, or `None` if there is no such file.
fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let failed = |error| format!("failed to read {}: {error}", path.display());
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(failed)?,
    };
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("{} has more than {MAX_FILE} bytes", path.display()));
    }
    Ok(Some(bytes))
}

/// Finds the newest folder of a scenario. The suite names a folder after the scenario and the time; a slash in the name makes a
/// folder in a folder.
fn find(output: &Path, side: Side, scenario: &str) -> Option<PathBuf> {
    let prefix = match side {
        Side::Server => format!("server-{scenario}-"),
        Side::Client => format!("{scenario}-"),
    };
    let (parent, start) = match prefix.rsplit_once('/') {
        Some((parent, start)) => (output.join(parent), start),
        None => (output.to_path_buf(), prefix.as_str()),
    };
    let entries = fs::read_dir(parent).ok()?.flatten();
    let named = entries.filter(|entry| {
        let name = entry.file_name();
        name.to_str().and_then(|name| name.strip_prefix(start)).is_some_and(is_time)
    });
    // The times sort as texts.
    named.map(|entry| entry.path()).max()
}

/// Returns `true` for a time such as `2026-11-20T14-01-56-123Z`, and `false` for the rest of a longer name.
fn is_time(text: &str) -> bool {
    const PATTERN: &[u8] = b"dddd-dd-ddTdd-dd-dd-dddZ";
    let fits =
        |(byte, wanted): (u8, &u8)| if *wanted == b'd' { byte.is_ascii_digit() } else { byte == *wanted };
    text.len() == PATTERN.len() && text.bytes().zip(PATTERN).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a folder like the suite's, with one check in each file, whose id is its place in the list.
    fn output(name: &str, folders: &[&str]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("mgp-conformance-{name}-{}", std::process::id()));
        for (place, folder) in folders.iter().enumerate() {
            let folder = path.join(folder);
            fs::create_dir_all(&folder).unwrap();
            let check = format!(r#"[{{"id":"{place}","name":"A","status":"SUCCESS"}}]"#);
            fs::write(folder.join("checks.json"), check).unwrap();
        }
        path
    }

    fn id(output: &Path, side: Side, scenario: &str) -> Option<String> {
        collect(output, side, scenario).unwrap().map(|written| written.checks[0].id.clone())
    }

    #[test]
    fn the_last_folder_of_exactly_that_scenario_counts() {
        let output = output(
            "names",
            &[
                "server-tools-call-error-2026-11-20T14-01-56-123Z",
                "server-tools-call-error-2026-11-20T14-01-57-001Z",
                "server-tools-call-2026-11-20T14-01-56-123Z",
                "server-ping-2026",
                "auth/dpop-nonce-2026-11-20T14-01-56-123Z",
                "auth/dpop-2026-11-20T14-01-56-123Z",
            ],
        );
        let found = [
            id(&output, Side::Server, "tools-call-error"),
            id(&output, Side::Server, "tools-call"),
            id(&output, Side::Client, "auth/dpop"),
            id(&output, Side::Client, "auth/dpop-nonce"),
            id(&output, Side::Server, "tools"),
            id(&output, Side::Server, "ping"),
        ];
        fs::remove_dir_all(output).unwrap();
        let expected = [Some("1"), Some("2"), Some("5"), Some("4"), None, None];
        assert_eq!(found, expected.map(|id| id.map(str::to_owned)));
    }

    #[test]
    fn a_folder_without_checks_is_not_a_result() {
        let output = output("empty", &[]);
        fs::create_dir_all(output.join("server-ping-2026-11-20T14-01-56-123Z")).unwrap();
        let found = collect(&output, Side::Server, "ping");
        fs::remove_dir_all(output).unwrap();
        assert_eq!(found, Ok(None));
    }

    #[test]
    fn a_client_s_last_output_is_kept_with_its_checks() {
        let output = output("said", &["initialize-2026-11-20T14-01-56-123Z"]);
        let folder = output.join("initialize-2026-11-20T14-01-56-123Z");
        fs::write(folder.join("stderr.txt"), "trying\nerror: refused\n\n").unwrap();
        let said = collect(&output, Side::Client, "initialize").unwrap().unwrap().said;
        fs::remove_dir_all(output).unwrap();
        assert_eq!(said.as_deref(), Some("error: refused"));
    }
}
