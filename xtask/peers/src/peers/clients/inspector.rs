//! Inspector's command line as a host: each list and each call uses a separate connection.

use super::{Answer, Call, HostResults, Reach, output::output};
use crate::{
    install::{NpmHome, Package},
    json::Normal,
    rows::Folder,
};
use mgp_client_sdk::Era;
use serde_json::{Value, json};
use tokio::process::Command;

/// A generation of Inspector.
#[derive(Debug, Clone, Copy)]
pub(super) enum Generation {
    First,
    Second(Era),
}

/// The name of the server in the configuration that Inspector reads.
const NAME: &str = "peer";

/// Lists the tools, then makes the calls. The newer generation reports parts of the tools' schemas that other clients could not read;
/// each such finding is an error.
pub(super) async fn play(
    generation: Generation,
    folder: &Folder,
    reach: &Reach,
    calls: &[Call],
) -> Result<HostResults, String> {
    let mut list = ["--method", "tools/list"].map(str::to_owned).to_vec();
    if matches!(generation, Generation::Second(_)) {
        list.push("--strict".to_owned());
    }
    let tools = run(generation, folder, reach, LIST, &list).await?;
    if matches!(generation, Generation::Second(_)) {
        let said = std::fs::read_to_string(folder.file(&format!("{LIST}.log")));
        faultless(&said.map_err(|error| format!("failed to read the output of Inspector: {error}"))?)?;
    }
    let mut answers = Vec::new();
    for call in calls {
        let mut options: Vec<_> =
            ["--method", "tools/call", "--tool-name", &call.tool].map(str::to_owned).to_vec();
        options.extend(arguments(&call.arguments)?);
        answers.push(run(generation, folder, reach, &format!("inspector-{}", call.tool), &options).await?);
    }
    Ok(HostResults { version: None, tools, resources: None, prompts: None, calls: answers })
}

const LIST: &str = "inspector-list";

/// Fails if the output has a finding. Each finding starts with its severity and the tool.
fn faultless(said: &str) -> Result<(), String> {
    let is_finding = |line: &&str| line.starts_with("Error: tool ") || line.starts_with("Warning: tool ");
    let mut lines = said.lines().skip_while(|line| !is_finding(line)).take(3);
    match lines.next() {
        Some(finding) => Err(format!("Inspector finds fault: {finding} {}", lines.collect::<String>())),
        None => Ok(()),
    }
}
/// Returns arguments in Inspector's form: `key=value`, where values other than texts are JSON.
fn arguments(arguments: &str) -> Result<Vec<String>, String> {
    let arguments: serde_json::Map<String, Value> =
        serde_json::from_str(arguments).map_err(|error| format!("invalid arguments: {error}"))?;
    let mut options = Vec::new();
    for (key, value) in arguments {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        options.extend(["--tool-arg".to_owned(), format!("{key}={text}")]);
    }
    Ok(options)
}

async fn run(
    generation: Generation,
    folder: &Folder,
    reach: &Reach,
    name: &str,
    options: &[String],
) -> Result<Answer, String> {
    let mut command = program(generation);
    match reach {
        Reach::Command(server) => {
            let server = json!({ "command": server.program, "args": server.args, "env": env(server) });
            let config = json!({ "mcpServers": { NAME: server } });
            let config = folder.write("inspector.json", &config.to_string())?;
            command.arg("--config").arg(config).args(["--server", NAME]);
        }
        Reach::Url(url) => {
            command.arg(url);
        }
    }
    command.args(options);
    let printed = output(command, folder, name).await?;
    let start = printed.find('{').ok_or_else(|| format!("{name} did not print JSON: {printed:?}"))?;
    Normal::parse(printed[start..].trim()).map(Answer)
}

fn env(server: &crate::tap::Command) -> Value {
    server.env.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect()
}

fn program(generation: Generation) -> Command {
    let (home, package, file) = match generation {
        Generation::First => (NpmHome::Node20, Package::Inspector1, "cli/build/cli.js"),
        Generation::Second(_) => (NpmHome::Node22, Package::Inspector2, "clients/cli/build/index.js"),
    };
    let mut command = Command::new(home.node());
    command.arg(home.file(package, file)).env("MCP_INSPECTOR_SECRET_STORE", "memory");
    match generation {
        Generation::First => command.arg("--cli"),
        Generation::Second(Era::Initialize) => command.args(["--protocol-era", "legacy"]),
        Generation::Second(Era::Stateless) => command.args(["--protocol-era", "modern"]),
    };
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_of_any_weight_is_an_error() {
        let said = "a note\nWarning: tool \"a\"\n  Path: b\n  Issue: c\n  Suggestion: d\n";
        assert_eq!(
            faultless(said).unwrap_err(),
            "Inspector finds fault: Warning: tool \"a\"   Path: b  Issue: c"
        );
        assert!(faultless("Error: tool \"a\"").is_err());
        assert_eq!(faultless("a note\n{\"text\": \"Warning: tool\"}"), Ok(()));
    }

    #[test]
    fn arguments_become_pairs() {
        let options = arguments(r#"{"a":7,"b":{"c":[1]},"d":"x y"}"#).unwrap();
        let pairs: Vec<_> = options.iter().filter(|option| *option != "--tool-arg").collect();
        assert_eq!(pairs, ["a=7", r#"b={"c":[1]}"#, "d=x y"]);
        assert!(arguments("[]").is_err());
    }
}
