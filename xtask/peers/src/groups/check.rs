//! `mgp check` on real servers: it reports, does no harm, and finds no failure on our own servers.

use crate::{
    install::Package,
    peers::{Instance, NOTE, Scene, server},
    rows::{Context, Row, row},
    tap::Command,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::PathBuf, process::Stdio};

/// The servers of other projects.
const SERVERS: [&str; 7] =
    ["everything", "everything-http", "filesystem", "memory", "time", "git", "fastmcp"];
/// Our own servers.
const OURS: [&str; 4] = ["add", "deploy", "everything", "kernel"];

/// The least number of passed checks of a server with tools.
const LEAST: usize = 15;

pub(super) fn rows() -> Vec<Row> {
    let of_others = SERVERS.into_iter().filter_map(|id| {
        let needs: &[Package] = &[server(id).ok()?.package];
        Some(row(format!("check/{id}"), needs, move |context| others(id, context)))
    });
    let ours = OURS
        .into_iter()
        .map(|name| row(format!("check/ours-{name}"), &[], move |context| own(name, context)));
    of_others.chain(ours).collect()
}

async fn others(id: &'static str, context: Context) -> Result<(), String> {
    let scene = Scene::prepare(&context.folder).await?;
    let instance = server(id)?.instance(&context, &scene, "checked").await?;
    let words: Vec<_> = match &instance {
        Instance::Child(command) => std::iter::once("--").chain(command.words()).map(str::to_owned).collect(),
        Instance::Running(service) => vec![service.url()],
    };
    let env = match &instance {
        Instance::Child(command) => command.env.clone(),
        Instance::Running(_) => Vec::new(),
    };
    let report = report(&context, &env, &words).await;
    instance.stop().await?;
    let report = report?;
    let results = results(&report)?;
    let of = |status: &str| results.iter().filter(|result| result["status"] == json!(status)).count();
    if of("passed") < LEAST {
        return Err(format!("only {} checks passed: {report}", of("passed")));
    }
    no_harm(id, &context)?;
    let failed = results.iter().filter(|result| result["status"] == json!("failed"));
    let failed: Vec<_> = failed.filter_map(|result| result["test_id"].as_str()).collect();
    println!("      {id}: {} passed, {} skipped, failed: {failed:?}", of("passed"), of("skipped"));
    Ok(())
}

async fn own(name: &'static str, context: Context) -> Result<(), String> {
    let programs = &context.programs;
    let command = match name {
        "add" => Command::new(&programs.add),
        "deploy" => Command::new(&programs.deploy),
        "everything" => Command::new(&programs.everything),
        _ => {
            let state = context.folder.file("state").to_string_lossy().into_owned();
            Command::new(&programs.mgp).args(["serve", "--alone", "--demo", "--state-dir", &state])
        }
    };
    let words: Vec<_> = std::iter::once("--").chain(command.words()).map(str::to_owned).collect();
    let report = report(&context, &[], &words).await?;
    let failed = results(&report)?.into_iter().find(|result| result["status"] == json!("failed"));
    failed.map_or(Ok(()), |failed| Err(format!("{failed}")))
}

/// Runs the program and reads its report.
async fn report(context: &Context, env: &[(String, String)], words: &[String]) -> Result<Value, String> {
    let mut command = tokio::process::Command::new(&context.programs.mgp);
    command.args(["check", "--format", "json"]);
    for (name, value) in env {
        command.args(["--env".to_owned(), format!("{name}={value}")]);
    }
    command.args(words).current_dir(context.folder.path()).stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.map_err(|error| format!("failed to run mgp check: {error}"))?;
    let code = output.status.code();
    if !matches!(code, Some(0 | 1)) {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "mgp check ended with {code:?}: {}{stderr}",
            String::from_utf8_lossy(&output.stdout)
        ));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("the report is not JSON: {error}"))
}

fn results(report: &Value) -> Result<Vec<&Value>, String> {
    let results = report["results"].as_array().ok_or_else(|| format!("no results: {report}"))?;
    Ok(results.iter().collect())
}

/// Checks that only tools that the server marks as read-only were called, and that the one file is unchanged.
fn no_harm(id: &str, context: &Context) -> Result<(), String> {
    let path: PathBuf = context.folder.record(&format!("checked-{id}"));
    let note =
        std::fs::read_to_string(context.folder.file("files/note.txt")).map_err(|error| error.to_string())?;
    if note != NOTE {
        return Err(format!("the note was changed: {note:?}"));
    }
    // The output of a listening program is not recorded.
    let Ok(text) = std::fs::read_to_string(&path) else { return Ok(()) };
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line.get(2..)?).ok());
    let (mut called, mut harmless) = (BTreeSet::new(), BTreeSet::new());
    for message in messages {
        if message["method"] == json!("tools/call") {
            called.extend(message["params"]["name"].as_str().map(str::to_owned));
        }
        let tools = message["result"]["tools"].as_array().into_iter().flatten();
        let marked = tools.filter(|tool| tool["annotations"]["readOnlyHint"] == json!(true));
        harmless.extend(marked.filter_map(|tool| tool["name"].as_str().map(str::to_owned)));
    }
    called.remove("check_does_not_exist");
    match called.iter().find(|name| !harmless.contains(*name)) {
        Some(name) => Err(format!("{name} was called, which is not marked as read-only")),
        None => Ok(()),
    }
}
