//! The commands of a server, and the server of their tools.

use super::{line::CommandLine, run::CommandRun};
use mgp_discovery::config::CommandTool;
use mgp_server_sdk::{RawJson, Server, Tool, ToolError, extract::RawArgs};
use mgp_transport::{child::ChildCommand, memory};
use serde_json::{Map, Value, json};
use std::{io, sync::Arc, time::Duration};

/// The commands of a server whose tools they are.
#[derive(Debug, Clone)]
pub struct CommandEndpoint {
    /// The commands.
    pub commands: Vec<CommandSpec>,
}

/// A command that is a tool.
#[derive(Debug, Clone)]
pub struct CommandSpec {
    /// The tool: its name, description and arguments, and the bounds of a run.
    pub tool: CommandTool,
    /// The program, with its environment and folder, and without arguments.
    pub program: ChildCommand,
}

impl CommandEndpoint {
    /// Starts a server of the commands, whose programs `confine` confines. Returns the other end of a connection to it.
    pub(in crate::upstream) fn connect(
        &self,
        id: &str,
        confine: impl Fn(&ChildCommand) -> ChildCommand,
    ) -> io::Result<memory::End> {
        let mut server = Server::new(id, env!("CARGO_PKG_VERSION"));
        for command in &self.commands {
            server = server.tool(tool(command, confine(&command.program)).map_err(io::Error::other)?);
        }
        Ok(server.build().map_err(io::Error::other)?.in_process())
    }
}

fn tool(command: &CommandSpec, program: ChildCommand) -> Result<Tool, String> {
    let CommandTool { name, description, argv, arguments, read_only, timeout_ms, max_output_bytes } =
        &command.tool;
    let run = Arc::new(CommandRun {
        program,
        line: CommandLine::new(argv.iter().skip(1).map(mgp_discovery::config::Text::value), arguments)?,
        timeout: Duration::from_millis(*timeout_ms),
        max_output: usize::try_from(*max_output_bytes).unwrap_or(usize::MAX),
    });
    let call = move |RawArgs(arguments): RawArgs| {
        let run = run.clone();
        async move { called(&run, &arguments).await }
    };
    let tool = Tool::raw(name, description, schema(arguments), call).open_world(true);
    Ok(match read_only {
        Some(read_only) => tool.read_only(*read_only),
        None => tool,
    })
}

async fn called(run: &CommandRun, arguments: &RawJson) -> Result<String, ToolError> {
    let arguments: Map<String, Value> = arguments.decode().map_err(ToolError::invalid_arguments)?;
    run.run(&arguments).await
}

/// Returns the schema of a tool's arguments. An argument without `default` is required, unless it is `optional`.
fn schema(arguments: &Map<String, Value>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, schema) in arguments {
        let mut schema = schema.clone();
        let optional = schema.as_object_mut().and_then(|schema| schema.remove("optional"));
        if optional != Some(Value::Bool(true)) && schema.get("default").is_none() {
            required.push(name.clone());
        }
        properties.insert(name.clone(), schema);
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_required_unless_it_is_optional() {
        let arguments = json!({
            "path": {"type": "string"},
            "count": {"type": "integer", "default": 10},
            "author": {"type": "string", "optional": true},
        });
        let schema = schema(arguments.as_object().unwrap());
        assert_eq!(schema["required"], json!(["path"]));
        assert_eq!(schema["properties"]["author"], json!({"type": "string"}));
        assert_eq!(schema["additionalProperties"], json!(false));
    }
}
