//! Results that one kernel keeps, and another one on the same database finds.

use crate::{
    engine::stores,
    features::references::{host, keep, kernel_with, make, reference_of, short, take, taken},
    raw_server::RawServer,
    support::{Setup, agents, rule},
};
use mgp_kernel::{Configuration, ReferenceStore, SqlReferenceStore, SqlStore, Stores};
use mgp_store::sql::{Connection, params};
use mgp_types::access::AccessDecision;
use serde_json::{Value, json};
use std::sync::Arc;
use xtask_testing::{SharedDatabase, databases};

/// Two kernels on one database, each with a server of its own.
struct Kernels {
    here: (Setup, RawServer),
    there: (Setup, RawServer),
    database: SharedDatabase,
}

/// Returns kernels on a database of each engine.
async fn kernels(configure: impl Fn(&mut Configuration) + Copy) -> Vec<Kernels> {
    kernels_with(configure, || |rows| Arc::new(rows)).await
}

/// Returns kernels on a database of each engine, whose stores are made of its rows.
async fn kernels_with<S: Fn(SqlReferenceStore) -> Arc<dyn ReferenceStore>>(
    configure: impl Fn(&mut Configuration) + Copy,
    stores_of_engine: impl Fn() -> S,
) -> Vec<Kernels> {
    let mut kernels = Vec::new();
    for database in databases(SqlReferenceStore::SCHEMA).await {
        let store = stores_of_engine();
        let [mut here, mut there] = [None, None];
        for (kernel, tables) in [(&mut here, &database.here), (&mut there, &database.there)] {
            let references = Some(store(SqlReferenceStore::new(tables.clone())));
            let stores = Stores { references, ..stores().await };
            let started =
                kernel_with(|kernel| kernel.stores(stores).config(agents(["bob"])).config(configure));
            *kernel = Some(started.await);
        }
        kernels.push(Kernels { here: here.unwrap(), there: there.unwrap(), database });
    }
    kernels
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_kept_at_one_kernel_is_used_at_another_one() {
    for Kernels { here: (here, _server), there: (there, server), database } in kernels(|_| {}).await {
        let mut first = host(&here, "agent.test").await;
        let content = "zwölf lines\n".repeat(20_000);
        let reference = keep(&mut first, "zwölf lines\n", 20_000).await;
        let rows = json!({"name": "rows", "_meta": {"dev.cloto/call": {"keep_result": true}}});
        let rows = reference_of(&first.get("tools/call", rows).await).ref_id;
        // A stored result outlives its kernel.
        here.kernel.shutdown().await;
        let mut second = host(&there, "agent.test").await;
        let uri = format!("{}?offset=13&length=262144", reference.uri());
        let read = second.get("resources/read", json!({"uri": uri})).await;
        assert_eq!(read["contents"][0]["text"], content[13..], "{}", database.engine);
        let refs = json!({"/data": reference.ref_id, "/first": format!("{rows}#/rows/1/n/0")});
        second.get("tools/call", take(refs)).await;
        assert_eq!(taken(&server), json!({"kind": "csv", "data": content, "first": 2}));
        let part = json!({"name": "mgp_result_read", "arguments": {"ref": rows, "offset": 0}});
        let part = second.get("tools/call", json!({"name": "mgp_tools_call", "arguments": part})).await;
        assert_eq!(part["structuredContent"]["mime_type"], "application/json", "{part}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_and_expired_references_are_unknown_at_another_kernel() {
    for Kernels { here: (here, _), there: (there, server), database } in kernels(|_| {}).await {
        let mut first = host(&here, "agent.test").await;
        let of_ann = keep(&mut first, "for ann", 1).await.ref_id;
        let expired = keep(&mut first, "expired", 1).await.ref_id;
        let (mut ann, mut bob) = (host(&there, "agent.test").await, host(&there, "bob").await);
        let expire = |connection: &Connection<'_>| {
            let sql = "UPDATE kept_results SET expires_at = expires_at - $1 WHERE expires_at = (SELECT max(expires_at) FROM kept_results)";
            connection.execute(sql, &params![900_000_000_i64])
        };
        database.there.write(expire).await.unwrap();
        let never = "ref-00000000000000000000000000000000";
        let mut delegated = take(json!({"/data": of_ann}));
        delegated["_mgp"] = json!({"delegation": ["bob"]});
        let mut answers = Vec::new();
        for (is_bob, id, call) in [
            (true, of_ann.as_str(), take(json!({"/data": of_ann}))),
            (true, never, take(json!({"/data": never}))),
            (false, of_ann.as_str(), delegated),
            (false, expired.as_str(), take(json!({"/data": expired}))),
        ] {
            let host = if is_bob { &mut bob } else { &mut ann };
            let mut error = host.refused("tools/call", call).await;
            error["data"]["trace_id"] = Value::Null;
            answers.push(error.to_string().replace(&short(id), "ID"));
        }
        assert!(
            answers[0].contains("unknown reference") && answers.iter().all(|answer| *answer == answers[0]),
            "{}: {answers:#?}",
            database.engine
        );
        assert!(server.read_of("tools/call").is_empty());
        ann.get("tools/call", take(json!({"/data": of_ann}))).await;
        assert_eq!(taken(&server)["data"], "for ann");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_longer_result_is_refused_elsewhere_with_the_key() {
    let configure = |config: &mut Configuration| config.references.store_bytes = 1000;
    for Kernels { here: (here, server), there: (there, _), .. } in kernels(configure).await {
        let mut first = host(&here, "agent.test").await;
        let [fits, long] = [keep(&mut first, "x", 1000).await, keep(&mut first, "x", 1001).await];
        let mut second = host(&there, "agent.test").await;
        second.get("resources/read", json!({"uri": fits.uri()})).await;
        for (method, params) in [
            ("resources/read", json!({"uri": long.uri()})),
            ("tools/call", take(json!({"/data": long.ref_id}))),
        ] {
            let error = second.refused(method, params).await;
            let problem = error["message"].as_str().unwrap();
            assert!(
                problem.contains("only the gateway that made") && error["data"]["retryable"] == false,
                "{error}"
            );
            assert!(
                problem.contains("1001 bytes are more than the 1000 of references.store_bytes"),
                "{error}"
            );
        }
        // Another owner learns nothing.
        let mut bob = host(&there, "bob").await;
        let error = bob.refused("resources/read", json!({"uri": long.uri()})).await;
        assert!(error["message"].as_str().unwrap().contains("unknown reference"), "{error}");
        first.get("tools/call", take(json!({"/data": long.ref_id}))).await;
        assert_eq!(taken(&server)["data"], "x".repeat(1001));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bounds_hold_over_all_kernels() {
    let configure = |config: &mut Configuration| {
        config.references.max_results = 2;
        config.references.max_bytes = 1000;
    };
    for Kernels { here: (here, _), there: (there, server), database } in kernels(configure).await {
        let (mut first, mut second) = (host(&here, "agent.test").await, host(&there, "agent.test").await);
        keep(&mut first, "x", 600).await;
        let whole = second.get("tools/call", make("y", 600)).await;
        let reason = whole["_meta"]["dev.cloto/reference"]["not_kept"].as_str().unwrap();
        assert!(
            reason.contains("600 of 1000 bytes are kept for this agent"),
            "{}: {reason}",
            database.engine
        );
        keep(&mut second, "z", 1).await;
        let made = server.read_of("tools/call").len();
        let refused = second.refused("tools/call", make("w", 1)).await.to_string();
        assert!(refused.contains("2 results are kept for this agent") && refused.contains("retry_after"));
        assert_eq!(server.read_of("tools/call").len(), made, "the call was not made");
        keep(&mut host(&there, "bob").await, "v", 600).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_that_was_revoked_holds_for_shared_results() {
    for Kernels { here: (here, _), there: (there, server), .. } in kernels(|_| {}).await {
        let mut first = host(&here, "agent.test").await;
        let reference = keep(&mut first, "data", 1).await;
        for tool in ["make", "take"] {
            there.kernel.access().put(rule("crm", Some(tool), AccessDecision::Deny)).await.unwrap();
        }
        let mut second = host(&there, "agent.test").await;
        // The owner has had the result, so it can read it. The tool stays closed.
        let read = second.get("resources/read", json!({"uri": reference.uri()})).await;
        assert_eq!(read["contents"][0]["text"], "data");
        let refused = second.refused("tools/call", take(json!({"/data": reference.ref_id}))).await;
        assert!(!refused.to_string().contains("unknown reference"), "{refused}");
        assert!(server.read_of("tools/call").is_empty());
    }
}

#[cfg(feature = "s3")]
#[tokio::test(flavor = "multi_thread")]
async fn a_longer_result_is_used_elsewhere_from_its_object() {
    use mgp_kernel::ObjectReferenceStore;
    use mgp_store::objects::{ObjectFolder, object_store::memory::InMemory};

    let configure = |config: &mut Configuration| config.references.store_bytes = 1000;
    let stores = || {
        let objects = Arc::new(InMemory::new());
        move |rows| -> Arc<dyn ReferenceStore> {
            let folder = ObjectFolder::new(objects.clone(), "s3://kept/mgp").unwrap();
            Arc::new(ObjectReferenceStore::new(rows, folder))
        }
    };
    for Kernels { here: (here, _server), there: (there, server), database } in
        kernels_with(configure, stores).await
    {
        let mut first = host(&here, "agent.test").await;
        let content = "zwölf lines\n".repeat(100_000);
        let reference = keep(&mut first, "zwölf lines\n", 100_000).await;
        here.kernel.shutdown().await;
        let mut second = host(&there, "agent.test").await;
        let uri = format!("{}?offset=1200001&length=64", reference.uri());
        let read = second.get("resources/read", json!({"uri": uri})).await;
        assert_eq!(read["contents"][0]["text"], content[1_200_001..1_200_065], "{}", database.engine);
        second.get("tools/call", take(json!({"/data": reference.ref_id}))).await;
        assert!(taken(&server)["data"] == content);
        let mut bob = host(&there, "bob").await;
        let error = bob.refused("resources/read", json!({"uri": reference.uri()})).await;
        assert!(error["message"].as_str().unwrap().contains("unknown reference"), "{error}");
    }
}
