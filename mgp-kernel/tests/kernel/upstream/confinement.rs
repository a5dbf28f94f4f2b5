//! Servers that are confined, as the kernel starts them.

use crate::support::{self, START_LIMIT, json, ready, within};
use mgp_kernel::{Endpoint, Enforcement, Kernel, ServerSpec, Stores};
use mgp_security::{
    confine::{ConfinementMode, ConfinementRunner, EGRESS_PORT, Reason},
    permission::{PermissionRow, PermissionStore, SqlPermissionStore, SqlStore},
    profile::Confirmation,
};
use mgp_transport::child::ChildCommand;
use mgp_types::{
    access::DefaultPolicy,
    context::{Principal, TrustLevel},
    lifecycle::{RestartPolicy, ServerState},
    permission::{GrantScope, Permission, PermissionState, StandardPermission},
    tool_security::ValidatorName,
};
use std::{fs, path::Path, sync::Arc};

const READ: Permission = Permission::Standard(StandardPermission::FilesystemRead);

/// A server of shell builtins, which tries to read a file at each handshake and notes the outcome in a folder.
const SERVER: &str = r#"
while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    case "$line" in
    *'"method":"initialize"'*)
        { read -r found < "$1"; } 2>/dev/null; printf '%s\n' "${found:-nothing}" > "$2/seen"
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"method":"tools/call"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"looked"}]}}\n' "$id" ;;
    *'"id":'*)
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none"}}\n' "$id" ;;
    esac
done
"#;

/// Returns the server, whose private folder takes the outcome.
fn shell(folder: &Path) -> ServerSpec {
    fs::write(folder.join("secret"), "secret\n").unwrap();
    let (secret, state) = (folder.join("secret"), folder.join("state"));
    let private = state.join("servers/shell");
    fs::create_dir_all(&private).unwrap();
    let args = ["-c", SERVER, "sh", secret.to_str().unwrap(), private.to_str().unwrap()];
    ServerSpec::new("shell", Endpoint::Child(ChildCommand::new("shell", "sh").args(args)))
}

/// Starts a kernel with the server.
async fn start(folder: &Path, set: impl FnOnce(&mut ServerSpec)) -> Kernel {
    let mut spec = shell(folder);
    set(&mut spec);
    Kernel::builder().server(spec).state_folder(folder.join("state")).start().await.unwrap()
}

/// Returns the outcome that the server noted.
async fn seen(set: impl FnOnce(&mut ServerSpec)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let kernel = start(&root, set).await;
    ready(&kernel).await;
    kernel.shutdown().await;
    fs::read_to_string(root.join("state/servers/shell/seen")).unwrap()
}

#[tokio::test]
async fn a_sandboxed_server_reads_a_file_only_with_the_permission() {
    assert_eq!(seen(|spec| spec.trust = TrustLevel::Sandboxed).await, "nothing\n");
    let approved = |spec: &mut ServerSpec| {
        spec.trust = TrustLevel::Sandboxed;
        spec.approved = vec!["filesystem.read".to_owned()];
    };
    assert_eq!(seen(approved).await, "secret\n");
    assert_eq!(seen(|_| {}).await, "secret\n");
    assert_eq!(seen(|spec| spec.confinement.mode = Some(ConfinementMode::Require)).await, "nothing\n");
}

#[tokio::test]
async fn the_profile_of_a_server_explains_its_confinement() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = start(folder.path(), |spec| spec.trust = TrustLevel::Sandboxed).await;
    let profile = kernel.servers()[0].confinement().unwrap();
    assert_eq!((profile.mode, profile.mode_reason), (ConfinementMode::Require, Reason::Sandboxed));
    assert_eq!(profile.private_folder, Some(folder.path().join("state/servers/shell")));
    kernel.shutdown().await;
}

#[tokio::test]
async fn a_command_that_runs_a_container_is_confined_in_it() {
    let runner = async |line: &[&str], runner: Option<ConfinementRunner>| {
        let folder = tempfile::tempdir().unwrap();
        let (program, args) = (line[0].to_owned(), line[1..].to_vec());
        let kernel = start(folder.path(), |spec| {
            spec.confinement.mode = Some(ConfinementMode::Require);
            spec.confinement.runner = runner;
            spec.lazy = true;
            spec.endpoint = Endpoint::Child(ChildCommand::new("shell", program).args(args));
        })
        .await;
        let profile = kernel.servers()[0].confinement().unwrap();
        kernel.shutdown().await;
        profile.runner
    };
    let run = ["docker", "run", "-i", "image"];
    assert_eq!(runner(&run, None).await, ConfinementRunner::Container);
    assert_eq!(runner(&run, Some(ConfinementRunner::Native)).await, ConfinementRunner::Native);
    assert_eq!(runner(&["docker", "version"], None).await, ConfinementRunner::Auto);
}

