//! The notifications to hosts of resources that they subscribed to, and of lists that changed.

use crate::{
    raw_host::{As, ERAS, RawHost},
    raw_server::{RawServer, error, result, says, watched},
    support::{Setup, jump, pause_clock, server_rule, start, until},
};
use mgp_kernel::Era;
use mgp_security::access::AccessKey;
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

const UPDATED: &str = "notifications/resources/updated";

async fn kernel(server: &RawServer) -> Setup {
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    setup
}

/// Subscribes, in the way of the host's era. Returns the id of the request.
async fn subscribe(host: &mut RawHost, era: Era, uri: &str) -> i64 {
    match era {
        Era::Initialize => {
            let id = host.send("resources/subscribe", json!({"uri": uri})).await;
            assert_eq!(host.answer_to(id).await["result"], json!({}));
            id
        }
        Era::Stateless => {
            let filter = json!({"notifications": {"resourceSubscriptions": [uri]}});
            let id = host.send("subscriptions/listen", filter).await;
            host.hear("notifications/subscriptions/acknowledged").await;
            id
        }
    }
}

async fn unsubscribe(host: &mut RawHost, era: Era, uri: &str, id: i64) {
    match era {
        Era::Initialize => drop(host.get("resources/unsubscribe", json!({"uri": uri})).await),
        Era::Stateless => {
            let params = json!({"requestId": id});
            host.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
        }
    }
}

/// Waits until the server is asked to report exactly the resources `uris`.
async fn asked_for(server: &RawServer, uris: &[&str]) {
    let wanted = |message: &Value| match message["method"].as_str() {
        Some("subscriptions/listen") => {
            Some(message["params"]["notifications"]["resourceSubscriptions"].clone())
        }
        _ => None,
    };
    until(|| {
        let read = server.read();
        let now = match read.iter().rev().find_map(wanted) {
            Some(Value::Null) => Vec::new(),
            Some(listed) => serde_json::from_value::<Vec<String>>(listed).unwrap(),
            None => {
                let mut now: Vec<String> = Vec::new();
                for message in &read {
                    let uri = message["params"]["uri"].as_str().unwrap_or_default().to_owned();
                    match message["method"].as_str() {
                        Some("resources/subscribe") => now.push(uri),
                        Some("resources/unsubscribe") => now.retain(|known| *known != uri),
                        _ => {}
                    }
                }
                now
            }
        };
        now == uris
    })
    .await;
}

/// Sends a notification in the form of the server's era.
fn tell(server: &RawServer, era: Era, method: &str, mut params: Value) {
    if era == Era::Stateless {
        let listens = server.read_of("subscriptions/listen");
        params["_meta"]["io.modelcontextprotocol/subscriptionId"] = listens.last().unwrap()["id"].clone();
    }
    server.say(says(None, method, params));
}

