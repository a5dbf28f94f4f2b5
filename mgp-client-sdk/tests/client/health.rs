//! §11.3 The health of a client's server.

use crate::{
    plain,
    support::{Way, builder, connect, everything, within},
};
use mgp_client_sdk::{CallError, Era};
use mgp_server_sdk::{HealthCheck, Weight};
use mgp_types::lifecycle::HealthStatus;

#[tokio::test]
async fn a_client_requests_its_server_s_health() {
    for way in Way::ALL {
        let server = everything().health_check(HealthCheck::new("disk", Weight::Helpful, async || false));
        let connected = connect(*way, server, builder()).await;
        let health = within(connected.client.health()).await.unwrap();
        assert_eq!((health.status, health.tools_total), (HealthStatus::Degraded, Some(7)), "{way:?}");
        let disk = health.checks.unwrap().decode::<bool>("disk").unwrap();
        assert_eq!(disk, Some(false));
    }
}

#[tokio::test]
async fn a_plain_server_is_not_asked_for_its_health() {
    for era in [Era::Initialize, Era::Stateless] {
        let (client, lines) = plain::open(builder(), era).await;
        let Err(CallError::Peer(error)) = within(client.health()).await else { panic!("answered") };
        assert!(error.message.contains("did not negotiate the extension \"lifecycle\""), "{error:?}");
        assert_eq!((error.code, lines.of("mgp/health/status").len()), (-32601, 0));
    }
}
