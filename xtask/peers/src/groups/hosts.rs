//! Other people's clients as hosts in front of our kernel, which serves all servers at once.

use crate::{
    peers::{Answer, Call, HostClient, Kernel, NOTE, Reach, Scene, ServerPeer, Upstream, server},
    rows::{Context, Row, row},
};
use mgp_client_sdk::Era;
use std::collections::HashSet;

/// The exposure of tools to the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Full,
    Hybrid,
}

/// A call, and a text in its answer.
struct ExpectedAnswer {
    server: &'static str,
    tool: &'static str,
    arguments: &'static str,
    text: &'static str,
}

/// One call to each server. Hosts search for the tool of the first call.
const CALLS: &[ExpectedAnswer] = &[
    ExpectedAnswer { server: "everything", tool: "get-sum", arguments: r#"{"a":7,"b":35}"#, text: "42" },
    ExpectedAnswer {
        server: "everything-http",
        tool: "everything-http__get-sum",
        arguments: r#"{"a":20,"b":23}"#,
        text: "43",
    },
    ExpectedAnswer {
        server: "filesystem",
        tool: "read_text_file",
        arguments: r#"{"path":"{files}/note.txt"}"#,
        text: NOTE,
    },
    ExpectedAnswer {
        server: "memory",
        tool: "search_nodes",
        arguments: r#"{"query":"traits"}"#,
        text: "ferris",
    },
    ExpectedAnswer {
        server: "time",
        tool: "convert_time",
        arguments: r#"{"source_timezone":"Asia/Tokyo","time":"15:00","target_timezone":"Asia/Kolkata"}"#,
        text: "-3.5h",
    },
    ExpectedAnswer {
        server: "git",
        tool: "git_log",
        arguments: r#"{"repo_path":"{repo}"}"#,
        text: "Plant a tree",
    },
];

/// The sentence with which a host searches for the tool of the first call.
const SENTENCE: &str = "add two numbers and tell me the sum";
/// The number of first tools that must contain the right one.
const TOP: usize = 3;
const META: [&str; 5] =
    ["mgp_tools_discover", "mgp_tools_call", "mgp_tools_request", "mgp_tools_session", "mgp_tools_evict"];
const PINNED: &str = "echo";

/// Each client, with its modes of exposure.
const HOSTS: &[(HostClient, &[Mode])] = &[
    (HostClient::Inspector1, &[Mode::Full, Mode::Hybrid]),
    (HostClient::Python1, &[Mode::Full, Mode::Hybrid]),
    (HostClient::Inspector2(Era::Stateless), &[Mode::Hybrid]),
    (HostClient::Python2(Era::Stateless), &[Mode::Full]),
    (HostClient::TypeScript(Era::Stateless), &[Mode::Full]),
];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (client, modes) in HOSTS {
        for (http, transport) in [(false, "stdio"), (true, "http")] {
            for mode in *modes {
                let mut needs = client.packages().to_vec();
                needs.extend(
                    CALLS.iter().filter_map(|call| server(call.server).ok()).map(|peer| peer.package),
                );
                let shown = if *mode == Mode::Full { "full" } else { "hybrid" };
                let run = move |context| run(context, *client, http, *mode);
                rows.push(row(format!("host/{}-{transport}-{shown}", client.name()), &needs, run));
            }
        }
    }
    rows
}

/// Returns the servers behind the kernel.
fn servers() -> Result<Vec<&'static ServerPeer>, String> {
    CALLS.iter().map(|call| server(call.server)).collect()
}

async fn run(context: Context, client: HostClient, http: bool, mode: Mode) -> Result<(), String> {
    let scene = Scene::prepare(&context.folder).await?;
    let mut upstreams = Vec::new();
    for server in servers()? {
        upstreams.push(Upstream::of(server, &context, &scene).await?);
    }
    let exposure = if mode == Mode::Full { "full" } else { "hybrid" };
    let kernel = Kernel::configure(&context, exposure, &[PINNED], upstreams)?;
    let (reach, service) = kernel.reach(&context, http).await?;
    play(&context, client, &scene, &reach, mode).await?;
    if let Some(service) = service {
        service.stop().await?;
    }
    kernel.stop_upstreams().await
}

/// Makes a list, a search if the host sees no list, and calls: one to each server, or only the first if each needs a connection.
async fn play(
    context: &Context,
    client: HostClient,
    scene: &Scene,
    reach: &Reach,
    mode: Mode,
) -> Result<(), String> {
    let expected = if client.connects_for_each() { CALLS.get(..1).unwrap_or(CALLS) } else { CALLS };
    let searches = (mode == Mode::Hybrid).then(search);
    let calls = expected.iter().map(|expected| call(expected, scene, mode));
    let calls: Vec<_> = searches.into_iter().chain(calls).collect();
    let played = client.play(&context.folder, reach, &calls).await?;
    shows(&played.tools, mode)?;
    let mut answers = played.calls.iter();
    if mode == Mode::Hybrid {
        found(answers.next())?;
    }
    expected.iter().try_for_each(|expected| holds(expected, answers.next()))
}

fn search() -> Call {
    let arguments = serde_json::json!({ "query": SENTENCE });
    Call::new(META[0], &arguments.to_string())
}

/// Returns the call as a host makes it: in hybrid mode, through the kernel's own tool.
fn call(expected: &ExpectedAnswer, scene: &Scene, mode: Mode) -> Call {
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
        Mode::Hybrid if names == [&META[..], &[PINNED]].concat() => Ok(()),
        Mode::Hybrid => Err(format!("lists {names:?}, expected the kernel's own tools and {PINNED}")),
        Mode::Full => {
            let unique: HashSet<_> = names.iter().map(String::as_str).collect();
            let expected: usize = servers()?.iter().map(|server| server.tools).sum();
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

fn holds(expected: &ExpectedAnswer, answer: Option<&Answer>) -> Result<(), String> {
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
    fn every_server_is_called_with_a_tool_of_its_own() {
        for (call, server) in CALLS.iter().zip(servers().unwrap()) {
            let prefix = format!("{}__", server.id);
            let tool = call.tool.strip_prefix(&prefix).unwrap_or(call.tool);
            assert!(server.probes.iter().any(|probe| probe.tool == tool), "{}", server.id);
        }
    }

    #[test]
    fn a_list_must_match_the_mode() {
        let list = |names: &[&str]| {
            let tools: Vec<_> = names.iter().map(|name| format!(r#"{{"name":"{name}"}}"#)).collect();
            Answer(Normal::parse(&format!(r#"{{"tools":[{}]}}"#, tools.join(","))).unwrap())
        };
        assert!(shows(&list(&[&META[..], &[PINNED]].concat()), Mode::Hybrid).is_ok());
        assert!(shows(&list(&[&META[..], &[PINNED, "get-sum"]].concat()), Mode::Hybrid).is_err());
        assert!(shows(&list(&["get-sum"]), Mode::Full).unwrap_err().contains("lists 1 tools"));
    }
}
