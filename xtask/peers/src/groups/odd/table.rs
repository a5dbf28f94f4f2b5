//! The rows in `xtask/peers/odd/rows/`.

use serde::Deserialize;

/// The files of rows.
const FILES: [(&str, &str); 11] = [
    ("definitions.toml", include_str!("../../../odd/rows/definitions.toml")),
    ("entries.toml", include_str!("../../../odd/rows/entries.toml")),
    ("lists.toml", include_str!("../../../odd/rows/lists.toml")),
    ("wire.toml", include_str!("../../../odd/rows/wire.toml")),
    ("answers.toml", include_str!("../../../odd/rows/answers.toml")),
    ("http_servers.toml", include_str!("../../../odd/rows/http_servers.toml")),
    ("hosts.toml", include_str!("../../../odd/rows/hosts.toml")),
    ("http_hosts.toml", include_str!("../../../odd/rows/http_hosts.toml")),
    ("configurations.toml", include_str!("../../../odd/rows/configurations.toml")),
    ("commands.toml", include_str!("../../../odd/rows/commands.toml")),
    ("arguments.toml", include_str!("../../../odd/rows/arguments.toml")),
];

/// A file of rows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    row: Vec<OddRow>,
}

/// A row: the odd server, if any, the configuration, and the steps.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OddRow {
    /// The name of the row, without its group.
    pub(super) name: String,
    /// The behaviour of the odd server over stdio.
    pub(super) stdio: Option<String>,
    /// The behaviour of the odd server over HTTP.
    pub(super) http: Option<String>,
    /// The lists and answers of the odd server, as a JSON object whose members are merged into those of a plain server.
    pub(super) given: String,
    /// Lines for the table of the odd server.
    pub(super) settings: String,
    /// Lines for `[kernel]`.
    pub(super) kernel: String,
    /// Further tables of the configuration.
    pub(super) tables: String,
    /// The whole configuration, instead of the parts.
    pub(super) config: Option<String>,
    /// True if the gateway serves HTTP.
    pub(super) serves_http: bool,
    /// True if the host leaves out the handshake.
    pub(super) no_handshake: bool,
    pub(super) step: Vec<Step>,
}

/// One action of the host or the operator, and the conditions on its answer. Exactly one of the first four fields is set.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Step {
    /// The method of a request over stdio.
    pub(super) ask: Option<String>,
    /// Lines that are written over stdio unchanged. The next answer is read if there are conditions on it.
    pub(super) send: Option<String>,
    /// The method, path and, if it is not HTTP/1.0, version of a request over HTTP.
    pub(super) request: Option<String>,
    /// The arguments of the program in a separate process.
    pub(super) run: Option<Vec<String>>,
    /// The params of the request, as JSON.
    pub(super) params: Option<String>,
    /// Headers of the request over HTTP.
    pub(super) headers: Vec<String>,
    /// The body of the request over HTTP.
    pub(super) body: String,
    /// True if the step is repeated until all conditions hold, for values that change as servers come and go.
    pub(super) until: bool,
    /// Conditions on the answer, in the form that `answer::holds` reads.
    pub(super) holds: Vec<String>,
}

/// Returns the rows of all files.
pub(super) fn read() -> Result<Vec<OddRow>, String> {
    let mut all = Vec::new();
    for (file, text) in FILES {
        let rows: Rows = toml::from_str(text).map_err(|error| format!("odd/rows/{file}: {error}"))?;
        all.extend(rows.row);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{groups::odd::answer, workspace};
    use serde_json::json;
    use std::collections::HashSet;

    #[test]
    fn each_step_does_one_thing_and_its_conditions_can_be_read() {
        for row in read().unwrap() {
            let name = &row.name;
            assert!(row.stdio.is_none() || row.http.is_none(), "{name}: two odd servers");
            assert!(
                row.given.is_empty() || serde_json::from_str::<serde_json::Value>(&row.given).is_ok(),
                "{name}"
            );
            assert!(row.step.iter().any(|step| !step.holds.is_empty()), "{name} asserts nothing");
            for step in &row.step {
                let does =
                    [step.ask.is_some(), step.send.is_some(), step.request.is_some(), step.run.is_some()];
                assert_eq!(does.into_iter().filter(|does| *does).count(), 1, "{name}: {step:?}");
                for condition in &step.holds {
                    let checked = answer::holds(&json!({}), condition);
                    assert!(
                        !checked.is_err_and(|why| why.contains("is not a condition")),
                        "{name}: {condition}"
                    );
                }
            }
        }
    }

    #[test]
    fn rows_and_behaviours_of_odd_servers_match_one_to_one() {
        let rows = read().unwrap();
        for (file, used) in [
            ("odd_stdio.py", rows.iter().filter_map(|row| row.stdio.as_deref()).collect::<HashSet<_>>()),
            ("odd_http.py", rows.iter().filter_map(|row| row.http.as_deref()).collect()),
        ] {
            let script = std::fs::read_to_string(workspace::odd().join(file)).unwrap();
            let named = script.lines().filter_map(|line| line.strip_prefix("@kind(\"")?.split_once('"'));
            let named: HashSet<_> = named.map(|(name, _)| name).collect();
            assert_eq!(named, used, "{file}");
        }
    }
}
