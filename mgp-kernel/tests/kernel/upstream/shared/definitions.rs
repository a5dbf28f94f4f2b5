//! A process is shared only by kernels that define it in the same way.

use super::support::{Place, host, report};
use mgp_kernel::{ChildCommand, ServerSpec};
use serde_json::json;

/// Starts kernels with these definitions, and returns the processes that their calls reach.
async fn processes(place: &Place, specs: Vec<ServerSpec>) -> Vec<String> {
    let (mut kernels, mut processes) = (Vec::new(), Vec::new());
    for spec in specs {
        let kernel = place.kernel_with(spec, |kernel| kernel).await;
        processes.push(host(&kernel).await.text("work", json!({})).await);
        kernels.push(kernel);
    }
    processes
}

#[tokio::test]
async fn another_environment_makes_another_process() {
    let place = Place::new();
    let with = |value: &str| place.spec_of(place.command().env("SECRET", value));
    let found = processes(&place, vec![with("one"), with("other"), with("one")]).await;
    assert_eq!(found[0], found[2]);
    assert_ne!(found[0], found[1]);
    let names: Vec<_> = std::fs::read_dir(place.path("s/shared")).unwrap().flatten().collect();
    assert!(names.len() >= 2, "{names:?}");
}

#[tokio::test]
async fn another_approval_makes_another_process() {
    let place = Place::new();
    let with = |approved: &[&str]| {
        let mut spec = place.spec();
        spec.approved = approved.iter().map(|name| (*name).to_owned()).collect();
        spec
    };
    let found = processes(&place, vec![with(&[]), with(&["network.outbound"]), with(&[])]).await;
    assert_eq!(found[0], found[2]);
    assert_ne!(found[0], found[1]);
}

#[tokio::test]
async fn each_kernel_has_its_own_process_without_a_shared_folder() {
    let place = Place::new();
    let deep = place.path(&"d".repeat(80));
    for state in [None, Some(deep)] {
        let before = place.starts().len();
        let start = async || {
            let kernel = crate::support::start(|kernel, _| {
                let kernel = match &state {
                    Some(state) => kernel.state_folder(state),
                    None => kernel,
                };
                kernel.server(place.spec())
            });
            kernel.await
        };
        let (one, other) = (start().await, start().await);
        assert_eq!(place.starts().len(), before + 2);
        for kernel in [&one, &other] {
            assert_eq!(report(kernel).await.shared, None);
        }
    }
}

#[tokio::test]
async fn a_server_is_not_shared_by_default() {
    let place = Place::new();
    let mut spec = place.spec_of(ChildCommand::clone(&place.command()));
    spec.shared = false;
    let found = processes(&place, vec![spec.clone(), spec, place.spec()]).await;
    assert_eq!(place.starts().len(), 3);
    assert!(found[0] != found[1] && found[1] != found[2] && found[0] != found[2], "{found:?}");
}
