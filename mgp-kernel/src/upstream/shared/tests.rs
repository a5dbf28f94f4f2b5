//! Tests that a guest knows the approvals at the start of the process.

use crate::{Kernel, ServerSpec};
use mgp_transport::child::ChildCommand;
use mgp_types::permission::{Permission, StandardPermission};
use std::{path::Path, time::Duration};

/// A server without tools.
const SCRIPT: &str = r#"
while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[]}' ;;
    *'"id":'*) result='{}' ;;
    *) continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

async fn kernel(state: &Path) -> Kernel {
    let mut spec = ServerSpec::new("s", ChildCommand::new("s", "sh").args(["-c", SCRIPT]));
    spec.shared = true;
    spec.approved = vec!["network.outbound".to_owned()];
    let kernel = Kernel::builder().state_folder(state).server(spec).start().await.unwrap();
    assert!(kernel.ready(Duration::from_secs(60)).await.is_empty());
    kernel
}

#[tokio::test]
async fn a_guest_knows_the_approvals_of_the_process() {
    let state = tempfile::tempdir().unwrap();
    let (owner, guest) = (kernel(state.path()).await, kernel(state.path()).await);
    let started = |kernel: &Kernel| kernel.servers()[0].start_grants.all();
    let network = Permission::Standard(StandardPermission::NetworkOutbound);
    assert_eq!(started(&owner), [(network, None)]);
    assert_eq!(started(&guest), started(&owner));
    assert!(guest.servers()[0].shared.is_guest() && !owner.servers()[0].shared.is_guest());
}
