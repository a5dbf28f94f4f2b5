//! The network of a confined process.

use crate::support::Rig;
use mgp_types::permission::StandardPermission::{NetworkListen, NetworkOutbound};
use std::net::TcpListener;

/// Connects to a listener of the test, and notes whether that succeeded.
async fn connects(rig: &Rig) -> bool {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    rig.run(&format!("{{ exec 3<>/dev/tcp/127.0.0.1/{port}; }} 2>/dev/null && echo yes > out")).await
        == "yes\n"
}

#[tokio::test]
async fn the_network_is_reached_only_with_its_permission_or_by_configuration() {
    assert!(!connects(&Rig::new()).await);
    assert!(connects(&Rig { approved: vec![NetworkOutbound], ..Rig::new() }).await);
    let mut rig = Rig::new();
    rig.settings.network = Some(true);
    assert!(connects(&rig).await);
}

#[tokio::test]
async fn a_server_that_may_only_listen_connects_nowhere() {
    assert!(!connects(&Rig { approved: vec![NetworkListen], ..Rig::new() }).await);
    let mut rig = Rig::new();
    rig.settings.ports = Some(vec![1]);
    assert!(!connects(&rig).await);
}
