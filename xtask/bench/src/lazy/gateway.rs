//! A gateway with lazy servers, started for each measurement, and its host over stdio.

use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::{Instant, sleep, timeout},
};

/// The time limit of an answer.
const ANSWER: Duration = Duration::from_secs(120);
/// The pause after the servers have listed their tools, in which they end.
const SETTLING: Duration = Duration::from_secs(2);

/// A gateway with lazy servers.
pub(super) struct Gateway {
    program: PathBuf,
    folder: tempfile::TempDir,
}

impl Gateway {
    /// Writes the configuration of a gateway in front of this many servers, each a process of `server`, and has them listed once.
    pub(super) async fn with(program: &Path, server: &Path, servers: usize) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let table = |i: usize| {
            format!("[[servers]]\nid = \"s{i}\"\ncommand = {server:?}\nargs = [\"--server\", \"stdio\"]\n")
        };
        let tables: String = (0..servers).map(table).collect();
        let text = format!(
            "[kernel]\nlazy = true\nexposure = \"full\"\ndefault_policy = \"opt-out\"\nstart_wait_ms = 60000\n\n{tables}"
        );
        std::fs::write(folder.path().join("mgp.toml"), text).map_err(|error| error.to_string())?;
        let gateway = Self { program: program.to_owned(), folder };
        let mut host = gateway.start().await?;
        host.ask("tools/list", &json!({})).await?;
        sleep(SETTLING).await;
        host.end().await?;
        Ok(gateway)
    }

    /// Starts the gateway, and returns the time until a search was answered, in milliseconds.
    pub(super) async fn first_search(&self) -> Result<f64, String> {
        let began = Instant::now();
        let mut host = self.start().await?;
        let search = json!({"name": "mgp_tools_discover", "arguments": {"query": "add two numbers"}});
        let found = host.ask("tools/call", &search).await?;
        let taken = began.elapsed();
        if found["structuredContent"]["tools"].as_array().is_none_or(Vec::is_empty) {
            return Err(format!("the search found nothing: {found}"));
        }
        host.end().await?;
        Ok(taken.as_secs_f64() * 1e3)
    }

    async fn start(&self) -> Result<Host, String> {
        let mut command = Command::new(&self.program);
        command.args(["serve", "--alone"]).arg("--config").arg(self.folder.path().join("mgp.toml"));
        command.arg("--state-dir").arg(self.folder.path().join("state"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| format!("failed to start mgp: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("mgp has no pipes".to_owned());
        };
        let mut host = Host { child, input, lines: BufReader::new(output).lines(), next: 1 };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1.0.0"},
        });
        host.ask("initialize", &hello).await?;
        host.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
        Ok(host)
    }
}

/// A host, and the gateway that it started.
struct Host {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    next: u64,
}

impl Host {
    async fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        let id = self.next;
        self.next += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        loop {
            let line = timeout(ANSWER, self.lines.next_line()).await;
            let line = line.map_err(|_| format!("{method} was not answered within {ANSWER:?}"))?;
            let line = line.map_err(|error| error.to_string())?;
            let line = line.ok_or_else(|| format!("{method} was not answered"))?;
            let mut message: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
            if message["id"] == id && message.get("method").is_none() {
                return message.get_mut("result").map(Value::take).ok_or(line);
            }
        }
    }

    async fn say(&mut self, message: &Value) -> Result<(), String> {
        self.input.write_all(format!("{message}\n").as_bytes()).await.map_err(|error| error.to_string())
    }

    /// Closes the gateway's stdin, and waits for its end.
    async fn end(self) -> Result<(), String> {
        let Self { mut child, input, .. } = self;
        drop(input);
        let ended = timeout(ANSWER, child.wait()).await.map_err(|_| "mgp does not end".to_owned())?;
        ended.map(drop).map_err(|error| error.to_string())
    }
}
