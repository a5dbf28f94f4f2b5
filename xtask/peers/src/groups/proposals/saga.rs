//! The proposals' saga over three servers: played by their own client, and by our kernel with the same servers behind it. Both end alike.

use crate::groups::request::request;
use crate::{
    groups::ask::connect,
    peers::{Instance, Kernel, Upstream},
    rows::{Context, Row},
    tap::Command,
    workspace,
};
use serde_json::{Value, json};
use std::process::Stdio;

/// The servers, each with the step that the demo's client makes there.
const STEPS: [(&str, &str); 3] =
    [("jira", "Deploy v2.1"), ("confluence", "Link deployment docs"), ("slack", "Notify channel")];

fn demo() -> std::path::PathBuf {
    workspace::proposals("python/saga_demo.py")
}

pub(super) fn row() -> Row {
    crate::rows::row("proposals/saga", &[], run).programs(&["python3"]).beside(demo())
}

async fn run(context: Context) -> Result<(), String> {
    let theirs = play(&context).await?;
    for (scenario, is_down) in [false, true].into_iter().enumerate() {
        let host = Instance::Child(kernel(&context, is_down)?);
        let client = connect(&context, &host, None).await?;
        let id = json!({ "transaction_id": format!("saga-{scenario}") });
        request(&client, "transaction/begin", &id).await?;
        for (server, title) in STEPS {
            let call = json!({ "name": format!("{server}__create_ticket"), "arguments": { "title": title },
                "transaction_id": id["transaction_id"], "step_id": server });
            let made = request(&client, "tools/call", &call).await;
            let is_made = made.as_ref().is_ok_and(|made| made["isError"] != json!(true));
            // The third server has no tools at all.
            if is_made == (server == "slack") {
                return Err(format!("{server} answers {made:?}"));
            }
        }
        let report = request(&client, "transaction/rollback", &id).await?;
        client.close().await;
        let ours = ends(&report);
        let theirs = theirs.get(scenario).ok_or("the demo has fewer scenarios")?;
        if ours != *theirs {
            return Err(format!(
                "scenario {scenario} ends with {ours:?}, and theirs with {theirs:?}: {report}"
            ));
        }
        let state = if is_down { "partially_rolled_back" } else { "rolled_back" };
        if report["status"] != json!(state) {
            return Err(format!("expected {state}: {report}"));
        }
    }
    Ok(())
}

/// Returns the command that starts the kernel. If `is_down`, the first server disappears before its step is undone.
fn kernel(context: &Context, is_down: bool) -> Result<Command, String> {
    let server = |name: &str| {
        let script = workspace::scripts().join("proposals_saga.py");
        let paths = [script, demo()].map(|path| path.to_string_lossy().into_owned());
        let most = (is_down && name == "jira").then(|| "1".to_owned());
        Command::new("python3").args(paths.into_iter().chain([name.to_owned()]).chain(most))
    };
    let upstreams = STEPS.map(|(name, _)| Upstream::new(name, Instance::Child(server(name))));
    Ok(Kernel::configure(context, "full", &[], upstreams.into())?.stdio(context))
}

/// Returns the servers of the steps to undo, in the order of the steps, and whether the steps were undone.
fn ends(report: &Value) -> Vec<(String, bool)> {
    let steps = report["steps_compensated"].as_array().map(Vec::as_slice).unwrap_or_default();
    let end = |step: &Value| {
        (step["step_id"].as_str().unwrap_or_default().to_owned(), step["status"] == json!("compensated"))
    };
    steps.iter().rev().map(end).collect()
}

/// Runs the demo as intended, and returns the ends of the steps of each scenario.
async fn play(context: &Context) -> Result<Vec<Vec<(String, bool)>>, String> {
    let mut command = tokio::process::Command::new("python3");
    command.arg(demo()).env("PYTHONDONTWRITEBYTECODE", "1").current_dir(context.folder.path());
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.map_err(|error| format!("failed to run the demo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || !text.contains("=== Demo complete ===") {
        return Err(format!("the demo ended with {}: {text}", output.status));
    }
    Ok(scenarios(&text))
}

/// Reads the logs of the demo, whose lines are `[1] jira / create-PROJ-1: compensated`.
fn scenarios(text: &str) -> Vec<Vec<(String, bool)>> {
    let end = |line: &str| {
        let (server, end) = line.trim().strip_prefix('[')?.split_once("] ")?.1.split_once(" / ")?;
        Some((server.to_owned(), end.ends_with(": compensated")))
    };
    let scenarios = text.split("Compensation Log:").skip(1);
    scenarios.map(|log| log.lines().filter_map(end).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_s_logs_and_our_reports_are_read_alike() {
        let text = "x\n  Compensation Log:\n    [1] jira / create-PROJ-1: compensation_failed\n    [2] confluence / create-PROJ-1: compensated\n\n";
        let expected = vec![("jira".to_owned(), false), ("confluence".to_owned(), true)];
        assert_eq!(scenarios(text), vec![expected.clone()]);
        let report = json!({ "steps_compensated": [{ "step_id": "confluence", "status": "compensated" },
            { "step_id": "jira", "status": "compensation_failed" }] });
        assert_eq!(ends(&report), expected);
    }
}
