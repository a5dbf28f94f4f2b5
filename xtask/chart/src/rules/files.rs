//! Rules on the files of the chart: versions, the image, and comments and schemas of values.

use crate::renderer::KUBERNETES;
use serde_json::Value;
use std::{fs, path::Path};

/// The values whose members the chart does not name.
const OPEN: [&str; 3] = ["podSecurityContext", "securityContext", "resources"];

/// The texts of the chart and of the files that it must fit.
#[derive(Debug, Clone)]
pub(crate) struct ChartFiles {
    pub(crate) chart: String,
    pub(crate) values: String,
    pub(crate) schema: String,
    pub(crate) compose: String,
    pub(crate) containerfile: String,
}

impl ChartFiles {
    pub(crate) fn read(root: &Path, chart: &str) -> Result<Self, String> {
        let read = |path: &str| {
            fs::read_to_string(root.join(path)).map_err(|error| format!("failed to read {path}: {error}"))
        };
        Ok(Self {
            chart: read(&format!("{chart}/Chart.yaml"))?,
            values: read(&format!("{chart}/values.yaml"))?,
            schema: read(&format!("{chart}/values.schema.json"))?,
            compose: read("deploy/compose.yaml")?,
            containerfile: read("xtask/dist/files/Containerfile")?,
        })
    }
}

/// Returns the findings on the files of the chart, whose default values are given.
pub(crate) fn of_files(files: &ChartFiles, defaults: &Value) -> Vec<String> {
    let mut findings = versions(files);
    findings.extend(image(files, defaults));
    findings.extend(uncommented(&files.values));
    match serde_json::from_str::<Value>(&files.schema) {
        Ok(schema) => findings.extend(unequal("", &schema, defaults)),
        Err(error) => findings.push(format!("values.schema.json is not JSON: {error}")),
    }
    findings
}

fn versions(files: &ChartFiles) -> Vec<String> {
    let own = env!("CARGO_PKG_VERSION");
    let mut findings = Vec::new();
    for expected in [
        format!("version: {own}"),
        format!("appVersion: {own}"),
        format!("kubeVersion: \">={}.0-0\"", KUBERNETES[0]),
    ] {
        if !files.chart.lines().any(|line| line == expected) {
            findings.push(format!("Chart.yaml has no line `{expected}`"));
        }
    }
    findings
}

fn image(files: &ChartFiles, defaults: &Value) -> Vec<String> {
    let mut findings = Vec::new();
    let repository = defaults["image"]["repository"].as_str().unwrap_or_default();
    if !files.compose.contains(&format!("image: {repository}:")) {
        findings
            .push(format!("image.repository is {repository:?}: expected the image of deploy/compose.yaml"));
    }
    let user = &defaults["podSecurityContext"]["runAsUser"];
    if !files.containerfile.contains(&format!("useradd --uid {user} ")) {
        findings
            .push(format!("podSecurityContext.runAsUser is {user}: expected the user of the Containerfile"));
    }
    findings
}

/// Returns the values that have no comment above them.
fn uncommented(values: &str) -> Vec<String> {
    let (mut findings, mut has_comment, mut is_open) = (Vec::new(), false, false);
    for (at, line) in values.lines().enumerate() {
        let text = line.trim_start();
        let is_value = !text.is_empty() && !text.starts_with('#');
        if is_value && text.len() == line.len() {
            is_open = OPEN.iter().any(|name| line.starts_with(&format!("{name}:")));
        }
        // The name of a table is explained by its values.
        let is_table = text.ends_with(':') && text.len() == line.len();
        let is_within_open = is_open && text.len() < line.len();
        if is_value && !has_comment && !is_table && !is_within_open {
            findings.push(format!("values.yaml:{}: a value without a comment above it", at + 1));
        }
        has_comment = text.starts_with('#');
    }
    findings
}

/// Returns the values that the schema lacks, and those that only the schema has.
fn unequal(path: &str, schema: &Value, values: &Value) -> Vec<String> {
    let (Some(described), Some(values)) = (schema["properties"].as_object(), values.as_object()) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    if schema["additionalProperties"] != false {
        findings.push(format!("values.schema.json accepts every value in {path:?}"));
    }
    for name in values.keys().filter(|name| !described.contains_key(*name)) {
        findings.push(format!("values.schema.json lacks {path}{name}"));
    }
    for (name, schema) in described.iter().filter(|(name, _)| *name != "global") {
        match values.get(name) {
            Some(value) => findings.extend(unequal(&format!("{path}{name}."), schema, value)),
            None => findings.push(format!("values.yaml lacks {path}{name}")),
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_without_a_comment_is_found() {
        assert_eq!(
            uncommented("# A.\na: 1\n\nb:\n  # C.\n  c: 2\nresources:\n  d: 3\n"),
            Vec::<String>::new()
        );
        let found = uncommented("a: 1\n# B.\n\nb: 2\nc:\n  d: 3\n");
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[2].starts_with("values.yaml:6: "), "{found:?}");
    }

    #[test]
    fn values_and_their_schema_have_the_same_names() {
        let closed = |properties: Value| json!({ "additionalProperties": false, "properties": properties });
        let schema = closed(json!({ "a": {}, "b": closed(json!({ "c": {} })), "global": {} }));
        assert_eq!(unequal("", &schema, &json!({ "a": 1, "b": { "c": 2 } })), Vec::<String>::new());
        let found = unequal("", &schema, &json!({ "a": 1, "b": { "d": 2 }, "e": 3 }));
        assert_eq!(
            found,
            ["values.schema.json lacks e", "values.schema.json lacks b.d", "values.yaml lacks b.c"]
        );
        let open = json!({ "properties": { "a": {} } });
        assert_eq!(
            unequal("", &open, &json!({ "a": 1 })),
            ["values.schema.json accepts every value in \"\""]
        );
    }

    #[test]
    fn a_stale_version_image_or_user_is_found() {
        let own = env!("CARGO_PKG_VERSION");
        let files = ChartFiles {
            chart: format!("version: {own}\nappVersion: {own}\nkubeVersion: \">={}.0-0\"\n", KUBERNETES[0]),
            values: String::new(),
            schema: "{}".into(),
            compose: "    image: ghcr.io/x/mgp:latest\n".into(),
            containerfile: "RUN useradd --uid 10001 --create-home mgp\n".into(),
        };
        let defaults = json!({ "image": { "repository": "ghcr.io/x/mgp" }, "podSecurityContext": { "runAsUser": 10001 } });
        assert_eq!(of_files(&files, &defaults), Vec::<String>::new());
        let stale = ChartFiles {
            chart: "version: 0.0.9\n".into(),
            compose: "    image: ghcr.io/y/mgp:latest\n".into(),
            containerfile: "RUN useradd --uid 10002 mgp\n".into(),
            schema: "{".into(),
            ..files
        };
        assert_eq!(of_files(&stale, &defaults).len(), 6);
    }
}
