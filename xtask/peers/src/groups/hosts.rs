//! Other people's clients as hosts in front of our kernel, which serves all servers at once.

use crate::{
    install::Package,
    peers::{Answer, Call, Inspector, Kernel, NOTE, Python, Reach, SERVERS, Scene, Upstream},
    rows::{Context, Row, row},
};
use std::collections::HashSet;

/// Which client plays the host.
#[derive(Debug, Clone, Copy)]
enum Client {
    Python,
    Inspector,
}

/// Which tools the host is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Full,
    Hybrid,
}

/// A call whose answer holds a text.
struct Expected {
    tool: &'static str,
    arguments: &'static str,
    text: &'static str,
}

/// One of each server. The first is the one that a host searches for.
const CALLS: &[Expected] = &[
    Expected { tool: "get-sum", arguments: r#"{"a":7,"b":35}"#, text: "42" },
    Expected { tool: "everything-http__get-sum", arguments: r#"{"a":20,"b":23}"#, text: "43" },
    Expected { tool: "read_text_file", arguments: r#"{"path":"{files}/note.txt"}"#, text: NOTE },
    Expected { tool: "search_nodes", arguments: r#"{"query":"traits"}"#, text: "ferris" },
    Expected {
        tool: "convert_time",
        arguments: r#"{"source_timezone":"Asia/Tokyo","time":"15:00","target_timezone":"Asia/Kolkata"}"#,
        text: "-3.5h",
    },
    Expected { tool: "git_log", arguments: r#"{"repo_path":"{repo}"}"#, text: "Plant a tree" },
];

/// What a host asks when it needs the first of the calls.
const SENTENCE: &str = "add two numbers and tell me the sum";
/// Among how many tools the right one must be.
const TOP: usize = 3;
const META: [&str; 2] = ["mgp_tools_discover", "mgp_tools_call"];
const PINNED: &str = "echo";

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (client, package, name) in
        [(Client::Inspector, Package::Inspector, "inspector"), (Client::Python, Package::PythonSdk, "python")]
    {
        for (http, transport) in [(false, "stdio"), (true, "http")] {
            for (mode, shown) in [(Mode::Full, "full"), (Mode::Hybrid, "hybrid")] {
                let needs: Vec<_> = SERVERS.iter().map(|server| server.package).chain([package]).collect();
                let run = move |context| run(context, client, http, mode);
                rows.push(row(format!("host/{name}-{transport}-{shown}"), &needs, run));
            }
        }
    }
    rows
}

async fn run(context: Context, client: Client, http: bool, mode: Mode) -> Result<(), String> {
    let scene = Scene::prepare(&context.folder).await?;
    let mut upstreams = Vec::new();
    for server in SERVERS {
        upstreams.push(Upstream::of(server, &context, &scene).await?);
    }
    let exposure = if mode == Mode::Full { "full" } else { "hybrid" };
    let kernel = Kernel::configure(&context, exposure, &[PINNED], upstreams)?;
    let (reach, service) = kernel.reach(&context, http).await?;
    match client {
        Client::Python => python(&context, &scene, &reach, mode).await?,
        Client::Inspector => inspector(&context, &scene, &reach, mode).await?,
    }
    if let Some(service) = service {
        service.stop().await?;
    }
    kernel.stop_upstreams().await
}

/// One connection: a list, a search where the host sees no list, every call.
async fn python(context: &Context, scene: &Scene, reach: &Reach, mode: Mode) -> Result<(), String> {
    let mut calls: Vec<_> = CALLS.iter().map(|expected| call(expected, scene, mode)).collect();
    if mode == Mode::Hybrid {
        calls.insert(0, search());
    }
    let (list, answers) = Python::list_and_call(&context.folder, reach, &calls).await?;
    shows(&list, mode)?;
    let mut answers = answers.iter();
    if mode == Mode::Hybrid {
        found(answers.next())?;
    }
    CALLS.iter().try_for_each(|expected| holds(expected, answers.next()))
}

/// A connection for each: a list, a search where the host sees no list, one call.
async fn inspector(context: &Context, scene: &Scene, reach: &Reach, mode: Mode) -> Result<(), String> {
    let folder = &context.folder;
    shows(&Inspector::list(folder, reach).await?, mode)?;
    if mode == Mode::Hybrid {
        found(Some(&Inspector::call(folder, reach, &search()).await?))?;
    }
    let expected = CALLS.first().ok_or("no call is expected")?;
    holds(expected, Some(&Inspector::call(folder, reach, &call(expected, scene, mode)).await?))
}

fn search() -> Call {
    let arguments = serde_json::json!({ "query": SENTENCE });
    Call::new(META[0], &arguments.to_string())
}

/// In hybrid mode a host calls what it found through the kernel's own tool.
fn call(expected: &Expected, scene: &Scene, mode: Mode) -> Call {
    let arguments = scene.text(expected.arguments, "kernel");
    match mode {
        Mode::Full => Call::new(expected.tool, &arguments),
        Mode::Hybrid => {
            Call::new(META[1], &format!(r#"{{"name":"{}","arguments":{arguments}}}"#, expected.tool))
        }
    }
}

fn shows(list: &Answer, mode: Mode) -> Result<(), String> {
    let names = list.names()?;
    match mode {
        Mode::Hybrid if names == [META[0], META[1], PINNED] => Ok(()),
        Mode::Hybrid => Err(format!("lists {names:?}, expected the kernel's own tools and {PINNED}")),
        Mode::Full => {
            let unique: HashSet<_> = names.iter().map(String::as_str).collect();
            let expected: usize = SERVERS.iter().map(|server| server.tools).sum();
            if names.len() != expected || unique.len() != expected {
                return Err(format!("lists {} tools, expected {expected}: {names:?}", names.len()));
            }
            let missing = CALLS.iter().find(|call| !unique.contains(call.tool));
            missing.map_or(Ok(()), |call| Err(format!("does not list {}: {names:?}", call.tool)))
        }
    }
}

fn found(answer: Option<&Answer>) -> Result<(), String> {
    let names = answer.ok_or("the search has no answer")?.found()?;
    let wanted = CALLS.first().map_or("", |call| call.tool);
    if names.iter().take(TOP).any(|name| name == wanted) {
        return Ok(());
    }
    Err(format!("{SENTENCE:?} finds {names:?}, expected {wanted} among the first {TOP}"))
}

fn holds(expected: &Expected, answer: Option<&Answer>) -> Result<(), String> {
    let text = answer.ok_or_else(|| format!("{} has no answer", expected.tool))?.text();
    let text = text.map_err(|error| format!("{}: {error}", expected.tool))?;
    if text.contains(expected.text.trim()) {
        return Ok(());
    }
    Err(format!("{} answers {text:?}, expected {:?} in it", expected.tool, expected.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Normal;

    #[test]
    fn every_server_is_called() {
        assert_eq!(CALLS.len(), SERVERS.len());
        for server in SERVERS {
            let prefix = format!("{}__", server.id);
            let calls = |tool: &str| {
                let tool = tool.strip_prefix(&prefix).unwrap_or(tool);
                server.probes.iter().any(|probe| probe.tool == tool)
            };
            assert!(CALLS.iter().any(|call| calls(call.tool)), "{}", server.id);
        }
    }

    #[test]
    fn a_list_must_be_what_the_mode_shows() {
        let list = |names: &[&str]| {
            let tools: Vec<_> = names.iter().map(|name| format!(r#"{{"name":"{name}"}}"#)).collect();
            Answer(Normal::parse(&format!(r#"{{"tools":[{}]}}"#, tools.join(","))).unwrap())
        };
        assert!(shows(&list(&[META[0], META[1], PINNED]), Mode::Hybrid).is_ok());
        assert!(shows(&list(&[META[0], META[1], PINNED, "get-sum"]), Mode::Hybrid).is_err());
        assert!(shows(&list(&["get-sum"]), Mode::Full).unwrap_err().contains("lists 1 tools"));
    }
}
