//! Gateways while their database is away.

use crate::replicas::{Gateway, has_status};
use serde_json::Value;
use tokio::runtime::Runtime;
use xtask_testing::{PostgresProxy, block_until_some};

/// A database that can be away for some of its gateways. Its connections live as long as the runtime.
struct Database {
    url: String,
    proxy: PostgresProxy,
    _runtime: Runtime,
}

/// Creates a database, or returns `None` without PostgreSQL.
fn database() -> Option<Database> {
    let runtime = Runtime::new().unwrap();
    let url = runtime.block_on(xtask_testing::postgres())?;
    let proxy = runtime.block_on(async { PostgresProxy::start(&url) });
    Some(Database { url, proxy, _runtime: runtime })
}

#[test]
fn a_gateway_without_its_database_is_not_ready() {
    let Some(database) = database() else { return };
    let proxy = &database.proxy;
    let gateway = Gateway::start_with(proxy.url(), "");
    let until_ready = || block_until_some(|| has_status(&gateway.get("/readyz"), 200).then_some(()));
    until_ready();
    proxy.set_away(true);
    let unready = block_until_some(|| Some(gateway.get("/readyz")).filter(|answer| has_status(answer, 503)));
    assert!(unready.ends_with(r#"{"status":"unready"}"#), "{unready}");
    for path in ["/livez", "/health"] {
        assert!(has_status(&gateway.get(path), 200), "the gateway runs, and accepts calls: {path}");
    }
    proxy.set_away(false);
    until_ready();
}

#[test]
fn status_shows_this_machine_while_the_database_is_away() {
    let Some(database) = database() else { return };
    let proxy = &database.proxy;
    let mut here = Gateway::start(proxy.url());
    let there = Gateway::start(&database.url);
    let status = |here: &Gateway, more: &[&str]| here.user.run(&[&["--trust", "status"], more].concat());
    let is_complete = |here: &Gateway| {
        let shown = status(here, &[]).succeeds();
        shown.stdout.contains(&format!("replica at {}", there.replicas)).then_some(())
    };
    block_until_some(|| is_complete(&here));
    proxy.set_away(true);
    let shown = status(&here, &[]).succeeds();
    let named = format!("gateway of process {}: ", here.child.id());
    assert!(shown.stdout.starts_with(&named) && !shown.stdout.contains(&there.replicas), "{shown:?}");
    for expected in [
        "replicas on other machines",
        "no connection to PostgreSQL",
        "check that the database of `store.url` runs",
    ] {
        assert!(shown.stderr.contains(expected), "{expected}: {shown:?}");
    }
    let json: Value = serde_json::from_str(&status(&here, &["--json"]).succeeds().stdout).unwrap();
    assert_eq!((&json["kernels"][0]["pid"], &json["replicas"]), (&here.child.id().into(), &Value::Null));
    assert!(json["database_error"].as_str().is_some_and(|error| error.contains("PostgreSQL")), "{json}");
    let pid = here.child.id().to_string();
    assert!(status(&here, &["--pid", &pid]).succeeds().stdout.starts_with(&named));
    here.kill();
    let failed = status(&here, &[]).fails_with(1);
    assert!(failed.stderr.contains("no gateway is running in"), "{failed:?}");
    assert!(failed.stderr.contains("no connection to PostgreSQL"), "{failed:?}");
    proxy.set_away(false);
    is_complete(&here).expect("a machine without a gateway shows the others");
}
