//! Tests of the methods, with two callers that may see different tools.

use super::{RegisteredServer, Registry, RegistryError, RegistryMethods, ServerSource};
use crate::config::Config;
use mgp_transport::seam::{Incoming, Reply, ToolView, Visibility};
use mgp_types::{
    context::{Principal, ToolId, TrustLevel},
    json::RawJson,
    lifecycle::ServerState,
    negotiation::{Carrier, ExtensionSet, MgpVersion, Negotiation},
    rpc::RawParams,
};
use std::{path::Path, sync::Arc};
use tower::ServiceExt;

/// The reader may call tools whose names start with "read"; no one may use anything else.
#[derive(Debug)]
struct Readers;

struct View {
    reader: bool,
}

impl Visibility for Readers {
    fn view(&self, principal: &Principal) -> Arc<dyn ToolView> {
        Arc::new(View { reader: principal.id() == "reader" })
    }
}

impl ToolView for View {
    fn sees(&self, tool: &ToolId) -> bool {
        self.reader && tool.tool_name.starts_with("read")
    }
    fn sees_server(&self, server_id: &str) -> bool {
        self.reader && server_id == "granted"
    }
}

const CONFIG: &str = r#"
[[servers]]
id = "files"
command = "x"
[servers.mgp]
extensions = ["permissions"]
permissions_required = ["filesystem"]
trust_level = "trusted"
[[servers]]
id = "granted"
command = "x"
[[servers]]
id = "off"
command = "x"
disabled = true
"#;

fn registry() -> Registry {
    let config = Config::parse(Path::new("mgp.toml"), CONFIG.as_bytes(), &|_| None).unwrap();
    let registry = Registry::from_config(&config);
    registry.set_tools("files", ["read_file", "write_file"].map(Arc::from)).unwrap();
    registry.set_state("files", ServerState::Connected).unwrap();
    registry
}

async fn ask(caller: Option<&Principal>, method: &'static str, params: &str) -> Reply {
    let methods = RegistryMethods::routes().with_state(RegistryMethods::new(registry(), Arc::new(Readers)));
    let mut message =
        Incoming::request(1, method, RawParams::from(RawJson::parse(params.to_owned()).unwrap()));
    if let Some(caller) = caller {
        message.ext.insert(caller.clone());
    }
    methods.oneshot(message).await.unwrap()
}

async fn list(caller: &Principal, params: &str) -> String {
    ask(Some(caller), "mgp/discovery/list", params).await.result().unwrap().to_string()
}

