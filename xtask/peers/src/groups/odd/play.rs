//! Plays a row: the odd server, the gateway, the steps, and the call of the good server.

use super::{
    answer,
    host::StdioHost,
    http::Request,
    table::{OddRow, Step},
};
use crate::{
    peers::{Service, Transport, quoted},
    rows::Context,
    tap::Command,
    workspace,
};
use serde_json::{Value, json};
use std::{fmt::Write as _, process::Stdio, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// The longest time for which a step is repeated, and for which a command may run.
const PATIENCE: Duration = Duration::from_secs(30);

/// The pause before a step is repeated.
const PAUSE: Duration = Duration::from_millis(20);

/// The time that hosts wait for starting servers, in milliseconds, unless a row names another.
const START_WAIT_MS: u64 = 20_000;

/// The agent of the hosts' calls.
const AGENT: &str = "peer";

/// The greeting of a plain host over HTTP.
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"odd","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
/// The header of the session that was opened last.
const SESSION: &str = "Mcp-Session-Id: {session}";
/// A call of the good server, and its answer.
const SUM: &str =
    r#"{"jsonrpc":"2.0","id":"sum","method":"tools/call","params":{"name":"add","arguments":{"a":3,"b":4}}}"#;
const SUM_IS: &str = "/result/content/0/text = \"7\"";

/// Plays a row.
///
/// # Errors
/// The first condition that does not hold, or the reason why a step failed.
pub(super) async fn play(odd: OddRow, context: Context) -> Result<(), String> {
    let server = match &odd.http {
        Some(kind) => Some(start_server(&odd, kind, &context).await?),
        None => None,
    };
    context.folder.write("mgp.toml", &config(&odd, &context, server.as_ref()))?;
    let mut gateway = Gateway::start(&odd, &context).await?;
    let played = gateway.play(&odd).await;
    gateway.keep_record()?;
    played?;
    gateway.end().await?;
    match server {
        Some(server) => server.stop().await,
        None => Ok(()),
    }
}

/// Returns the command of an odd server.
fn script(odd: &OddRow, file: &str, kind: &str) -> Command {
    // Without the packages and settings of this machine, Python starts in a few milliseconds.
    let path = workspace::odd().join(file).to_string_lossy().into_owned();
    Command::new("python3").args(["-B", "-S", "-E", &path, kind, &odd.given])
}

async fn start_server(odd: &OddRow, kind: &str, context: &Context) -> Result<Service, String> {
    let record = context.folder.record("server");
    let start = |port: u16| {
        script(odd, "odd_http.py", kind).env("PORT", port.to_string()).tapped(&context.programs, &record)
    };
    Service::start(start, Transport::Http, &context.folder, "the odd server").await
}

/// Returns the configuration: the odd server first, then one of ours, and a rule for each.
fn config(odd: &OddRow, context: &Context, server: Option<&Service>) -> String {
    if let Some(whole) = &odd.config {
        return filled(whole);
    }
    let mut text = format!("[kernel]\nagent = {}\nexposure = \"full\"\n", quoted(AGENT));
    if !odd.kernel.contains("start_wait_ms") {
        let _ = writeln!(text, "start_wait_ms = {START_WAIT_MS}");
    }
    let _ = writeln!(text, "{}", odd.kernel);
    let mut grants = format!("  {{ agent = {}, server = \"good\" }},\n", quoted(AGENT));
    let way = match (&odd.stdio, server) {
        (Some(kind), _) => {
            let command = script(odd, "odd_stdio.py", kind);
            let words: Vec<_> = command.args.iter().map(|word| quoted(word)).collect();
            Some(format!("command = {}\nargs = [{}]", quoted(&command.program), words.join(", ")))
        }
        (None, Some(server)) => Some(format!("url = {}", quoted(&server.url()))),
        (None, None) => None,
    };
    if let Some(way) = way {
        let _ = writeln!(text, "\n[[servers]]\nid = \"odd\"\n{way}\n{}", odd.settings);
        let _ = writeln!(grants, "  {{ agent = {}, server = \"odd\" }},", quoted(AGENT));
    }
    let good = quoted(&context.programs.add.to_string_lossy());
    let _ = writeln!(text, "\n[[servers]]\nid = \"good\"\ncommand = {good}\n");
    let _ = writeln!(text, "[access]\ngrants = [\n{grants}]\n\n{}", odd.tables);
    filled(&text)
}

/// Expands the placeholders in a text of a row: `{odd}` is the folder of the odd servers, `{long}` a word of 30,000 letters, and
/// `{garbage}` 48 KB of brackets and quotes that are never closed.
fn filled(text: &str) -> String {
    text.replace("{odd}", &workspace::odd().to_string_lossy())
        .replace("{long}", &"x".repeat(30_000))
        .replace("{garbage}", &"({[`/*".repeat(8_000))
}

/// The gateway of a row. If the row only runs commands, there is neither a host nor a service.
#[derive(Debug)]
struct Gateway {
    context: Context,
    host: Option<StdioHost>,
    service: Option<Service>,
    /// The session over HTTP that was opened last.
    session: String,
}

impl Gateway {
    async fn start(odd: &OddRow, context: &Context) -> Result<Self, String> {
        let serve = program(context).args(["serve", "--alone"]);
        let mut gateway =
            Self { context: context.clone(), host: None, service: None, session: String::new() };
        if odd.serves_http {
            let start = |port: u16| {
                let command = serve.args(["--http".to_owned(), format!("127.0.0.1:{port}")]);
                command.tapped(&context.programs, &context.folder.record("gateway"))
            };
            let service = Service::start(start, Transport::Http, &context.folder, "mgp serve").await?;
            gateway.service = Some(service);
            if !odd.no_handshake {
                gateway.request("POST /mcp", &[], INITIALIZE).await?;
                gateway.request("POST /mcp", &[SESSION.to_owned()], INITIALIZED).await?;
            }
        } else if odd.step.iter().any(|step| step.ask.is_some() || step.send.is_some()) {
            let mut host = StdioHost::start(serve.tokio(context.folder.path()), &context.folder)?;
            if !odd.no_handshake {
                host.shake_hands().await?;
            }
            gateway.host = Some(host);
        }
        Ok(gateway)
    }

    async fn play(&mut self, odd: &OddRow) -> Result<(), String> {
        for step in &odd.step {
            let end = Instant::now() + PATIENCE;
            loop {
                let answer = self.make(step).await?;
                let checked = step.holds.iter().try_for_each(|condition| answer::holds(&answer, condition));
                match checked {
                    Err(_) if step.until && Instant::now() < end => sleep(PAUSE).await,
                    checked => {
                        checked?;
                        break;
                    }
                }
            }
        }
        if odd.config.is_some() || odd.no_handshake {
            return Ok(());
        }
        let sum = if let Some(host) = &mut self.host {
            host.send(SUM).await?;
            host.answer(|answer| answer["id"] == "sum").await?
        } else if self.service.is_some() {
            self.request("POST /mcp", &[SESSION.to_owned()], SUM).await?["json"].take()
        } else {
            return Ok(());
        };
        answer::holds(&sum, SUM_IS).map_err(|why| format!("the other server does not answer: {why}"))
    }

    /// Makes a step, and returns its answer; null if there is none.
    async fn make(&mut self, step: &Step) -> Result<Value, String> {
        if let Some(arguments) = &step.run {
            return self.run(arguments).await;
        }
        if let Some(line) = &step.request {
            return self.request(line, &step.headers, &step.body).await;
        }
        let Some(host) = &mut self.host else { return Err(format!("there is no host for {step:?}")) };
        match (&step.ask, &step.send) {
            (Some(method), _) => {
                let params = filled(step.params.as_deref().unwrap_or("{}"));
                let params: Value =
                    serde_json::from_str(&params).map_err(|error| format!("{params}: {error}"))?;
                host.ask(method, &params).await
            }
            (None, Some(text)) => {
                host.send(&filled(text)).await?;
                if step.holds.is_empty() { Ok(Value::Null) } else { host.answer(|_| true).await }
            }
            (None, None) => Err(format!("the step does nothing: {step:?}")),
        }
    }

    async fn request(&mut self, line: &str, headers: &[String], body: &str) -> Result<Value, String> {
        let Some(service) = &self.service else { return Err(format!("nothing serves HTTP for {line}")) };
        let headers = headers.iter().map(|header| header.replace("{session}", &self.session)).collect();
        let answer = Request { line, headers, body: &filled(body) }.send(service.port()).await?;
        if let Some(session) = answer["headers"]["mcp-session-id"].as_str() {
            session.clone_into(&mut self.session);
        }
        Ok(answer)
    }

    /// Runs a command of the program. The answer is an object with `code`, `stdout`, `stderr` and, if the output is JSON, `json`.
    async fn run(&self, arguments: &[String]) -> Result<Value, String> {
        let arguments = arguments.iter().map(|argument| filled(argument));
        let mut command = program(&self.context).args(arguments).tokio(self.context.folder.path());
        command.stdin(Stdio::null()).kill_on_drop(true);
        let output = timeout(PATIENCE, command.output()).await;
        let output = output.map_err(|_| format!("the command did not end within {PATIENCE:?}"))?;
        let output = output.map_err(|error| format!("failed to run mgp: {error}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        Ok(json!({
            "code": output.status.code(), "stdout": text(&output.stdout), "stderr": text(&output.stderr), "json": json,
        }))
    }

    fn keep_record(&self) -> Result<(), String> {
        self.host.as_ref().map_or(Ok(()), StdioHost::keep_record)
    }

    async fn end(self) -> Result<(), String> {
        if let Some(host) = self.host {
            host.end().await?;
        }
        match self.service {
            Some(service) => service.stop().await,
            None => Ok(()),
        }
    }
}

/// Returns the program with the row's configuration and state, and a separate home.
fn program(context: &Context) -> Command {
    let path = |name: &str| context.folder.file(name).to_string_lossy().into_owned();
    Command::new(&context.programs.mgp)
        .args(["--config".to_owned(), path("mgp.toml"), "--state-dir".to_owned(), path("state")])
        .env("HOME", path("home"))
}
