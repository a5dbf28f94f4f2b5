//! Servers that are confined, as the kernel starts them.

use crate::support::within;
use mgp_client_sdk::kernel::{Endpoint, Kernel, ServerSpec};
use mgp_security::confine::{ConfinementMode, Reason};
use mgp_transport::child::ChildCommand;
use mgp_types::{
    context::TrustLevel,
    lifecycle::{RestartPolicy, ServerState},
};
use std::{fs, path::Path, time::Duration};

/// A server of shell builtins, which tries to read a file at each handshake and notes the outcome in a folder.
const SERVER: &str = r#"
while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    case "$line" in
    *'"method":"initialize"'*)
        { read -r found < "$1"; } 2>/dev/null; printf '%s\n' "${found:-nothing}" > "$2/seen"
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}\n' "$id" ;;
    *'"id":'*)
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none"}}\n' "$id" ;;
    esac
done
"#;

/// Starts a kernel with the server, whose private folder takes the outcome.
async fn start(folder: &Path, set: impl FnOnce(&mut ServerSpec)) -> Kernel {
    fs::write(folder.join("secret"), "secret\n").unwrap();
    let (secret, state) = (folder.join("secret"), folder.join("state"));
    let private = state.join("servers/shell");
    fs::create_dir_all(&private).unwrap();
    let args = ["-c", SERVER, "sh", secret.to_str().unwrap(), private.to_str().unwrap()];
    let mut spec = ServerSpec::new("shell", Endpoint::Child(ChildCommand::new("shell", "sh").args(args)));
    set(&mut spec);
    Kernel::builder().server(spec).state_folder(state).start().await.unwrap()
}

/// Returns the outcome that the server noted.
async fn seen(set: impl FnOnce(&mut ServerSpec)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let kernel = start(&root, set).await;
    assert_eq!(within(kernel.ready(Duration::from_secs(10))).await, Vec::<String>::new());
    kernel.shutdown().await;
    fs::read_to_string(root.join("state/servers/shell/seen")).unwrap()
}

#[tokio::test]
async fn a_sandboxed_server_reads_a_file_only_with_the_permission_and_another_one_without() {
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
async fn the_profile_of_a_server_says_how_and_why_it_is_confined() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = start(folder.path(), |spec| spec.trust = TrustLevel::Sandboxed).await;
    let profile = kernel.servers()[0].confinement().unwrap();
    assert_eq!((profile.mode, profile.mode_reason), (ConfinementMode::Require, Reason::Sandboxed));
    assert_eq!(profile.private_folder, Some(folder.path().join("state/servers/shell")));
    kernel.shutdown().await;
}

#[tokio::test]
async fn a_server_that_cannot_be_confined_is_not_started_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = start(folder.path(), |spec| {
        spec.trust = TrustLevel::Sandboxed;
        spec.restart.restart_policy = RestartPolicy::Never;
        // More than may have mounts of their own.
        spec.confinement.write = (0..300).map(|i| folder.path().join(i.to_string())).collect();
        spec.confinement.write.iter().for_each(|path| fs::create_dir(path).unwrap());
    })
    .await;
    assert_eq!(within(kernel.ready(Duration::from_secs(10))).await.len(), 1);
    let status = kernel.servers()[0].status();
    assert_ne!(status.state, ServerState::Connected);
    assert!(status.reason.contains("it cannot be confined: mounts: 301 paths"), "{}", status.reason);
    kernel.shutdown().await;
}
