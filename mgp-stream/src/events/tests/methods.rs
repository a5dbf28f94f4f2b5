//! Tests of the methods over a connection.

use super::rig::event;
use crate::events::{EventChannels, MAX_SUBSCRIPTIONS, routes};
use mgp_transport::{
    connection::Connection,
    memory,
    seam::{BoxError, Incoming, Peer, Reply, Session},
};
use mgp_types::{
    json::RawObject,
    negotiation::{Extension, ExtensionSet, answer, put_offer, read_offer},
    rpc::RawParams,
};
use parking_lot::Mutex;
use std::sync::Arc;
use xtask_testing::until;

/// A client of channels, with everything that it received, in order.
struct Subscriber {
    server: Peer,
    log: Arc<Mutex<Vec<String>>>,
    _connections: [Connection; 2],
}

fn subscriber(channels: &EventChannels, extensions: &[Extension]) -> Subscriber {
    subscriber_of(channels, extensions, |_| true)
}

fn subscriber_of(
    channels: &EventChannels,
    extensions: &[Extension],
    lasts: fn(&Session) -> bool,
) -> Subscriber {
    let mut offered = RawObject::new();
    put_offer(&mut offered, extensions.iter().copied().collect());
    let profile =
        mgp_types::negotiation::ServerProfile { extensions: ExtensionSet::ALL, ..Default::default() };
    let session = Session::new("client");
    session.set(answer(&read_offer(&offered).unwrap(), &profile).negotiated);
    let (here, there) = memory::pair();
    let service = routes(lasts).with_state(channels.clone());
    let server = Connection::builder(service).session(session).over(there.0, there.1);
    let log = Arc::new(Mutex::new(Vec::new()));
    let heard = log.clone();
    let hears = tower::service_fn(move |message: Incoming| {
        let params = message.params.get().map(|params| params.as_str().to_owned()).unwrap_or_default();
        heard.lock().push(params);
        async { Ok::<_, BoxError>(Reply::none()) }
    });
    let client = Connection::builder(hears).over(here.0, here.1);
    Subscriber { server: client.peer().clone(), log, _connections: [server, client] }
}

impl Subscriber {
    async fn ask(&self, method: &'static str, params: &'static str) -> Result<String, String> {
        let params = RawParams::from(RawObject::parse(params).unwrap());
        let answered = self.server.request_raw(method, params).await;
        answered.map(|result| result.as_str().to_owned()).map_err(|error| error.to_string())
    }

    async fn heard(&self, count: usize) -> Vec<String> {
        until(|| self.log.lock().len() >= count).await;
        self.log.lock().clone()
    }
}

#[tokio::test]
async fn a_session_receives_its_subscription_until_it_ends_it() {
    let channels = EventChannels::new(["a.b", "a.c"]).unwrap();
    let client = subscriber(&channels, &[Extension::Events]);
    let answered = client.ask("mgp/events/subscribe", r#"{"channels":["a.*","x","a.b"]}"#).await.unwrap();
    assert_eq!(answered, r#"{"subscribed":["a.b","a.c"],"unsupported":["x"],"subscription_id":"sub-1"}"#);
    channels.publish(event("a.b", "1")).unwrap();
    let heard = client.heard(1).await;
    let expected = r#"{"subscription_id":"sub-1","channel":"a.b","timestamp":"t","data":1,"_mgp":{"seq":1}}"#;
    assert_eq!(heard, [expected]);
    let ended = |removed| Ok(format!(r#"{{"subscription_id":"sub-1","removed":{removed}}}"#));
    let end = async || client.ask("mgp/events/unsubscribe", r#"{"subscription_id":"sub-1"}"#).await;
    assert_eq!(end().await, ended(true));
    assert_eq!(end().await, ended(false));
    until(|| !channels.is_heard()).await;
}

#[tokio::test(start_paused = true)]
async fn an_expired_subscription_reports_its_end_last() {
    let channels = EventChannels::new(["a"]).unwrap();
    let client = subscriber(&channels, &[Extension::Events]);
    client.ask("mgp/events/subscribe", r#"{"channels":["a"],"ttl_seconds":5}"#).await.unwrap();
    client.ask("mgp/events/subscribe", r#"{"channels":["a"]}"#).await.unwrap();
    channels.publish(event("a", "1")).unwrap();
    let heard = client.heard(3).await;
    let last = heard.last().unwrap();
    let begins = r#"{"subscription_id":"sub-1","channel":"system.subscription_ended","timestamp":""#;
    let ends = r#""data":{"reason":"ttl_seconds"},"_mgp":{"seq":2}}"#;
    assert!(last.starts_with(begins) && last.ends_with(ends), "{heard:?}");
    assert!(channels.is_heard(), "the other has no time");
    channels.publish(event("a", "2")).unwrap();
    assert!(client.heard(4).await[3].contains("sub-2"));
}

#[tokio::test]
async fn a_session_ends_only_its_own_subscriptions_and_all_of_them() {
    let channels = EventChannels::new(["a"]).unwrap();
    let client = subscriber(&channels, &[Extension::Events]);
    let other = subscriber(&channels, &[Extension::Events]);
    client.ask("mgp/events/subscribe", r#"{"channels":["a"]}"#).await.unwrap();
    let stranger = other.ask("mgp/events/unsubscribe", r#"{"subscription_id":"sub-1"}"#).await.unwrap();
    assert!(stranger.contains(r#""removed":false"#), "{stranger}");
    assert!(channels.is_heard());
    drop(client);
    until(|| !channels.is_heard()).await;
}

#[tokio::test]
async fn a_session_has_a_bounded_number_of_subscriptions() {
    let channels = EventChannels::new(["a"]).unwrap();
    let client = subscriber(&channels, &[Extension::Events]);
    for _ in 0..MAX_SUBSCRIPTIONS {
        client.ask("mgp/events/subscribe", r#"{"channels":["a"]}"#).await.unwrap();
    }
    let refused = client.ask("mgp/events/subscribe", r#"{"channels":["a"]}"#).await.unwrap_err();
    assert!(refused.contains("32 are allowed in one session"), "{refused}");
    client.ask("mgp/events/unsubscribe", r#"{"subscription_id":"sub-3"}"#).await.unwrap();
    client.ask("mgp/events/subscribe", r#"{"channels":["a"]}"#).await.unwrap();
}

#[tokio::test]
async fn without_negotiation_events_have_no_methods() {
    let channels = EventChannels::new(["a"]).unwrap();
    let client = subscriber(&channels, &[Extension::Streaming]);
    let refused = client.ask("mgp/events/subscribe", r#"{"channels":["a"]}"#).await.unwrap_err();
    assert!(refused.contains("needs the extension \"events\""), "{refused}");
    assert!(!channels.is_heard());
}

#[tokio::test]
async fn a_client_without_a_session_learns_how_to_subscribe() {
    let channels = EventChannels::new(["a"]).unwrap();
    let client = subscriber_of(&channels, &[Extension::Events], |_| false);
    for (method, params) in [
        ("mgp/events/subscribe", r#"{"channels":["a"]}"#),
        ("mgp/events/unsubscribe", r#"{"subscription_id":"sub-1"}"#),
    ] {
        let refused = client.ask(method, params).await.unwrap_err();
        assert!(refused.contains("subscribe with subscriptions/listen"), "{method}: {refused}");
    }
    assert!(!channels.is_heard());
}
