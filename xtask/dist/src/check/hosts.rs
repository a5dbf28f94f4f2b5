//! The hosts that make the first calls: the official SDKs, and the Inspector.

use super::user::User;
use crate::process;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tokio::process::Command;
use xtask_install::{
    Venv,
    hosts::{HAS_NODE, INSPECTOR, NODE_22, PYTHON_SDK, TYPESCRIPT_SDK, node22_folder},
    workspace,
};

/// A host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    Typescript,
    Python,
    Inspector,
}

pub(super) const ALL: [Host; 3] = [Host::Typescript, Host::Python, Host::Inspector];

impl Host {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Typescript => "TypeScript",
            Self::Python => "Python",
            Self::Inspector => "Inspector",
        }
    }

    /// Returns the file in the home folder from which the host's entry is read.
    const fn file(self) -> &'static str {
        match self {
            Self::Typescript | Self::Inspector => ".cursor/mcp.json",
            Self::Python => ".claude.json",
        }
    }
}

/// The tool of the first call, and its answer.
const TOOL: &str = "list_notes";
const ANSWER: &str = r#"{"notes":[]}"#;

/// Writes the files of two installed hosts, each with a server of its own.
pub(super) fn prepare(user: &User) -> Result<(), String> {
    for (file, database) in [(".cursor/mcp.json", "cursor.db"), (".claude.json", "claude.db")] {
        let path = user.seen(&user.home(file));
        let database = user.home(database);
        // The program is found in the user's path.
        let server = json!({ "command": "mgp", "args": ["embedded-server", "notes", "--db", database] });
        let text = format!("{:#}\n", json!({ "mcpServers": { "notes": server } }));
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        let written = made.and_then(|()| fs::write(&path, text)).and_then(|()| open_to_all(&path));
        written.map_err(|error| format!("failed to write {}: {error}", path.display()))?;
    }
    Ok(())
}

/// Lets the user, who is not the account of this program, change a file and its folder.
fn open_to_all(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o666))?;
    match path.parent() {
        Some(folder) => fs::set_permissions(folder, fs::Permissions::from_mode(0o777)),
        None => Ok(()),
    }
}

/// Reads the command of the gateway from a host's file.
pub(super) fn entry(user: &User, host: Host) -> Result<Vec<String>, String> {
    let path = user.seen(&user.home(host.file()));
    let text =
        fs::read_to_string(&path).map_err(|error| format!("failed to read {}: {error}", path.display()))?;
    let file: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let server = &file["mcpServers"]["mgp"];
    let command =
        server["command"].as_str().ok_or_else(|| format!("the host's file has no gateway: {text}"))?;
    let args = server["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok([command].into_iter().chain(args).map(str::to_owned).collect())
}

/// The installed packages of the hosts.
#[derive(Debug)]
pub(super) struct Hosts {
    node: PathBuf,
    python: PathBuf,
    scratch: PathBuf,
}

impl Hosts {
    /// Installs the hosts, unless they are installed already.
    pub(super) async fn install(scratch: &Path) -> Result<Self, String> {
        let folder = node22_folder();
        let mut packages = vec![TYPESCRIPT_SDK, INSPECTOR];
        packages.extend(HAS_NODE.then_some(NODE_22));
        if !packages.iter().all(|package| folder.has(*package)) {
            eprintln!("installing the TypeScript SDK and the Inspector");
            folder.install(&packages).await?;
        }
        let node = if HAS_NODE { folder.file(NODE_22, "bin/node") } else { "node".into() };
        let of_peers = Venv::new(workspace::target().join("peers/py-sdk2"));
        let own = Venv::new(scratch.join("python"));
        let venv = if of_peers.has("mcp", PYTHON_SDK) { of_peers } else { own };
        if !venv.has("mcp", PYTHON_SDK) {
            eprintln!("installing the Python SDK");
            venv.install([format!("mcp=={PYTHON_SDK}")]).await?;
        }
        Ok(Self { node, python: venv.program("python"), scratch: scratch.to_owned() })
    }

    /// Has a host start the gateway by a command, and make the first call.
    pub(super) async fn call(&self, host: Host, command: Vec<String>) -> Result<(), String> {
        let scripts = workspace::root().join("xtask/peers");
        let packages = node22_folder().file(TYPESCRIPT_SDK, "../../..");
        let task = json!({
            "command": command, "env": {}, "era": "stateless", "agrees": false, "packages": packages,
            "calls": [{ "tool": TOOL, "arguments": {} }],
        });
        let mut program = match host {
            Host::Typescript => with(&self.node, &scripts.join("node/host.mjs"), &task),
            Host::Python => with(&self.python, &scripts.join("python/host_sdk2.py"), &task),
            Host::Inspector => self.inspector(&command)?,
        };
        program.env("MCP_INSPECTOR_SECRET_STORE", "memory");
        let output = process::output(program).await?;
        let start = output.find('{').unwrap_or_default();
        let result: Value = serde_json::from_str(output.get(start..).unwrap_or_default())
            .map_err(|error| format!("the host prints no JSON: {error}: {output:?}"))?;
        // The Inspector prints only the answer.
        let answer = result["calls"].get(0).unwrap_or(&result);
        match answer["content"][0]["text"].as_str() {
            Some(ANSWER) => Ok(()),
            _ => Err(format!("{TOOL} answers {answer}, expected {ANSWER}")),
        }
    }

    fn inspector(&self, command: &[String]) -> Result<Command, String> {
        let (program, args) = command.split_first().ok_or("the host's entry has no command")?;
        let config = json!({ "mcpServers": { "mgp": { "command": program, "args": args } } });
        let path = self.scratch.join("inspector.json");
        fs::write(&path, config.to_string())
            .map_err(|error| format!("failed to write {}: {error}", path.display()))?;
        let mut inspector = Command::new(&self.node);
        inspector
            .arg(node22_folder().file(INSPECTOR, "clients/cli/build/index.js"))
            .arg("--config")
            .arg(path);
        inspector.args([
            "--server",
            "mgp",
            "--protocol-era",
            "modern",
            "--method",
            "tools/call",
            "--tool-name",
            TOOL,
        ]);
        Ok(inspector)
    }
}

fn with(program: &Path, script: &Path, task: &Value) -> Command {
    let mut command = Command::new(program);
    command.arg(script).arg(task.to_string());
    command
}
