//! Clients that are driven by a script of ours: one connection, the lists, and the calls.

use super::{Answer, Call, HostResults, HostUser, Reach, output::output};
use crate::{
    install::{NpmHome, PythonHome},
    json::Normal,
    rows::Folder,
    workspace,
};
use mgp_client_sdk::Era;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
};
use tokio::process::Command;

/// The program that runs a script, and the script.
pub(super) struct Script(PathBuf, PathBuf);

pub(super) fn python_sdk1() -> Script {
    Script(PythonHome::Sdk1.program("python"), workspace::scripts().join("host_sdk1.py"))
}

pub(super) fn python_sdk2() -> Script {
    Script(PythonHome::Sdk2.program("python"), workspace::scripts().join("host_sdk2.py"))
}

pub(super) fn typescript() -> Script {
    Script(NpmHome::Node22.node(), workspace::node_script())
}

/// Gives the script its input, and reads the last line that it prints.
pub(super) async fn play(
    Script(program, script): Script,
    era: Option<Era>,
    folder: &Folder,
    reach: &Reach,
    calls: &[Call],
    user: HostUser,
) -> Result<HostResults, String> {
    let mut told = match reach {
        Reach::Command(command) => json!({
            "command": command.words(),
            "env": command.env.iter().cloned().collect::<BTreeMap<_, _>>(),
        }),
        Reach::Url(url) => json!({ "url": url }),
    };
    let call = |call: &Call| {
        let arguments: Value = serde_json::from_str(&call.arguments)
            .map_err(|error| format!("invalid arguments of {}: {error}", call.tool))?;
        Ok(json!({ "tool": call.tool, "arguments": arguments }))
    };
    told["calls"] = calls.iter().map(call).collect::<Result<Vec<_>, String>>()?.into();
    told["agrees"] = (user == HostUser::Agrees).into();
    told["packages"] = NpmHome::Node22.path().to_string_lossy().into();
    told["era"] = match era {
        Some(Era::Stateless) => "stateless".into(),
        Some(Era::Initialize) | None => "initialize".into(),
    };
    let mut command = Command::new(program);
    command.arg(script).arg(told.to_string());
    let printed = output(command, folder, "host").await?;
    let played = read(printed.lines().last().unwrap_or_default())?;
    if played.calls.len() != calls.len() {
        return Err(format!("{} calls, but {} answers", calls.len(), played.calls.len()));
    }
    Ok(played)
}

fn read(line: &str) -> Result<HostResults, String> {
    let wrong = || format!("the host's script printed an unexpected line: {line}");
    let Normal::Object(members) = Normal::parse(line)? else { return Err(wrong()) };
    let mut members: HashMap<_, _> = members.into_iter().collect();
    let (Some(Normal::Text(version)), Some(tools), Some(Normal::List(calls))) =
        (members.remove("version"), members.remove("tools"), members.remove("calls"))
    else {
        return Err(wrong());
    };
    let mut list = |key: &str| members.remove(key).map(Answer);
    Ok(HostResults {
        version: Some(version),
        tools: Answer(tools),
        resources: list("resources"),
        prompts: list("prompts"),
        calls: calls.into_iter().map(Answer).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_s_output_is_read_and_missing_lists_are_absent() {
        let played =
            read(r#"{"version":"2025-11-25","tools":{"tools":[]},"calls":[{}],"prompts":{}}"#).unwrap();
        assert_eq!(played.version.as_deref(), Some("2025-11-25"));
        assert!(played.resources.is_none() && played.prompts.is_some() && played.calls.len() == 1);
        assert!(read("[]").is_err() && read(r#"{"version":"2025-11-25"}"#).is_err());
    }
}