#[tokio::test]
async fn a_list_shows_only_servers_that_the_caller_may_use() {
    let (reader, other, admin) =
        (Principal::agent("reader"), Principal::agent("other"), Principal::operator("o"));
    assert_eq!(
        list(&reader, "{}").await,
        r#"{"servers":[{"id":"files","status":"connected","mgp_version":null,"extensions":["security"],"tools":["read_file"],"trust_level":"trusted"},{"id":"granted","status":"registered","mgp_version":null,"extensions":[],"tools":[],"trust_level":"standard"}]}"#
    );
    assert_eq!(list(&other, "{}").await, r#"{"servers":[]}"#);
    assert!(list(&admin, "{}").await.contains(r#""tools":["read_file","write_file"]"#));
}

#[tokio::test]
async fn filters_must_all_be_met() {
    let admin = Principal::operator("o");
    for (filter, files) in [
        (r#"{"extensions":["tool_security"],"permissions":["filesystem.read"],"status":"connected"}"#, true),
        (r#"{"permissions":["filesystem"]}"#, true),
        (r#"{"extensions":["streaming"]}"#, false),
        (r#"{"extensions":["teleport"]}"#, false),
        (r#"{"permissions":["shell"]}"#, false),
        (r#"{"status":"error"}"#, false),
    ] {
        let shown = list(&admin, &format!(r#"{{"filter":{filter}}}"#)).await;
        assert_eq!(shown.contains(r#""id":"files""#), files, "{filter}");
    }
}

#[tokio::test]
async fn bad_requests_are_named() {
    let admin = Principal::operator("o");
    let many = format!(r#"{{"filter":{{"extensions":[{}"x"]}}}}"#, "\"x\",".repeat(100));
    for (caller, method, params, code, text) in [
        (None, "mgp/discovery/list", "{}", 1002, "needs an identified caller"),
        (
            Some(&admin),
            "mgp/discovery/list",
            r#"{"filter":{"status":"up"}}"#,
            -32602,
            "unknown server state \"up\"",
        ),
        (
            Some(&admin),
            "mgp/discovery/list",
            r#"{"filter":{"permissions":["x"]}}"#,
            -32602,
            "filter.permissions",
        ),
        (Some(&admin), "mgp/discovery/list", many.as_str(), -32602, "filter.extensions: 101 entries"),
        (
            Some(&admin),
            "mgp/discovery/register",
            r#"{"id":"x","transport":"stdio"}"#,
            1000,
            "configuration only",
        ),
        (Some(&admin), "mgp/discovery/register", "{}", -32602, "missing field `id`"),
        (Some(&admin), "mgp/discovery/deregister", r#"{"id":"x"}"#, 1000, "deregistering \"x\""),
        (Some(&admin), "mgp/discovery/other", "{}", -32601, "mgp/discovery/other"),
    ] {
        let reply = ask(caller, method, params).await;
        let error = reply.as_error().unwrap();
        assert!(error.code == code && error.message.contains(text), "{method} {params}: {error}");
    }
}

#[tokio::test]
async fn a_notification_gets_no_answer() {
    let methods = RegistryMethods::routes().with_state(RegistryMethods::new(registry(), Arc::new(Readers)));
    let message = Incoming::notification("mgp/discovery/register", RawParams::none());
    assert_eq!(methods.oneshot(message).await.unwrap(), Reply::none());
}

#[test]
fn a_handshake_adds_permissions_and_only_lowers_trust() {
    let registry = registry();
    let mut negotiated = Negotiation {
        version: MgpVersion::CURRENT,
        extensions: ExtensionSet::from_spellings(["streaming"]),
        carrier: Carrier::Capabilities,
        server_id: None,
        permissions_required: ["shell".to_owned(), "nonsense".to_owned()].into(),
        claimed_trust: Some(TrustLevel::Sandboxed),
    };
    registry.set_negotiated("files", Some(&negotiated)).unwrap();
    let server = registry.server("files").unwrap();
    let permissions: Vec<_> = server.permissions.iter().map(ToString::to_string).collect();
    assert_eq!(permissions, ["filesystem.read", "filesystem.write", "shell.execute"]);
    assert_eq!((server.trust, server.version), (TrustLevel::Sandboxed, Some(MgpVersion::CURRENT)));
    negotiated.claimed_trust = Some(TrustLevel::Trusted);
    registry.set_negotiated("granted", Some(&negotiated)).unwrap();
    assert_eq!(registry.server("granted").unwrap().trust, TrustLevel::Standard);
}

#[test]
fn ids_are_unique_and_unknown_ones_are_named() {
    let registry = registry();
    let again = RegisteredServer::new("files", ServerSource::Registration);
    assert_eq!(registry.add(again), Err(RegistryError::AlreadyRegistered("files".into())));
    let missing = RegistryError::NotRegistered("x".into());
    assert_eq!(registry.set_state("x", ServerState::Error), Err(missing.clone()));
    assert_eq!(registry.remove("x").unwrap_err(), missing);
    assert!(registry.server("off").is_none(), "a disabled server is left out");
    assert_eq!(registry.in_state(ServerState::Connected), [Arc::from("files")].into());
    registry.remove("files").unwrap();
    assert!(registry.server("files").is_none());
}

#[test]
fn a_full_registry_refuses_more() {
    let registry = Registry::new();
    let add = |i: usize| registry.add(RegisteredServer::new(format!("s{i}"), ServerSource::Registration));
    (0..super::MAX_SERVERS).for_each(|i| add(i).unwrap());
    assert_eq!(add(super::MAX_SERVERS), Err(RegistryError::Full));
}