#[tokio::test]
async fn the_enforcement_of_a_server_follows_its_mode_and_trust() {
    for (mode, trust, expected) in [
        (None, TrustLevel::Standard, Enforcement::Off),
        (None, TrustLevel::Sandboxed, Enforcement::Required),
        (Some(ConfinementMode::Off), TrustLevel::Sandboxed, Enforcement::Off),
        (Some(ConfinementMode::BestEffort), TrustLevel::Standard, Enforcement::BestEffort),
        (Some(ConfinementMode::Require), TrustLevel::Trusted, Enforcement::Required),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let kernel = start(folder.path(), |spec| {
            spec.trust = trust;
            spec.confinement.mode = mode;
        })
        .await;
        assert_eq!(kernel.servers()[0].enforcement(), Some(expected), "{mode:?} {trust}");
        kernel.shutdown().await;
    }
}

#[tokio::test]
async fn a_notice_names_the_commands_of_an_unconfined_server() {
    for (mode, validator, is_told) in [
        (None, Some(ValidatorName::Sandbox), true),
        (Some(ConfinementMode::Require), Some(ValidatorName::Sandbox), false),
        (None, None, false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let kernel = start(folder.path(), |spec| {
            spec.confinement.mode = mode;
            spec.validators.extend(validator.clone().map(|validator| ("look".to_owned(), validator)));
        })
        .await;
        ready(&kernel).await;
        let told: Vec<_> =
            kernel.operator().notices().into_iter().map(|notice| (notice.server_id, notice.text)).collect();
        kernel.shutdown().await;
        let is_named = |(server_id, text): &(String, String)| {
            server_id == "shell"
                && text.contains("(look)")
                && text.contains("`confinement.mode = \"require\"`")
        };
        assert_eq!(
            (told.len(), told.iter().any(is_named)),
            (usize::from(is_told), is_told),
            "{mode:?} {told:?}"
        );
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_confined_is_not_started() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = start(folder.path(), |spec| {
        spec.trust = TrustLevel::Sandboxed;
        spec.restart.restart_policy = RestartPolicy::Never;
        // More than may have mounts of their own.
        spec.confinement.write = (0..300).map(|i| folder.path().join(i.to_string())).collect();
        spec.confinement.write.iter().for_each(|path| fs::create_dir(path).unwrap());
    })
    .await;
    assert_eq!(kernel.ready(START_LIMIT).await.len(), 1);
    let status = kernel.servers()[0].status();
    assert_ne!(status.state, ServerState::Connected);
    assert!(status.reason.contains("it cannot be confined: mounts: 301 paths"), "{}", status.reason);
    kernel.shutdown().await;
}

/// Returns a store in which the server may read these paths alone.
async fn limited_to(paths: &[&str]) -> SqlPermissionStore {
    let store = SqlPermissionStore::in_memory();
    let row = PermissionRow::question("shell", &READ, None).decided(PermissionState::Approved, "ann", None);
    store.put(row.limited(Some(scope(paths)))).await.unwrap();
    store
}

fn scope(paths: &[&str]) -> GrantScope {
    GrantScope::Paths(paths.iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn a_limited_approval_opens_only_the_named_resources() {
    for (name, expected) in [("secret", "secret\n"), ("other", "nothing\n")] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let mut spec = shell(&root);
        spec.trust = TrustLevel::Sandboxed;
        let store = limited_to(&[root.join(name).to_str().unwrap()]).await;
        let kernel = Kernel::builder()
            .server(spec)
            .state_folder(root.join("state"))
            .stores(Stores { permissions: Arc::new(store), ..Stores::default() });
        let kernel = kernel.start().await.unwrap();
        ready(&kernel).await;
        kernel.shutdown().await;
        assert_eq!(fs::read_to_string(root.join("state/servers/shell/seen")).unwrap(), expected, "{name}");
    }
}

#[tokio::test]
async fn a_limited_approval_opens_no_tool_without_enforcement() {
    let ann = Principal::operator("ann");
    for (mode, first) in [
        (None, Err("which nothing enforces: confinement.mode")),
        (Some(ConfinementMode::BestEffort), Err("which nothing enforces: confinement.mode")),
        (Some(ConfinementMode::Require), Ok(())),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let mut spec = shell(&root);
        spec.confinement.mode = mode;
        spec.permissions = vec![READ];
        spec.default_policy = DefaultPolicy::OptOut;
        spec.confirmation = Some(Confirmation::Never);
        let store = limited_to(&["/srv"]).await;
        let setup = support::start(|kernel, _| {
            kernel
                .server(spec)
                .state_folder(root.join("state"))
                .stores(Stores { permissions: Arc::new(store), ..Stores::default() })
                .without_approver()
        })
        .await;
        let host = setup.host().await;
        let call = async || {
            let called = within(host.call_tool("look", json("{}"))).await;
            called.map(drop).map_err(|error| error.to_string())
        };
        let dry = within(host.check_tool("look", json("{}"))).await.unwrap();
        assert_eq!((dry.allowed, dry.would_ask.len()), (first.is_ok(), 0), "{dry:?}");
        let called = call().await;
        match first {
            Ok(()) => called.unwrap(),
            Err(reason) => {
                let error = called.unwrap_err();
                assert!(error.contains("filesystem.read of server \"shell\" is limited to /srv"), "{error}");
                assert!(error.contains(reason), "{error}");
            }
        }
        let permissions = setup.kernel.permissions();
        permissions.grant_within("shell", &READ, &ann, None, Some(scope(&["/opt"]))).await.unwrap();
        let error = call().await.unwrap_err();
        let reason = first.err().unwrap_or("is limited to /opt, which holds from its next start");
        assert!(error.contains(reason), "{error}");
        permissions.grant("shell", &READ, &ann, None).await.unwrap();
        call().await.unwrap();
    }
}

#[tokio::test]
async fn a_failed_start_names_the_last_connection_that_was_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let mut spec = shell(&root);
    // It ends once the proxy has refused it a host.
    let script = format!(
        r"exec 3<>/dev/tcp/127.0.0.1/{EGRESS_PORT}
        printf 'CONNECT other.test:443 HTTP/1.1\r\n\r\n' >&3
        read -r line <&3
        exit 1"
    );
    spec.endpoint = Endpoint::Child(ChildCommand::new("shell", "bash").args(["-c", &script]));
    spec.trust = TrustLevel::Sandboxed;
    spec.confinement.hosts = Some(vec!["own.test".parse().unwrap()]);
    spec.restart.restart_policy = RestartPolicy::Never;
    let kernel = Kernel::builder().server(spec).state_folder(root.join("state")).start().await.unwrap();
    assert_eq!(kernel.ready(START_LIMIT).await, ["shell"]);
    let reason = kernel.servers()[0].status().reason;
    assert!(reason.contains("the gateway refused its connection to other.test:443: "), "{reason}");
    kernel.shutdown().await;
}

#[tokio::test]
async fn a_failed_start_names_the_file_that_was_denied() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = |name: &str| root.join(name).to_str().unwrap().to_owned();
    fs::write(root.join("tool"), "").unwrap();
    fs::set_permissions(root.join("tool"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for (script, named, key) in [
        ("exec \"$1\"", path("tool"), Some("execute")),
        ("read -r found < \"$1\"; exit 1", path("secret"), Some("read")),
        ("echo \"Error: EACCES: permission denied, open '$1'\" >&2; exit 1", path("secret"), Some("read")),
        ("echo \"[Errno 30] Read-only file system: '$1'\" >&2; exit 1", path("new file"), Some("write")),
        // The operator's own files are never opened.
        ("read -r found < \"$1\"; exit 1", path("state/servers.toml"), None),
    ] {
        let mut spec = shell(&root);
        fs::write(root.join("state/servers.toml"), "").unwrap();
        spec.endpoint = Endpoint::Child(ChildCommand::new("shell", "sh").args(["-c", script, "sh", &named]));
        spec.trust = TrustLevel::Sandboxed;
        spec.restart.restart_policy = RestartPolicy::Never;
        let kernel = Kernel::builder().server(spec).state_folder(root.join("state")).start().await.unwrap();
        assert_eq!(kernel.ready(START_LIMIT).await, ["shell"]);
        let reason = kernel.servers()[0].status().reason;
        let opens = key.map(|key| format!("confined, it may not use {named}: confinement.{key} opens it"));
        match opens {
            Some(opens) => assert!(reason.contains(&opens) && !reason.contains("no host"), "{reason}"),
            None => assert!(!reason.contains("it may not use"), "{reason}"),
        }
        kernel.shutdown().await;
    }
}

#[tokio::test]
async fn a_confined_start_that_fails_succeeds_after_its_approval() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let mut spec = shell(&root);
    // It ends at once if it cannot read the file.
    let script = format!("{{ read -r found < \"$1\"; }} 2>/dev/null || exit 1\n{SERVER}");
    let (secret, private) = (root.join("secret"), root.join("state/servers/shell"));
    let args = ["-c", &script, "sh", secret.to_str().unwrap(), private.to_str().unwrap()];
    spec.endpoint = Endpoint::Child(ChildCommand::new("shell", "sh").args(args));
    spec.trust = TrustLevel::Sandboxed;
    // Nothing else starts it again.
    spec.restart.restart_policy = RestartPolicy::Never;
    let kernel = Kernel::builder().server(spec).state_folder(root.join("state")).start().await.unwrap();
    assert_eq!(kernel.ready(START_LIMIT).await, ["shell"]);
    let reason = kernel.servers()[0].status().reason;
    let network = "confined, it may reach no host (permission network.outbound is not approved)";
    assert!(reason.contains(network) && reason.contains("`mgp servers explain shell`"), "{reason}");
    // A decision that changes nothing for it does not start it.
    let (ann, starts) = (Principal::operator("ann"), kernel.servers()[0].restarts());
    kernel.permissions().deny("shell", &READ, &ann).await.unwrap();
    kernel.permissions().grant("shell", &READ, &ann, None).await.unwrap();
    support::until(|| kernel.servers()[0].status().state == ServerState::Connected).await;
    assert_eq!((starts, kernel.servers()[0].restarts()), (0, 1));
    kernel.shutdown().await;
}
