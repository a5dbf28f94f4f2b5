//! The calls of the last minutes, of each server and of all.

use super::{
    super::outcome::Outcome,
    minutes::{MINUTES, Minutes, Sum},
};
use hashbrown::HashMap;
use mgp_types::lifecycle::{ServerTraffic, TrafficReport};
use parking_lot::{Mutex, RwLock};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The most servers whose calls are counted separately, so that registered servers cannot fill the memory.
const MAX_SERVERS: usize = 1000;

/// The calls of the last minutes. To count one takes two short locks.
#[derive(Debug)]
pub(crate) struct Traffic {
    started: Instant,
    servers: RwLock<HashMap<Arc<str>, Mutex<Minutes>>>,
    /// The calls of unknown tools, and of servers beyond the limit.
    others: Mutex<Minutes>,
}

impl Default for Traffic {
    fn default() -> Self {
        Self { started: Instant::now(), servers: RwLock::default(), others: Mutex::default() }
    }
}

impl Traffic {
    /// Counts a call that ended, with its duration if it reached a server. An unknown tool has an empty server.
    pub(in crate::path::metrics) fn count(
        &self,
        server_id: &Arc<str>,
        now: Instant,
        call: (Outcome, Option<Duration>),
    ) {
        self.count_in(server_id, self.minute(now), call);
    }

    /// Returns the report on the minutes until now.
    pub(crate) fn report(&self, now: Instant) -> TrafficReport {
        self.report_at(self.minute(now))
    }

    fn minute(&self, now: Instant) -> u64 {
        now.saturating_duration_since(self.started).as_secs() / 60
    }

    fn count_in(&self, server_id: &Arc<str>, minute: u64, call: (Outcome, Option<Duration>)) {
        if server_id.is_empty() {
            return self.others.lock().count(minute, call);
        }
        if let Some(minutes) = self.servers.read().get(server_id) {
            return minutes.lock().count(minute, call);
        }
        let mut servers = self.servers.write();
        if servers.len() >= MAX_SERVERS {
            servers.retain(|_, minutes| minutes.get_mut().has_recent(minute));
        }
        if servers.len() < MAX_SERVERS || servers.contains_key(server_id) {
            servers.entry(server_id.clone()).or_default().get_mut().count(minute, call);
        } else {
            drop(servers);
            self.others.lock().count(minute, call);
        }
    }

    fn report_at(&self, now: u64) -> TrafficReport {
        let mut all = Sum::default();
        all.add(&self.others.lock(), now);
        let mut servers = Vec::new();
        for (server_id, minutes) in &*self.servers.read() {
            let minutes = minutes.lock();
            if minutes.has_recent(now) {
                let mut own = Sum::default();
                own.add(&minutes, now);
                all.add(&minutes, now);
                servers.push(ServerTraffic { server_id: server_id.to_string(), sum: own.counts() });
            }
        }
        servers.sort_unstable_by(|one, other| one.server_id.cmp(&other.server_id));
        TrafficReport {
            minutes: (now + 1).min(MINUTES),
            sum: all.counts(),
            refused: all.refused,
            tokens_spared: None,
            servers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::lifecycle::CallCounts;

    const DONE: (Outcome, Option<Duration>) = (Outcome::Success, Some(Duration::from_millis(10)));

    fn id(number: usize) -> Arc<str> {
        format!("server-{number:04}").into()
    }

    #[test]
    fn the_report_has_each_server_and_all_of_them() {
        let traffic = Traffic::default();
        assert_eq!(traffic.report_at(0), TrafficReport { minutes: 1, ..TrafficReport::default() });
        traffic.count_in(&"b".into(), 0, DONE);
        traffic.count_in(&"a".into(), 2, (Outcome::ToolError, Some(Duration::from_millis(10))));
        traffic.count_in(&"a".into(), 2, DONE);
        traffic.count_in(&"".into(), 2, (Outcome::Refused, None));
        let report = traffic.report_at(2);
        assert_eq!((report.minutes, report.refused), (3, 1));
        assert_eq!((report.sum.calls, report.sum.errors), (3, 1));
        let [a, b] = &*report.servers else { panic!("{report:?}") };
        assert_eq!((&*a.server_id, a.sum.calls, a.sum.errors), ("a", 2, 1));
        let sum = CallCounts { calls: 1, errors: 0, p50_ms: Some(11), p95_ms: Some(11) };
        assert_eq!(*b, ServerTraffic { server_id: "b".to_owned(), sum });
        let later = traffic.report_at(MINUTES);
        assert_eq!((later.minutes, later.sum.calls, later.servers.len()), (MINUTES, 2, 1));
    }

    #[test]
    fn servers_beyond_the_limit_are_only_in_the_sum() {
        let traffic = Traffic::default();
        for number in 0..MAX_SERVERS + 5 {
            traffic.count_in(&id(number), 0, DONE);
        }
        let report = traffic.report_at(0);
        assert_eq!((report.servers.len(), report.sum.calls as usize), (MAX_SERVERS, MAX_SERVERS + 5));
        // Those without recent calls make room.
        traffic.count_in(&id(MAX_SERVERS), MINUTES, DONE);
        assert_eq!(traffic.report_at(MINUTES).servers[0].server_id, *id(MAX_SERVERS));
        assert_eq!(traffic.servers.read().len(), 1);
    }
}
