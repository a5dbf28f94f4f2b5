//! A protected server that does not say which revisions it speaks.

use super::rig::{ProbeFault, World, agent};
use mgp_client_sdk::{EraChoice, HttpClientConfig, auth::OAuth, client::Client};
use std::time::Duration;
use xtask_testing::within;

#[tokio::test]
async fn an_unanswered_probe_leads_to_sessions_with_oauth_too() {
    let (short, long) = (Duration::from_millis(1), Duration::from_secs(600));
    for (fault, probe_timeout) in [(ProbeFault::Silent, short), (ProbeFault::Forbidden, long)] {
        let world = World::with(|rules| rules.probe = Some(fault)).await;
        let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
        let config = HttpClientConfig { authorize: Some(oauth), ..Default::default() };
        let builder = Client::builder("test", "1.0.0").era(EraChoice::Auto { probe_timeout });
        let client = within(builder.connect_http(&world.mcp, config)).await.unwrap();
        within(client.list_tools()).await.unwrap();
        assert_eq!(world.state.lock().ran, ["initialize", "tools/list"], "{fault:?}");
    }
}
