//! Runs the check, and prints a row for each case and rule.

use crate::{
    case::{self, Case},
    objects::Objects,
    renderer::Renderer,
    rules::{self, ChartFiles},
};
use serde_json::Value;
use xtask_install::{is_strict, workspace};

/// The folder of the chart.
const CHART: &str = "deploy/helm/mgp";

/// Runs the check. The last line counts the cases and the rules on all of them.
pub(crate) async fn run() -> Result<(), String> {
    let root = workspace::root();
    let cases = case::all(&root.join("xtask/chart"))?;
    let renderer = match Renderer::install().await {
        Ok(renderer) => renderer,
        Err(error) if is_strict() => return Err(error),
        Err(error) => {
            println!("skipped, because Helm cannot be installed: {error}");
            println!("0 passed, 0 failed, {} skipped", cases.len());
            return Ok(());
        }
    };
    let answer = renderer.render(&root.join(CHART), &cases).await?;
    let files = ChartFiles::read(&root, CHART)?;
    let mut rows = vec![("files".to_owned(), rules::of_files(&files, &answer["defaults"]))];
    let mut accepted = Vec::new();
    for case in &cases {
        let rendered = &answer["cases"][&case.name];
        rows.push((case.name.clone(), judge(case, rendered)));
        if let Some(objects) = objects(rendered) {
            accepted.push((case.name.as_str(), objects));
        }
    }
    rows.push(("changes".to_owned(), rules::of_cases(&accepted)));
    let failed = rows.iter().filter(|(_, findings)| !findings.is_empty()).count();
    for (name, findings) in &rows {
        println!("{:<32} {}", name, if findings.is_empty() { "passed" } else { "FAILED" });
        for finding in findings {
            println!("  {finding}");
        }
    }
    println!("\n{} passed, {failed} failed, 0 skipped", rows.len() - failed);
    if failed == 0 { Ok(()) } else { Err(format!("{failed} of the chart's checks failed")) }
}

fn objects(rendered: &Value) -> Option<Objects> {
    rendered["objects"].as_array().map(|manifests| Objects::new(manifests.clone()))
}

/// Returns the findings on one case.
fn judge(case: &Case, rendered: &Value) -> Vec<String> {
    let refused = rendered["refused"].as_str();
    match (&case.refusal, refused, objects(rendered)) {
        (Some(expected), Some(reason), _) if reason.contains(expected) => Vec::new(),
        (Some(expected), Some(reason), _) => {
            vec![format!("refused for another reason: expected {expected:?} in {reason:?}")]
        }
        (Some(expected), None, _) => vec![format!("accepted: expected a refusal with {expected:?}")],
        (None, Some(reason), _) => vec![format!("refused: {reason}")],
        (None, None, Some(objects)) => {
            let problems = rendered["problems"].as_array().into_iter().flatten();
            let mut findings: Vec<_> = problems.filter_map(Value::as_str).map(str::to_owned).collect();
            findings.extend(rules::of_manifests(&objects));
            findings
        }
        (None, None, None) => vec!["render.py did not render it".to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_expected_refusal_passes() {
        let case = |refusal: Option<&str>| Case {
            name: "x".into(),
            path: "x.yaml".into(),
            refusal: refusal.map(str::to_owned),
        };
        let refused = json!({ "refused": "at '/x': got 0, want 1" });
        assert_eq!(judge(&case(Some("got 0, want 1")), &refused), Vec::<String>::new());
        for (refusal, rendered, finding) in [
            (Some("got 2"), refused.clone(), "refused for another reason: expected \"got 2\""),
            (Some("got 0"), json!({ "objects": [] }), "accepted: expected a refusal with \"got 0\""),
            (None, refused, "refused: at '/x'"),
            (None, json!({ "objects": [], "problems": ["a.yaml: wrong"] }), "a.yaml: wrong"),
            (None, json!(null), "render.py did not render it"),
        ] {
            let findings = judge(&case(refusal), &rendered);
            assert!(findings[0].starts_with(finding), "{findings:?}");
        }
    }
}