#[tokio::test]
async fn a_changed_resource_is_announced_only_to_its_subscribers() {
    for host_era in ERAS {
        for server_era in ERAS {
            let server = watched(server_era);
            let setup = kernel(&server).await;
            let mut one = setup.raw_host(As::plain(host_era)).await;
            let mut other = setup.raw_host(As::plain(host_era)).await;
            let id = subscribe(&mut one, host_era, "w://1").await;
            subscribe(&mut other, host_era, "w://2").await;
            asked_for(&server, &["w://1", "w://2"]).await;
            tell(&server, server_era, UPDATED, json!({"uri": "w://1"}));
            let told = one.hear(UPDATED).await;
            let mut expected = json!({"uri": "w://1"});
            if host_era == Era::Stateless {
                expected["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": id});
            }
            assert_eq!(told["params"], expected, "{host_era:?} {server_era:?}");
            // A change that no host asked for is reported to none.
            tell(&server, server_era, UPDATED, json!({"uri": "w://3"}));
            for host in [&mut one, &mut other] {
                host.settle().await;
                assert_eq!(host.count(UPDATED), 0, "{host_era:?} {server_era:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_host_without_the_grant_gets_no_more_of_its_resources() {
    for host_era in ERAS {
        for server_era in ERAS {
            let server = watched(server_era);
            let setup = kernel(&server).await;
            let mut host = setup.raw_host(As::plain(host_era)).await;
            subscribe(&mut host, host_era, "w://1").await;
            asked_for(&server, &["w://1"]).await;
            tell(&server, server_era, UPDATED, json!({"uri": "w://1"}));
            host.hear(UPDATED).await;
            let grant = AccessKey::from(&server_rule("agent.test", "srv"));
            setup.kernel.access().remove(grant).await.unwrap();
            tell(&server, server_era, UPDATED, json!({"uri": "w://1"}));
            host.settle().await;
            assert_eq!(host.count(UPDATED), 0, "{host_era:?} {server_era:?}");
        }
    }
}

#[tokio::test]
async fn a_chain_subscribes_only_to_resources_that_all_of_it_may_read() {
    for host_era in ERAS {
        let server = watched(Era::Initialize);
        let setup = kernel(&server).await;
        setup.kernel.access().put(server_rule("agent.boss", "srv")).await.unwrap();
        let mut host = setup.raw_host(As::plain(host_era)).await;
        let chains = [&["agent.clerk"][..], &["agent.boss", "agent.clerk"], &["agent.boss"]];
        for chain in chains {
            let may = chain == ["agent.boss"];
            let delegation = json!({"delegation": chain});
            match host_era {
                Era::Initialize => {
                    let params = json!({"uri": "w://1", "_mgp": delegation});
                    assert_eq!(host.once("resources/subscribe", params).await.get("error").is_none(), may);
                }
                Era::Stateless => {
                    let filter = json!({"resourceSubscriptions": ["w://1"]});
                    let params = json!({"notifications": filter, "_mgp": delegation});
                    host.send("subscriptions/listen", params).await;
                    let told = host.hear("notifications/subscriptions/acknowledged").await.to_string();
                    assert_eq!(told.contains("w://1"), may, "{chain:?}: {told}");
                }
            }
            asked_for(&server, if may { &["w://1"] } else { &[] }).await;
            tell(&server, Era::Initialize, UPDATED, json!({"uri": "w://1"}));
            if may {
                host.hear(UPDATED).await;
            } else {
                host.settle().await;
                assert_eq!(host.count(UPDATED), 0, "{host_era:?} {chain:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_server_s_subscription_lasts_until_the_last_host_leaves() {
    for host_era in ERAS {
        for server_era in ERAS {
            let server = watched(server_era);
            let setup = kernel(&server).await;
            let mut one = setup.raw_host(As::plain(host_era)).await;
            let mut other = setup.raw_host(As::plain(host_era)).await;
            let first = subscribe(&mut one, host_era, "w://1").await;
            subscribe(&mut one, host_era, "w://2").await;
            subscribe(&mut other, host_era, "w://1").await;
            asked_for(&server, &["w://1", "w://2"]).await;
            unsubscribe(&mut one, host_era, "w://1", first).await;
            // The other host still wants it.
            tell(&server, server_era, UPDATED, json!({"uri": "w://1"}));
            other.hear(UPDATED).await;
            one.settle().await;
            assert_eq!(one.count(UPDATED), 0, "{host_era:?} {server_era:?}");
            asked_for(&server, &["w://1", "w://2"]).await;
            drop(other);
            asked_for(&server, &["w://2"]).await;
            drop(one);
            asked_for(&server, &[]).await;
            if server_era == Era::Stateless {
                let listens = server.read_of("subscriptions/listen");
                let ended =
                    server.reads(|message| message["method"] == "notifications/cancelled", listens.len() - 1);
                assert_eq!(
                    ended.await.len(),
                    listens.len() - 1,
                    "each request to listen but the last was given up"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_server_cannot_announce_resources_of_another() {
    let (server, liar) =
        (watched(Era::Initialize), RawServer::new(Era::Initialize, json!({"tools": {}}), |_| None));
    let setup = start(|kernel, _| kernel.server(server.spec("srv")).server(liar.spec("liar"))).await;
    for id in ["srv", "liar"] {
        setup.kernel.access().put(server_rule("agent.test", id)).await.unwrap();
    }
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    subscribe(&mut host, Era::Initialize, "w://1").await;
    asked_for(&server, &["w://1"]).await;
    tell(&liar, Era::Initialize, UPDATED, json!({"uri": "w://1"}));
    host.settle().await;
    assert_eq!(host.count(UPDATED), 0);
}

#[tokio::test]
async fn a_server_without_subscriptions_gets_none() {
    let server = RawServer::new(Era::Initialize, json!({"resources": {}}), |message| {
        let page = match message["method"].as_str() {
            Some("resources/list") => json!({"resources": [{"uri": "w://1", "name": "w"}]}),
            Some("resources/templates/list") => json!({"resourceTemplates": []}),
            _ => return None,
        };
        Some(vec![result(message, page)])
    });
    let setup = kernel(&server).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    subscribe(&mut host, Era::Initialize, "w://1").await;
    host.settle().await;
    assert_eq!(server.read_of("resources/subscribe"), [] as [Value; 0]);
}

/// A server whose lists of resources and prompts grow each time they are read after the first.
fn growing(era: Era, areas: &'static [&'static str]) -> RawServer {
    let capabilities: serde_json::Map<String, Value> =
        areas.iter().map(|area| ((*area).to_owned(), json!({"listChanged": true}))).collect();
    let reads = Arc::new(AtomicUsize::new(0));
    RawServer::new(era, capabilities.into(), move |message| {
        let names =
            || -> Vec<_> { (0..=reads.fetch_add(1, Ordering::SeqCst)).map(|n| format!("n:{n}")).collect() };
        let page = match message["method"].as_str() {
            Some("resources/list") => {
                json!({"resources": names().iter().map(|uri| json!({"uri": uri, "name": "n"})).collect::<Vec<_>>()})
            }
            Some("prompts/list") => {
                json!({"prompts": names().iter().map(|name| json!({"name": name})).collect::<Vec<_>>()})
            }
            Some("resources/templates/list") => json!({"resourceTemplates": []}),
            Some("subscriptions/listen") => {
                let params = json!({"notifications": message["params"]["notifications"],
                    "_meta": {"io.modelcontextprotocol/subscriptionId": message["id"]}});
                return Some(vec![says(None, "notifications/subscriptions/acknowledged", params)]);
            }
            _ => return None,
        };
        Some(vec![result(message, page)])
    })
}

#[tokio::test]
async fn hosts_are_notified_only_of_changed_lists() {
    for host_era in ERAS {
        for server_era in ERAS {
            for (area, other) in [("resources", "prompts"), ("prompts", "resources")] {
                let areas: &[&str] = if area == "resources" { &["resources"] } else { &["prompts"] };
                let server = growing(server_era, areas);
                let setup = kernel(&server).await;
                let mut host = setup.raw_host(As::plain(host_era)).await;
                if host_era == Era::Stateless {
                    let filter = json!({"promptsListChanged": true, "resourcesListChanged": true});
                    host.send("subscriptions/listen", json!({"notifications": filter})).await;
                    host.hear("notifications/subscriptions/acknowledged").await;
                }
                if server_era == Era::Stateless {
                    server.has_read("subscriptions/listen", 1).await;
                }
                host.after_start().await;
                // The kernel reads all of them before time passes.
                let paused = pause_clock();
                for _ in 0..5 {
                    tell(&server, server_era, &format!("notifications/{area}/list_changed"), json!({}));
                    tell(&server, server_era, &format!("notifications/{other}/list_changed"), json!({}));
                }
                host.hear(&format!("notifications/{area}/list_changed")).await;
                drop(paused);
                let listed = host.get(&format!("{area}/list"), json!({})).await;
                assert!(listed[area].as_array().unwrap().len() > 1, "told once the kernel knows: {listed}");
                host.settle().await;
                assert_eq!(host.heard, Vec::<Value>::new(), "{host_era:?} {server_era:?} {area}");
            }
        }
    }
}

#[tokio::test]
async fn changes_in_quick_succession_are_announced_once() {
    let server = growing(Era::Initialize, &["resources"]);
    let setup = kernel(&server).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.after_start().await;
    // The kernel reads all of them before time passes.
    let paused = pause_clock();
    for _ in 0..5 {
        tell(&server, Era::Initialize, "notifications/resources/list_changed", json!({}));
        tokio::task::yield_now().await;
    }
    host.hear("notifications/resources/list_changed").await;
    drop(paused);
    // Waits for longer than the kernel does between two readings.
    host.settle().await;
    assert_eq!(host.heard, Vec::<Value>::new());
    assert_eq!(server.read_of("resources/list").len(), 2);
}

#[tokio::test]
async fn an_unchanged_list_is_announced_to_nobody() {
    let server = watched(Era::Initialize);
    let setup = kernel(&server).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.after_start().await;
    tell(&server, Era::Initialize, "notifications/resources/list_changed", json!({}));
    server.has_read("resources/list", 2).await;
    host.settle().await;
    assert_eq!(host.heard, Vec::<Value>::new());
}

#[tokio::test]
async fn audit_of_a_stateless_server_is_streamed_if_negotiated() {
    for mgp in [true, false] {
        let mut capabilities = json!({"tools": {"listChanged": true}});
        if mgp {
            let agreed = json!({"version": "0.3.0", "extensions": ["audit", "lifecycle"]});
            capabilities["extensions"] = json!({"dev.cloto/mgp": agreed});
        }
        let server = RawServer::new(Era::Stateless, capabilities, |message| {
            // The request stays open until it is cancelled.
            (message["method"] == "subscriptions/listen").then(Vec::new)
        });
        let setup = kernel(&server).await;
        let listen = server.has_read("subscriptions/listen", 1).await.pop().unwrap();
        let asked = if mgp { json!({"audit": true, "lifecycle": true}) } else { Value::Null };
        assert_eq!(listen["params"]["notifications"]["dev.cloto/mgp"], asked);

        let event = |kind: &str| {
            says(
                None,
                "notifications/mgp.audit",
                json!({"timestamp": "2026-02-27T12:00:00.000Z",
                "trace_id": "550e8400-e29b-41d4-a716-446655440000", "event_type": kind,
                "actor": {"type": "operator", "id": "root"}, "result": "SUCCESS",
                "_meta": {"io.modelcontextprotocol/subscriptionId": listen["id"]}}),
            )
        };
        server.say(event("FROM_THE_SERVER"));
        let told = says(
            None,
            "notifications/tools/list_changed",
            json!({"_meta": {"io.modelcontextprotocol/subscriptionId": listen["id"]}}),
        );
        server.say(told);
        // The messages before the change were read by then.
        server.has_read("tools/list", 2).await;
        let reported = || {
            let mut events = setup.sink.events();
            events.retain(|event| event.event_type.to_string() == "FROM_THE_SERVER");
            events
        };
        // The list is also read again where the server has not accepted the request in time.
        until(|| !mgp || !reported().is_empty()).await;
        let reported = reported();
        assert_eq!(reported.len(), usize::from(mgp));
        // Every event of the server has the server as its actor.
        assert!(reported.iter().all(|event| event.actor.id == "srv"));
    }
}

#[tokio::test]
async fn a_change_missed_between_streams_is_noticed_and_announced() {
    let listens = AtomicUsize::new(0);
    let capabilities = json!({"resources": {"subscribe": true, "listChanged": true}});
    let server = RawServer::new(Era::Stateless, capabilities, move |message| {
        match message["method"].as_str() {
            Some("subscriptions/listen") => {
                let mut answers = vec![says(
                    None,
                    "notifications/subscriptions/acknowledged",
                    json!({"notifications": message["params"]["notifications"],
                    "_meta": {"io.modelcontextprotocol/subscriptionId": message["id"]}}),
                )];
                // The server ends the request that names the resource, and the next one stays.
                let of_it = !message["params"]["notifications"]["resourceSubscriptions"].is_null();
                if of_it && listens.fetch_add(1, Ordering::SeqCst) == 0 {
                    answers.push(result(message, json!({"resultType": "complete"})));
                }
                Some(answers)
            }
            Some("resources/list") => Some(vec![result(
                message,
                json!({"resources": [{"uri": "w://1", "name": "1"}], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
            )]),
            _ => None,
        }
    });
    let setup = kernel(&server).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.get("resources/subscribe", json!({"uri": "w://1"})).await;
    let updated = host.hear("notifications/resources/updated").await;
    assert_eq!(updated["params"]["uri"], "w://1");
    let asked = |message: &Value| message["params"]["notifications"]["resourceSubscriptions"].clone();
    let named =
        server.read_of("subscriptions/listen").iter().filter(|message| !asked(message).is_null()).count();
    assert_eq!(named, 2, "asked for once more after the end");
}

#[tokio::test]
async fn the_old_stream_lasts_until_the_server_accepts_the_new_one() {
    let capabilities = json!({"resources": {"subscribe": true, "listChanged": true}});
    let server = RawServer::new(Era::Stateless, capabilities, move |message| {
        match message["method"].as_str() {
            Some("subscriptions/listen") => Some(Vec::new()),
            Some("resources/list") => Some(vec![result(
                message,
                json!({"resources": [{"uri": "w://1", "name": "1"}], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
            )]),
            _ => None,
        }
    });
    let setup = kernel(&server).await;
    let first = server.has_read("subscriptions/listen", 1).await.pop().unwrap();
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let _paused = pause_clock();
    host.get("resources/subscribe", json!({"uri": "w://1"})).await;
    let second = server.has_read("subscriptions/listen", 2).await.pop().unwrap();
    assert_eq!(server.read_of("notifications/cancelled"), Vec::<Value>::new());
    let acknowledged = json!({"notifications": second["params"]["notifications"],
        "_meta": {"io.modelcontextprotocol/subscriptionId": second["id"]}});
    server.say(says(None, "notifications/subscriptions/acknowledged", acknowledged));
    let cancelled = server.has_read("notifications/cancelled", 1).await;
    assert_eq!(cancelled[0]["params"]["requestId"], first["id"]);
}

#[tokio::test]
async fn a_stream_that_is_accepted_late_has_the_lists_read_again() {
    let server = RawServer::new(Era::Stateless, json!({"tools": {"listChanged": true}}), |message| {
        (message["method"] == "subscriptions/listen").then(Vec::new)
    });
    let _setup = kernel(&server).await;
    let listen = server.has_read("subscriptions/listen", 1).await.pop().unwrap();
    // The list is read at the start, and when the server is not waited for any more.
    jump(Duration::from_secs(3)).await;
    server.has_read("tools/list", 2).await;
    let acknowledged = json!({"notifications": listen["params"]["notifications"],
        "_meta": {"io.modelcontextprotocol/subscriptionId": listen["id"]}});
    server.say(says(None, "notifications/subscriptions/acknowledged", acknowledged));
    server.has_read("tools/list", 3).await;
}

#[tokio::test]
async fn a_server_that_refuses_streams_gets_no_sooner_new_requests() {
    let capabilities = json!({"resources": {"subscribe": true, "listChanged": true}});
    let server = RawServer::new(Era::Stateless, capabilities, |message| {
        (message["method"] == "subscriptions/listen").then(|| vec![error(message, -32603, "not now")])
    });
    let setup = kernel(&server).await;
    server.has_read("subscriptions/listen", 1).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let _paused = pause_clock();
    let failures = server.read_of("subscriptions/listen").len() + 1;
    server.has_read("subscriptions/listen", failures).await;
    let uris = ["w://1", "w://2", "w://3"];
    for uri in uris {
        host.get("resources/subscribe", json!({"uri": uri})).await;
        // Longer than wishes are gathered, and in all much shorter than the delay after the failure.
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    assert_eq!(server.read_of("subscriptions/listen").len(), failures);
    let asked = server.has_read("subscriptions/listen", failures + 1).await.pop().unwrap();
    assert_eq!(asked["params"]["notifications"]["resourceSubscriptions"], json!(uris));
}
