//! A peer that floods fills no log.

use crate::{
    log,
    support::{pair_with, params, quiet},
};
use mgp_transport::{
    connection::{Config, Connection},
    seam::{BoxError, Incoming, Reply},
};
use std::time::Duration;
use tower::service_fn;
use xtask_testing::within;

async fn never(_: Incoming) -> Result<Reply, BoxError> {
    std::future::pending().await
}

async fn flood(client: &Connection, count: usize) {
    for _ in 0..count {
        client.peer().notify("n", params("{}")).await.unwrap();
    }
    // The lane answers once everything before it was read.
    within(client.peer().request_raw("ping", params("{}"))).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn dropped_notifications_are_counted_in_one_warning_a_second() {
    let config = Config { backlog: 2, notification_timeout: Duration::MAX, ..Config::default() };
    let (client, server) = pair_with(service_fn(quiet), service_fn(never), config);
    let (warnings, _guard) = log::keep();
    // One is in the hand of its handler, two wait.
    flood(&client, 1).await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    flood(&client, 2).await;
    assert_eq!(warnings.take(), []);
    flood(&client, 500).await;
    let said = warnings.take();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!((&*said[0].message, said[0].left_out), ("backlog full: notification dropped", Some(0)));
    tokio::time::advance(Duration::from_secs(1)).await;
    flood(&client, 100).await;
    let said = warnings.take();
    assert_eq!((said.len(), said[0].left_out), (1, Some(499)), "{said:?}");
    // The last ones are not forgotten.
    drop(client);
    within(server.closed()).await;
    let said = warnings.take();
    assert_eq!((said.len(), said[0].left_out), (1, Some(99)), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_one_kind_of_warning_hides_no_other() {
    let config =
        Config { backlog: 2, held_bytes: 1000, notification_timeout: Duration::MAX, ..Config::default() };
    let (client, server) = pair_with(service_fn(quiet), service_fn(never), config);
    let (warnings, _guard) = log::keep();
    let messages = || warnings.take().into_iter().map(|warning| warning.message).collect::<Vec<_>>();
    flood(&client, 1).await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    flood(&client, 10).await;
    assert_eq!(messages(), ["backlog full: notification dropped"]);
    for _ in 0..5 {
        client.peer().notify("n", params(&format!("{{\"text\":\"{}\"}}", "x".repeat(2000)))).await.unwrap();
    }
    flood(&client, 0).await;
    assert_eq!(messages(), ["no room: notification dropped"]);
    // The rest of each kind is told by itself.
    drop(client);
    within(server.closed()).await;
    let rest: Vec<_> = warnings.take().into_iter().map(|warning| warning.left_out).collect();
    assert_eq!(rest, [Some(4), Some(7)]);
}
