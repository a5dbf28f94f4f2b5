//! Hosts that measure the latency of good servers and lists, and hosts that call the bad servers meanwhile.

use super::{Era, Host, exchange::Response};
use crate::{
    bad_servers,
    comparison::{Latencies, RequestKind},
    ledger::CallEnd,
};
use serde_json::json;
use std::{collections::BTreeSet, ops::Range, time::Duration};
use tokio::time::Instant;

/// The number of calls between two lists.
const CALLS: usize = 8;
/// The bounds of the pause after each request, in milliseconds.
const PAUSE_MS: Range<u64> = 20..60;
/// The bounds of the pause of a host between two calls of bad servers, in milliseconds.
const BAD_PAUSE_MS: Range<u64> = 50..150;
/// The length of an argument of a bad server, in bytes: a few of them fill an unread pipe.
const BAD_TEXT: usize = 32 * 1024;

impl Host {
    /// Opens sessions, lists the tools and calls good servers, repeatedly until the time has passed. Everything must succeed, because
    /// no faults are injected into the good servers meanwhile.
    pub(crate) async fn measure(mut self) -> Latencies {
        let mut latencies = Latencies::default();
        while Instant::now() < self.shared.until {
            if self.era == Era::Sessions {
                let sent = Instant::now();
                let is_open = self.greet().await;
                self.note(&mut latencies, RequestKind::Session, sent.elapsed(), is_open);
            }
            let sent = Instant::now();
            let listed = self.list().await;
            let took = sent.elapsed();
            if let Some(listed) = &listed {
                latencies.add_length(listed.length);
            }
            let is_whole = listed.is_some_and(|listed| self.is_whole(&listed));
            self.note(&mut latencies, RequestKind::List, took, is_whole);
            for _ in 0..CALLS {
                tokio::time::sleep(self.random.millis(PAUSE_MS)).await;
                let sent = Instant::now();
                let is_answered = self.call_good().await;
                self.note(&mut latencies, RequestKind::Call, sent.elapsed(), is_answered);
            }
            self.say_goodbye().await;
        }
        latencies
    }

    fn note(&self, latencies: &mut Latencies, kind: RequestKind, took: Duration, succeeded: bool) {
        if succeeded {
            latencies.add(kind, took);
        } else {
            self.shared.ledger.wrong(format!("failed while nothing was done to it: {}", kind.name()));
        }
    }

    /// Returns whether a list has a tool of each good server.
    fn is_whole(&self, listed: &Response) -> bool {
        let Some(answer) = listed.answers.first() else { return false };
        let tools = answer["result"]["tools"].as_array();
        let names: BTreeSet<_> =
            tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
        self.shared.servers.steady().all(|number| names.contains(&*format!("echo{number}")))
    }

    async fn call_good(&mut self) -> bool {
        let number = self.random.below(self.shared.servers.steady);
        let params = json!({"name": format!("echo{number}"), "arguments": {"text": "soak"}});
        let trace = self.shared.ledger.trace();
        let heard = self.send_call("echo", params, trace).await;
        let end = heard.map_or(CallEnd::Lost, |heard| heard.end());
        self.shared.ledger.call(trace, end);
        end == CallEnd::Result
    }

    /// Calls bad servers until the time has passed. Every call must be answered, whatever the answer is.
    pub(crate) async fn call_bad(mut self) {
        while Instant::now() < self.shared.until {
            if self.era == Era::Sessions && self.session.is_none() && !self.greet().await {
                tokio::time::sleep(self.random.millis(BAD_PAUSE_MS)).await;
                continue;
            }
            let bad = &bad_servers::ALL[self.random.below(bad_servers::ALL.len())];
            let params = json!({"name": bad.tool(), "arguments": {"text": "a".repeat(BAD_TEXT)}});
            let trace = self.shared.ledger.trace();
            let heard = self.send_call("of a bad server", params, trace).await;
            self.shared.ledger.call(trace, heard.map_or(CallEnd::Lost, |heard| heard.end()));
            tokio::time::sleep(self.random.millis(BAD_PAUSE_MS)).await;
        }
        self.say_goodbye().await;
    }
}
