//! The official Python SDK as a host.

use super::{Answer, Call, Reach, output::output};
use crate::{install::PythonHome, json::Normal, rows::Folder, workspace};
use serde_json::{Value, json};
use tokio::process::Command;

/// The official Python SDK as a host: one connection, a list, and calls.
#[derive(Debug)]
pub(crate) struct Python;

impl Python {
    /// Lists the tools, then makes the calls in order. The list comes first in what is returned.
    pub(crate) async fn list_and_call(
        folder: &Folder,
        reach: &Reach,
        calls: &[Call],
    ) -> Result<(Answer, Vec<Answer>), String> {
        let mut told = match reach {
            Reach::Command(command) => json!({
                "command": command.words(),
                "env": command.env.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            }),
            Reach::Url(url) => json!({ "url": url }),
        };
        let call = |call: &Call| {
            let arguments: Value = serde_json::from_str(&call.arguments)
                .map_err(|error| format!("invalid arguments of {}: {error}", call.tool))?;
            Ok(json!({ "tool": call.tool, "arguments": arguments }))
        };
        told["calls"] = calls.iter().map(call).collect::<Result<Vec<_>, String>>()?.into();
        let mut command = Command::new(PythonHome::Client.program("python"));
        command.arg(workspace::script("host.py")).arg(told.to_string());
        let printed = output(command, folder, "python").await?;
        let last = printed.lines().last().unwrap_or_default();
        let Normal::List(answers) = Normal::parse(last)? else {
            return Err(format!("the host's script printed no list: {last}"));
        };
        let mut answers = answers.into_iter().map(Answer);
        let list = answers.next().ok_or("the host's script printed an empty list")?;
        let answers: Vec<_> = answers.collect();
        if answers.len() != calls.len() {
            return Err(format!("{} calls, but {} answers", calls.len(), answers.len()));
        }
        Ok((list, answers))
    }
}
