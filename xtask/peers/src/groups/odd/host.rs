//! A host over stdio that writes and reads lines.

use crate::rows::Folder;
use serde_json::{Value, json};
use std::{process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

/// The longest wait for one answer, and for the end of the gateway.
const PATIENCE: Duration = Duration::from_secs(30);

/// A gateway as the process of a host, which reads its lines.
#[derive(Debug)]
pub(super) struct StdioHost {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    folder: Folder,
    /// The lines in both directions so far.
    record: String,
    next_id: i64,
}

impl StdioHost {
    /// Starts the gateway.
    pub(super) fn start(mut command: Command, folder: &Folder) -> Result<Self, String> {
        let stderr =
            std::fs::File::create(folder.file("gateway.stderr.log")).map_err(|error| error.to_string())?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| format!("failed to start the gateway: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the gateway has no pipes".to_owned());
        };
        let lines = BufReader::new(output).lines();
        Ok(Self { child, input, lines, folder: folder.clone(), record: String::new(), next_id: 1 })
    }

    /// Makes the handshake of a plain host.
    pub(super) async fn shake_hands(&mut self) -> Result<(), String> {
        let info = json!({ "name": "odd", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        let greeting = self.ask("initialize", &params).await?;
        if greeting["result"]["protocolVersion"].is_string() {
            return self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        }
        Err(format!("the gateway refuses the handshake: {greeting}"))
    }

    /// Sends a request and returns its answer.
    pub(super) async fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        let id = self.next_id;
        self.next_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request.to_string()).await?;
        self.answer(|answer| answer["id"] == id).await
    }

    /// Writes a text and the end of a line.
    pub(super) async fn send(&mut self, text: &str) -> Result<(), String> {
        self.note('>', text);
        let written = self.input.write_all(format!("{text}\n").as_bytes()).await;
        written.map_err(|error| format!("the gateway stopped reading: {error}"))
    }

    /// Returns the next answer for which `is_right` returns true. Requests of the gateway are refused.
    pub(super) async fn answer(&mut self, is_right: impl Fn(&Value) -> bool) -> Result<Value, String> {
        loop {
            let line = timeout(PATIENCE, self.lines.next_line()).await;
            let line = line.map_err(|_| format!("no answer within {PATIENCE:?}"))?;
            let line =
                line.map_err(|error| format!("failed to read: {error}"))?.ok_or("the gateway has ended")?;
            self.note('<', &line);
            let message: Value = serde_json::from_str(&line)
                .map_err(|error| format!("the gateway does not write JSON: {error}: {line}"))?;
            match (message.get("method"), message.get("id")) {
                (None, _) if is_right(&message) => return Ok(message),
                (Some(_), Some(id)) => {
                    let error = json!({ "code": -32601, "message": "not here" });
                    self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()).await?;
                }
                _ => {}
            }
        }
    }

    /// Closes the gateway's input, and waits until it has ended without an error.
    pub(super) async fn end(mut self) -> Result<(), String> {
        drop(self.input);
        let status = timeout(PATIENCE, self.child.wait()).await;
        match status.map_err(|_| format!("the gateway did not end within {PATIENCE:?}"))? {
            Ok(status) if status.success() => Ok(()),
            other => Err(format!("the gateway ended with {other:?}")),
        }
    }

    /// Writes the lines so far to a file, for the report of a failed row.
    pub(super) fn keep_record(&self) -> Result<(), String> {
        self.folder.write("host.jsonl", &self.record).map(drop)
    }

    fn note(&mut self, direction: char, line: &str) {
        self.record.push(direction);
        self.record.push(' ');
        self.record.push_str(line);
        self.record.push('\n');
    }
}
