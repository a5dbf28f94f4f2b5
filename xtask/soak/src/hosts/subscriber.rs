//! Hosts that subscribe to all events (§13.2): some read everything, some read too slowly, and some stop reading.

use super::{Era, SharedState};
use crate::{
    ledger::{Answer, Ledger},
    random::Random,
    wire::{self, Connection, Endpoint, Events},
};
use serde_json::{Value, json};
use std::{io, net::SocketAddr, ops::Range, time::Duration};
use tokio::time::{Instant, timeout};

/// The number of subscribers.
pub(crate) const SUBSCRIBERS: usize = 6;
/// The first stream of random numbers.
const STREAM: u64 = u64::MAX - 1000;
/// The time of one subscription, in milliseconds.
const LIFE_MS: Range<u64> = 3_000..20_000;
/// The pause of a slow reader between two pieces of its stream.
const SLOW: Duration = Duration::from_millis(50);
/// The time limit for the answer to a subscription.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(180);
/// The buffer of a host that does not read everything, in bytes.
const SMALL_BUFFER: u32 = 16 * 1024;

const HEARD: &str = "events heard by subscribers";
const LOST: &str = "events that were reported as lost";
const READING: &str = "subscribers that read everything";
const SLOWLY: &str = "subscribers that read slowly";
const STOPPED: &str = "subscribers that stop reading";

/// The events that every run must have.
pub(crate) const REQUIRED: [&str; 5] = [HEARD, LOST, READING, SLOWLY, STOPPED];

/// The way in which a subscriber reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    All,
    Slowly,
    /// Nothing after the first event.
    Stops,
}

impl Pace {
    const fn name(self) -> &'static str {
        match self {
            Self::All => READING,
            Self::Slowly => SLOWLY,
            Self::Stops => STOPPED,
        }
    }
}

/// Subscribes repeatedly until the time has passed.
pub(crate) async fn subscribe(shared: SharedState, number: usize) {
    let mut random = Random::new(shared.seed, STREAM + number as u64);
    let pace = [Pace::All, Pace::Slowly, Pace::Stops][number % 3];
    while Instant::now() < shared.until {
        tokio::time::sleep(random.millis(100..1000)).await;
        let end = (Instant::now() + random.millis(LIFE_MS)).min(shared.until);
        let ticket = shared.ledger.send("subscriptions/listen");
        let request = request(ticket.id(), &shared.endpoint);
        match timeout(ANSWER_TIMEOUT, open(shared.endpoint.address, &request, pace)).await {
            Ok(Ok(mut stream)) => {
                // The acknowledgement is the first message; the answer itself comes at the end, which the host does not await.
                ticket.answered(Answer::Result, 1);
                shared.ledger.fault(pace.name());
                stream.follow(pace, end, &shared.ledger).await;
            }
            Ok(Err(error)) => ticket.lost(&error.to_string()),
            Err(_) => ticket.lost(&format!("no acknowledgement within {ANSWER_TIMEOUT:?}")),
        }
    }
}

fn request(id: i64, endpoint: &Endpoint) -> Vec<u8> {
    let events = json!({"notifications": {"dev.cloto/mgp": {"events": {"channels": ["*"]}}}});
    let mut message = Era::Stateless.request(id, "subscriptions/listen", events, None);
    let capabilities = &mut message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    capabilities["extensions"]["dev.cloto/mgp"] = json!({"version": "0.3.0", "extensions": ["events"]});
    Era::Stateless.post(endpoint, None, &message)
}

/// The stream of one subscription.
struct Stream {
    connection: Connection,
    body: wire::Body,
    events: Events,
    /// The number of the last event.
    seq: u64,
}

async fn open(address: SocketAddr, request: &[u8], pace: Pace) -> io::Result<Stream> {
    let mut connection = match pace {
        Pace::All => Connection::open(address).await?,
        Pace::Slowly | Pace::Stops => Connection::open_with_buffer(address, SMALL_BUFFER).await?,
    };
    connection.send(request).await?;
    let (head, mut body) = connection.head().await?;
    let mut events = Events::default();
    while let Some(piece) = connection.piece(&mut body).await? {
        let messages = events.take(&piece);
        let Some(first) = messages.first() else { continue };
        let message: Value = serde_json::from_str(first).unwrap_or_default();
        if head.is_stream && message["method"] == "notifications/subscriptions/acknowledged" {
            let mut stream = Stream { connection, body, events, seq: 0 };
            for event in &messages[1..] {
                stream.heard(event).map_err(io::Error::other)?;
            }
            return Ok(stream);
        }
        return Err(io::Error::other(format!("HTTP {}: {message}", head.status)));
    }
    Err(io::Error::other(format!("HTTP {} without an acknowledgement", head.status)))
}

impl Stream {
    /// Reads until the end, at the host's pace. Then the connection is closed.
    async fn follow(&mut self, pace: Pace, end: Instant, ledger: &Ledger) {
        if pace == Pace::Stops {
            return tokio::time::sleep_until(end).await;
        }
        while let Ok(read) = tokio::time::timeout_at(end, self.connection.piece(&mut self.body)).await {
            let Ok(Some(piece)) = read else {
                if pace == Pace::All {
                    ledger.wrong("a stream of events ended while its host read it".to_owned());
                }
                return;
            };
            for event in self.events.take(&piece) {
                match self.heard(&event) {
                    Ok(lost) => {
                        ledger.fault(HEARD);
                        ledger.faults(LOST, lost);
                    }
                    Err(problem) => ledger.wrong(problem),
                }
            }
            if pace == Pace::Slowly {
                tokio::time::sleep(SLOW).await;
            }
        }
    }

    /// Takes one event. Returns the number of events that were lost before it.
    fn heard(&mut self, data: &str) -> Result<u64, String> {
        let message: Value =
            serde_json::from_str(data).map_err(|error| format!("an event is not JSON: {error}"))?;
        if message["method"] != "notifications/mgp.event" {
            return Err(format!("a stream of events has {}", message["method"]));
        }
        let params = &message["params"];
        let seq = params["_mgp"]["seq"].as_u64().ok_or("an event has no number")?;
        let lost = params["_mgp"]["dropped"].as_u64().unwrap_or_default();
        let missing = seq.checked_sub(self.seq + 1).ok_or("an event came twice or late")?;
        self.seq = seq;
        // More may have been lost before the kernel.
        if missing > lost { Err("events were lost and not reported".to_owned()) } else { Ok(lost) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn lost_events_must_be_reported_and_none_repeated() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let connection = Connection::open(listener.local_addr().unwrap()).await.unwrap();
        let mut stream =
            Stream { connection, body: wire::Body::default(), events: Events::default(), seq: 0 };
        let mut heard = |seq: u64, dropped: Value| {
            let params = json!({"_mgp": {"seq": seq, "dropped": dropped}});
            stream.heard(&json!({"method": "notifications/mgp.event", "params": params}).to_string())
        };
        assert_eq!(heard(1, Value::Null), Ok(0));
        assert_eq!(heard(5, json!(3)), Ok(3));
        assert!(heard(5, Value::Null).unwrap_err().contains("twice"));
        assert!(heard(8, json!(1)).unwrap_err().contains("not reported"));
    }
}
