//! Runs the examples that call `curl`, and compares their answers with those that the pages show.

use super::console::{examples, fits, stray};
use crate::{
    groups::ask::connect,
    install::Package,
    peers::{Instance, Kernel, Scene, Service, Transport, Upstream, free_port, server},
    rows::{Context, Row, row},
    tap::Command,
    workspace,
};
use mgp_types::json::RawJson;
use std::{fs, path::PathBuf, process::Stdio};

const CURL: &str = "curl";
/// The port of a gateway in the pages, where its tools are served.
const GATEWAY: u16 = 8800;
/// The port of its metrics.
const METRICS: u16 = 9464;
/// The calls that the example of the metrics shows.
const CALLS: usize = 2;

/// Returns the rows: one for the examples of each port.
pub(in crate::groups) fn rows() -> Vec<Row> {
    vec![
        row("examples/curl-rest", &[], rest).programs(&[CURL]),
        row("examples/curl-metrics", &[Package::Filesystem], metrics).programs(&[CURL]),
    ]
}

/// Runs the examples about tools, those of each page on a separate gateway, started as the page describes.
async fn rest(context: Context) -> Result<(), String> {
    let mut count = 0;
    for page in pages()? {
        if !page.has(GATEWAY) {
            continue;
        }
        let start = |port: u16| {
            let state = context.folder.file(&format!("state-{port}")).to_string_lossy().into_owned();
            let listen = format!("127.0.0.1:{port}");
            let command = ["serve", "--demo", "--rest", "--http", &listen, "--state-dir", &state];
            Command::new(&context.programs.mgp).args(command)
        };
        let gateway = Service::start(start, Transport::Http, &context.folder, "mgp serve").await?;
        let ran = page.run(&context, GATEWAY, gateway.port()).await;
        gateway.stop().await?;
        count += ran?;
    }
    if count < 4 { Err(format!("{count} examples ran, expected at least 4")) } else { Ok(()) }
}

/// Runs the example about metrics, after the calls that it shows.
async fn metrics(context: Context) -> Result<(), String> {
    let (scene, port) = (Scene::prepare(&context.folder).await?, free_port().await?);
    let upstream = Upstream::of(server("filesystem")?, &context, &scene).await?;
    let upstream = upstream.called("files");
    let kernel = Kernel::configure(&context, "full", &[], vec![upstream])?.metrics(&context, port)?;
    let client = connect(&context, &Instance::Child(kernel.stdio(&context)), None).await?;
    let arguments = scene.text(r#"{"path": "{files}"}"#, "kernel");
    for _ in 0..CALLS {
        let arguments = RawJson::parse(arguments.clone()).map_err(|error| error.to_string())?;
        let called = client.call_tool("list_directory", arguments).await;
        called.map_err(|error| format!("failed to call: {error}"))?;
    }
    let mut count = 0;
    for page in pages()? {
        count += page.run(&context, METRICS, port).await?;
    }
    if count == 0 { Err("no example asks for metrics".to_owned()) } else { Ok(()) }
}

/// A page of the documentation with examples.
struct Page {
    name: String,
    text: String,
}

/// Returns the README and every page of `docs/`.
fn pages() -> Result<Vec<Page>, String> {
    let mut paths = vec![workspace::root().join("README.md")];
    let docs = workspace::root().join("docs");
    let failed = |error: std::io::Error| format!("failed to read {}: {error}", docs.display());
    let entries = fs::read_dir(&docs).map_err(failed)?;
    let mut others: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    others.sort();
    paths.extend(others.into_iter().filter(|path| path.extension().is_some_and(|end| end == "md")));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).map_err(failed)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match stray(&text, CURL) {
            Some(line) => Err(format!("{name}: {line:?} is not in a block of the type `console`")),
            None => Ok(Page { name, text }),
        }
    };
    paths.into_iter().map(read).collect()
}

impl Page {
    fn has(&self, port: u16) -> bool {
        examples(&self.text, CURL).iter().any(|example| example.command.contains(&address(port)))
    }

    /// Runs the examples of one port, with another port instead, and returns their number.
    async fn run(&self, context: &Context, port: u16, other: u16) -> Result<usize, String> {
        // Commands stay as they are written.
        let settings = format!("connect-to = \"{}:{}\"\nnoproxy = \"*\"\n", address(port), address(other));
        context.folder.write(".curlrc", &settings)?;
        let mut count = 0;
        for example in examples(&self.text, CURL) {
            if !example.command.contains(&address(port)) {
                continue;
            }
            let answer = shell(context, &example.command).await?;
            let place = format!("{}:{}", self.name, example.line);
            if example.answer.trim().is_empty() {
                return Err(format!(
                    "{place}: the page shows no answer of {}; it is {answer}",
                    example.command
                ));
            }
            if !fits(&example.answer, &answer) {
                return Err(format!(
                    "{place}: {} answers {answer}, and the page shows {}",
                    example.command, example.answer
                ));
            }
            count += 1;
        }
        Ok(count)
    }
}

fn address(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// Runs a line as if typed, and returns its output.
async fn shell(context: &Context, line: &str) -> Result<String, String> {
    let mut command = tokio::process::Command::new("sh");
    command.args(["-c", line]).current_dir(context.folder.path()).env("CURL_HOME", context.folder.path());
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.map_err(|error| format!("failed to run sh: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{line} ended with {}: {said}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The port of a gateway with keys. A test of the program sends these requests.
    const KEYS: u16 = 7433;

    #[test]
    fn every_call_of_curl_is_an_example_that_a_row_runs() {
        for page in pages().unwrap() {
            for example in examples(&page.text, CURL) {
                let is_of = |port: u16| example.command.contains(&address(port));
                let is_run = [GATEWAY, METRICS].into_iter().any(is_of)
                    || page.name == "authorization.md" && is_of(KEYS);
                assert!(is_run, "{}:{}: {}", page.name, example.line, example.command);
            }
        }
    }
}
