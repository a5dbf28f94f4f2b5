//! Servers whose processes go over a limit of resources.

use crate::support::{Setup, json, start, until_some, within};
use mgp_kernel::{Endpoint, ServerSpec};
use mgp_security::confine::{ConfinementMode, Limits};
use mgp_transport::child::ChildCommand;
use mgp_types::{
    access::DefaultPolicy,
    audit::AuditEvent,
    context::Principal,
    lifecycle::{KernelStatusParams, ReportKernel, RestartPolicy, ServerState},
    negotiation::ExtensionSet,
};

/// A server of shell builtins. Its tool computes without end, writes two MiB into a file, or ends as the name says.
const SERVER: &str = r#"
while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    case "$line" in
    *'"method":"initialize"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"compute","inputSchema":{"type":"object"}},{"name":"write","inputSchema":{"type":"object"}},{"name":"fail","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"name":"compute"'*) while :; do :; done ;;
    *'"name":"write"'*)
        text=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do text=$text$text; done
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32; do printf '%s' "$text"; done > "$1" ;;
    *'"name":"fail"'*) kill -KILL $$ ;;
    *'"id":'*)
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none"}}\n' "$id" ;;
    esac
done
"#;

/// Starts a kernel with the server, which is not confined.
async fn limited(folder: &tempfile::TempDir, limits: Limits, restarts: RestartPolicy) -> Setup {
    let file = folder.path().join("file");
    let args = ["-c", SERVER, "sh", file.to_str().unwrap()];
    let mut spec = ServerSpec::new("shell", Endpoint::Child(ChildCommand::new("shell", "sh").args(args)));
    spec.default_policy = DefaultPolicy::OptOut;
    spec.confinement.limits = limits;
    spec.restart.restart_policy = restarts;
    spec.restart.backoff_base_ms = 60_000;
    spec.restart.backoff_max_ms = 60_000;
    start(|kernel, _| kernel.server(spec)).await
}

/// Calls a tool that ends the server, and waits until the kernel has recorded the end.
async fn end_by(setup: &Setup, tool: &str) -> AuditEvent {
    let host = setup.host().await;
    within(host.call_tool(tool, json("{}"))).await.unwrap_err();
    until_some(async || {
        let mut events = setup.sink.events().into_iter();
        events.find(|event| event.event_type.as_str() == "SERVER_DISCONNECTED")
    })
    .await
}

const CPU: &str = "resource_limit: its process used more than 1 s of CPU time (confinement.cpu_secs)";
const FILE: &str = "resource_limit: its process wrote a file of more than 1 MiB (confinement.file_mb)";

#[tokio::test]
async fn an_unconfined_server_ends_at_its_limits_and_names_the_limit() {
    let limits = Limits { cpu_secs: Some(1), file_mb: Some(1), ..Limits::default() };
    for (tool, key, reason) in [("compute", "cpu_secs", CPU), ("write", "file_mb", FILE)] {
        let folder = tempfile::tempdir().unwrap();
        let setup = limited(&folder, limits, RestartPolicy::Never).await;
        let profile = setup.kernel.servers()[0].confinement().unwrap();
        assert_eq!((profile.mode, profile.limits), (ConfinementMode::Off, limits));
        let event = end_by(&setup, tool).await;
        let details = event.details.unwrap();
        assert_eq!(details.text("reason").as_deref(), Some(reason));
        assert_eq!(details.text("resource_limit").as_deref(), Some(key));
        assert_eq!(event.result.to_string(), "FAILURE");
        let status = setup.kernel.servers()[0].status();
        assert_eq!((status.state, &*status.reason), (ServerState::Error, reason));
    }
}

#[tokio::test]
async fn a_server_over_a_limit_restarts_with_the_reason_shown() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { cpu_secs: Some(1), ..Limits::default() };
    let setup = limited(&folder, limits, RestartPolicy::OnFailure).await;
    end_by(&setup, "compute").await;
    let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
    let report = until_some(async || {
        let status = operator.request::<ReportKernel>(&KernelStatusParams::default()).await.unwrap();
        (status.servers[0].state == ServerState::Restarting).then_some(status)
    })
    .await;
    assert_eq!(report.servers[0].reason, format!("waits to be started again: {CPU}"));
}

#[tokio::test]
async fn another_end_of_a_limited_server_is_not_attributed_to_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { cpu_secs: Some(1), ..Limits::default() };
    let setup = limited(&folder, limits, RestartPolicy::Never).await;
    let details = end_by(&setup, "fail").await.details.unwrap();
    assert!(details.get("resource_limit").is_none(), "{details:?}");
    assert_eq!(details.text("reason").as_deref(), Some("the connection ended"));
}
