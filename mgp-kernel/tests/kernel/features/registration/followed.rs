//! The store of registered servers, and the kernels that follow it.

use super::support::{builder, deregister, on, operator, register, stdio, with_registrar};
use crate::support::{Setup, Signals, idle, ready, server_rule, spec, within};
use mgp_discovery::config::Config;
use mgp_kernel::{Kernel, SqlStore};
use mgp_security::audit::MemorySink;
use mgp_types::{context::Principal, discovery::DeregisterServerParams, lifecycle::ServerState};
use serde_json::json;

#[tokio::test]
async fn registrations_and_removals_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let state = crate::engine::state(folder.path()).await;
    let setup = on(state.registrations().unwrap()).await;
    let mut host = builder(&setup).await;
    for id in ["b", "a", "gone"] {
        register(&mut host, id).await;
    }
    deregister(&mut host, "gone").await;
    setup.kernel.shutdown().await;
    drop((host, setup));

    let setup = on(state.registrations().unwrap()).await;
    ready(&setup.kernel).await;
    setup.knows(&["b", "a"]).await;
    let error = builder(&setup).await.refused("mgp/discovery/register", stdio("a")).await;
    assert_eq!(error["code"], 4101);
}

#[tokio::test]
async fn kernels_on_one_state_folder_share_their_registrations() {
    let folder = tempfile::tempdir().unwrap();
    let state = crate::engine::state(folder.path()).await;
    let one = on(state.registrations().unwrap()).await;
    let two = on(state.registrations().unwrap()).await;
    let mut host = builder(&one).await;
    register(&mut host, "a").await;
    two.knows(&["a"]).await;
    let error = builder(&two).await.refused("mgp/discovery/register", stdio("a")).await;
    assert_eq!(error["code"], 4101);
    let removed = two
        .kernel
        .deregister(&Principal::operator("ann"), DeregisterServerParams { id: "a".into(), reason: None })
        .await
        .unwrap();
    assert!(removed.removed);
    for setup in [&one, &two] {
        setup.knows(&[]).await;
    }
}

#[tokio::test]
async fn a_kernel_whose_configuration_has_the_id_keeps_its_own_server() {
    let folder = tempfile::tempdir().unwrap();
    let state = crate::engine::state(folder.path()).await;
    let one = on(state.registrations().unwrap()).await;
    let mut own = builder(&one).await;
    register(&mut own, "test").await;
    register(&mut own, "off").await;
    let text = "[[servers]]\nid = \"off\"\ncommand = \"x\"\ndisabled = true\n";
    let config = Config::parse("x".as_ref(), text.as_bytes(), &|_| None).unwrap();
    let (sink, signals) = (MemorySink::new(100), Signals::default());
    let kernel = with_registrar(Kernel::builder().configure(&config).unwrap(), &signals)
        .audit_sink(sink.clone())
        .stores(state.stores().await.unwrap())
        .server(spec("test", &signals))
        .start()
        .await
        .unwrap();
    let two = Setup { kernel, sink, signals };
    // A server that is left out keeps its id too.
    two.knows(&["test"]).await;
    let trust = two.kernel.registry()[0].trust;
    assert_eq!(trust, mgp_types::context::TrustLevel::Standard);
    // Only the other server is removed, and no grant of this server.
    two.kernel.access().put(server_rule("agent.test", "test")).await.unwrap();
    deregister(&mut operator(&two).await, "test").await;
    deregister(&mut own, "off").await;
    one.knows(&[]).await;
    assert_eq!(two.kernel.access().entries().await.unwrap().len(), 1);
    assert_eq!(two.kernel.servers()[0].status().state, ServerState::Connected);
    let error = operator(&two).await.refused("mgp/discovery/deregister", json!({"id": "test"})).await;
    assert_eq!(error["code"], 1000);
}

#[tokio::test]
async fn a_stopping_kernel_stops_registered_servers_and_starts_none() {
    let store = mgp_discovery::registration::SqlRegistrationStore::in_memory();
    let one = on(store.clone()).await;
    register(&mut builder(&one).await, "a").await;
    let server = one.kernel.servers()[0].clone();
    within(one.kernel.shutdown()).await;
    assert_eq!(server.status().state, ServerState::Disconnected);
    let two = on(store).await;
    register(&mut builder(&two).await, "b").await;
    // A kernel that follows the store looks at it many times while the clock runs on.
    two.knows(&["a", "b"]).await;
    idle().await;
    assert!(!one.kernel.servers().iter().any(|server| server.id() == "b"));
}
