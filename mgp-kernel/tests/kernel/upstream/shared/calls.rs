//! Calls of several kernels at one process.

use super::support::{Place, call, host, report, reports};
use crate::support::within;
use serde_json::json;
use tokio::net::UnixStream;
use xtask_testing::RawPeer;

#[tokio::test]
async fn two_kernels_share_a_process_and_judge_their_own_calls() {
    let place = Place::new();
    let owner = place.kernel().await;
    let guest = place.kernel().await;
    let (mut one, mut other) = (host(&owner).await, host(&guest).await);
    let process = one.text("work", json!({})).await;
    assert_eq!(other.text("work", json!({})).await, process);
    assert_eq!(place.starts().len(), 1);
    for kernel in [&owner, &guest] {
        assert_eq!(kernel.calls(), ["TOOL_EXECUTED SUCCESS srv.work"]);
    }
    let (of_owner, of_guest) = (report(&owner).await.shared.unwrap(), report(&guest).await.shared.unwrap());
    let pid = Some(std::process::id());
    assert_eq!((of_owner.owner, of_owner.owner_pid, of_owner.guests), (true, pid, 1));
    assert_eq!((of_guest.owner, of_guest.owner_pid, of_guest.guests), (false, pid, 0));
    guest.kernel.shutdown().await;
    reports(&owner, |report| report.shared.as_ref().unwrap().guests == 0).await;
    assert_eq!(one.text("work", json!({})).await, process);
    assert_eq!(place.count("mgp/lifecycle/shutdown"), 0);
}

#[tokio::test]
async fn a_change_of_the_tools_reaches_the_hosts_of_every_kernel() {
    let place = Place::new();
    let (owner, guest) = (place.kernel().await, place.kernel().await);
    let (mut one, mut other) = (host(&owner).await, host(&guest).await);
    place.touch("more");
    place.touch("change");
    for host in [&mut one, &mut other] {
        // A notification of the kernel's start may still come first.
        let lists_more = async {
            loop {
                host.hear("notifications/tools/list_changed").await;
                let tools = host.get("tools/list", json!({})).await["tools"].to_string();
                if tools.contains("\"more\"") {
                    break;
                }
            }
        };
        within(lists_more).await;
        assert!(host.call("more", json!({})).await.to_string().contains("process"), "the tool is new");
    }
}

#[tokio::test]
async fn progress_and_the_answer_of_a_call_reach_only_its_kernel() {
    let place = Place::new();
    let (owner, guest) = (place.kernel().await, place.kernel().await);
    let (mut one, mut other) = (host(&owner).await, host(&guest).await);
    let mut params = call("hang");
    params["_meta"] = json!({"progressToken": "mine"});
    let hanging = other.send("tools/call", params).await;
    let progress = other.hear("notifications/progress").await;
    assert_eq!(progress["params"], json!({"progressToken": "mine", "progress": 1}));
    assert_eq!(one.text("free", json!({})).await, "freeing");
    let freed = other.answer_to(hanging).await;
    assert!(freed["result"]["content"][0]["text"].as_str().unwrap().starts_with("freed in"), "{freed}");
    assert_eq!(one.count("notifications/progress"), 0);
}

#[tokio::test]
async fn one_guest_too_many_is_refused_with_the_reason() {
    let place = Place::new();
    let _owner = place.kernel().await;
    let folder = std::fs::read_dir(place.path("s/shared")).unwrap();
    let paths = folder.map(|file| file.unwrap().path());
    let socket = paths.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "sock")).unwrap();
    let mut guests = Vec::new();
    for _ in 0..64 {
        guests.push(UnixStream::connect(&socket).await.unwrap());
    }
    let mut last = RawPeer::new(UnixStream::connect(&socket).await.unwrap().into_split());
    for (method, code) in [("initialize", 3001), ("tools/call", -32600), ("tools/list", -32600)] {
        let answer = last.ask(1, method, call("work")).await;
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
    }
    assert_eq!(place.count("tools/call"), 0);
}
