//! Inspector's command line as a host: each list and each call is a connection of its own.

use super::{Answer, Call, Reach, output::output};
use crate::{install::Package, json::Normal, rows::Folder};
use serde_json::{Value, json};
use tokio::process::Command;

/// Inspector's command line as a host.
#[derive(Debug)]
pub(crate) struct Inspector;

/// The name of the server in the configuration that Inspector reads.
const NAME: &str = "peer";

impl Inspector {
    /// Lists the tools.
    pub(crate) async fn list(folder: &Folder, reach: &Reach) -> Result<Answer, String> {
        run(folder, reach, "inspector-list", &["--method".to_owned(), "tools/list".to_owned()]).await
    }

    /// Calls a tool.
    pub(crate) async fn call(folder: &Folder, reach: &Reach, call: &Call) -> Result<Answer, String> {
        let mut options: Vec<_> =
            ["--method", "tools/call", "--tool-name", &call.tool].map(str::to_owned).to_vec();
        options.extend(arguments(&call.arguments)?);
        run(folder, reach, &format!("inspector-{}", call.tool), &options).await
    }
}

/// Arguments as Inspector takes them: `key=value`, what is no text as JSON.
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

async fn run(folder: &Folder, reach: &Reach, name: &str, options: &[String]) -> Result<Answer, String> {
    let mut command = Command::new("node");
    command.arg(Package::Inspector.npm_file("cli/build/cli.js")).arg("--cli");
    match reach {
        Reach::Command(server) => {
            let server = json!({ "command": server.program, "args": server.args });
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
    let start = printed.find('{').ok_or_else(|| format!("{name} printed no JSON: {printed:?}"))?;
    Normal::parse(printed[start..].trim()).map(Answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_pairs() {
        let options = arguments(r#"{"a":7,"b":{"c":[1]},"d":"x y"}"#).unwrap();
        let pairs: Vec<_> = options.iter().filter(|option| *option != "--tool-arg").collect();
        assert_eq!(pairs, ["a=7", r#"b={"c":[1]}"#, "d=x y"]);
        assert!(arguments("[]").is_err());
    }
}
