//! The TCP connections that are open: how many there may be, and which one makes room for the next.
//!
//! Anybody can open a connection, so one counts for little until a request on it has authenticated. Unauthenticated
//! connections have a share of the places, and the oldest of them makes room for a new one. The other places belong to
//! authenticated connections, and there the one that is idle for longest makes room.

use super::{config::HttpServerConfig, descriptors, refusal::Refusal};
use crate::sync::lock;
use http::{HeaderMap, HeaderValue, StatusCode, header::CONNECTION};
use mgp_types::error::ErrorCode;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep_until},
};

/// Of how many places one is for unauthenticated connections, where nothing else is configured.
const SHARES: usize = 4;

/// The TCP connections that are open.
#[derive(Debug)]
pub(super) struct Connections {
    limits: Limits,
    start: Instant,
    table: Mutex<Table>,
}

/// The bounds of the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    authenticated: usize,
    unauthenticated: usize,
    /// The time for a request's head on an unauthenticated connection.
    head: Duration,
    /// The time for a request's head on an authenticated one.
    idle: Duration,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    /// By age.
    unauthenticated: BTreeMap<u64, oneshot::Sender<End>>,
    authenticated: HashMap<u64, (Arc<Activity>, oneshot::Sender<End>)>,
}

/// The way in which a connection is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// At once.
    Now,
    /// After the request that is under way.
    AfterRequest,
}

/// The requests of a connection that are under way.
#[derive(Debug, Default)]
struct Activity {
    under_way: AtomicUsize,
    /// The time of the last request's end, in milliseconds since the start.
    idle_since: AtomicU64,
}

/// A TCP connection that has a place. Dropping it gives the place back.
#[derive(Debug)]
pub(super) struct ConnectionPlace {
    connections: Arc<Connections>,
    number: u64,
    activity: Arc<Activity>,
    is_authenticated: AtomicBool,
}

impl Limits {
    /// The limits of a configuration, with no more connections than the process has descriptors for.
    pub(super) fn of(config: &HttpServerConfig) -> Self {
        let connections = descriptors::fitting(config.connections).max(2);
        let share = config.unauthenticated_connections.unwrap_or(connections.div_ceil(SHARES));
        let unauthenticated = share.clamp(1, connections - 1);
        Self {
            authenticated: connections - unauthenticated,
            unauthenticated,
            head: config.head_time_limit,
            idle: config.idle_connection_time_limit,
        }
    }
}

impl Connections {
    pub(super) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, start: Instant::now(), table: Mutex::default() })
    }

    /// Gives a new connection a place, for which the oldest unauthenticated one ends where there is no other.
    pub(super) fn admit(self: &Arc<Self>) -> (Arc<ConnectionPlace>, oneshot::Receiver<End>) {
        let (end, ended) = oneshot::channel();
        let mut table = lock(&self.table);
        if table.unauthenticated.len() >= self.limits.unauthenticated {
            table.end_oldest_unauthenticated();
        }
        let number = table.next;
        table.next += 1;
        table.unauthenticated.insert(number, end);
        drop(table);
        let activity = Arc::new(Activity { idle_since: self.now().into(), ..Activity::default() });
        let is_authenticated = AtomicBool::new(false);
        (Arc::new(ConnectionPlace { connections: self.clone(), number, activity, is_authenticated }), ended)
    }

    /// Ends the oldest unauthenticated connection.
    pub(super) fn end_oldest_unauthenticated(&self) {
        lock(&self.table).end_oldest_unauthenticated();
    }

    /// Ends every connection after the request that is under way.
    pub(super) fn end_all(&self) {
        let mut table = lock(&self.table);
        let unauthenticated = std::mem::take(&mut table.unauthenticated).into_values();
        let authenticated = std::mem::take(&mut table.authenticated).into_values().map(|(_, end)| end);
        for end in unauthenticated.chain(authenticated) {
            let _ = end.send(End::AfterRequest);
        }
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_millis().try_into().unwrap_or(u64::MAX)
    }
}

impl Table {
    fn end_oldest_unauthenticated(&mut self) {
        if let Some((_, end)) = self.unauthenticated.pop_first() {
            let _ = end.send(End::Now);
        }
    }

    /// Takes away the place of the authenticated connection that is idle for longest, if one is idle.
    fn end_idlest(&mut self) -> bool {
        let idle = self.authenticated.iter().filter(|(_, (activity, _))| activity.is_idle());
        let idlest = idle.min_by_key(|(_, (activity, _))| activity.idle_since.load(Ordering::Acquire));
        let idlest = idlest.map(|(number, _)| *number);
        let Some((_, end)) = idlest.and_then(|number| self.authenticated.remove(&number)) else {
            return false;
        };
        let _ = end.send(End::AfterRequest);
        true
    }
}

impl Activity {
    fn is_idle(&self) -> bool {
        self.under_way.load(Ordering::Acquire) == 0
    }
}

impl ConnectionPlace {
    /// Returns whether a request of the connection has authenticated.
    pub(super) fn is_authenticated(&self) -> bool {
        self.is_authenticated.load(Ordering::Acquire)
    }

    /// Notes that a request of the connection has authenticated.
    ///
    /// # Errors
    /// 503 where a request is under way on each authenticated connection that there may be.
    pub(super) fn authenticate(&self) -> Result<(), Refusal> {
        if self.is_authenticated() {
            return Ok(());
        }
        let most = self.connections.limits.authenticated;
        let mut table = lock(&self.connections.table);
        if table.authenticated.len() >= most && !table.end_idlest() {
            return Err(too_many(most));
        }
        // A connection that made room just now serves this request and ends.
        if let Some(end) = table.unauthenticated.remove(&self.number) {
            table.authenticated.insert(self.number, (self.activity.clone(), end));
            self.is_authenticated.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Notes that a request is under way, for as long as what is returned lives.
    pub(super) fn begin(self: &Arc<Self>) -> RequestGuard {
        self.activity.under_way.fetch_add(1, Ordering::AcqRel);
        RequestGuard(self.clone())
    }

    /// Ends when the head of the next request is overdue. While a request is under way, its own limits hold.
    pub(super) async fn overdue(&self) {
        loop {
            let limits = &self.connections.limits;
            let limit = if self.is_authenticated() { limits.idle } else { limits.head };
            let since = Duration::from_millis(self.activity.idle_since.load(Ordering::Acquire));
            let now = Instant::now();
            let deadline = if self.activity.is_idle() {
                self.connections.start.checked_add(since).and_then(|since| since.checked_add(limit))
            } else {
                now.checked_add(limit)
            };
            match deadline {
                Some(deadline) if deadline <= now => return,
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        }
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut table = lock(&self.connections.table);
        table.unauthenticated.remove(&self.number);
        table.authenticated.remove(&self.number);
    }
}

/// A request that is under way on a connection.
#[derive(Debug)]
pub(super) struct RequestGuard(Arc<ConnectionPlace>);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let ConnectionPlace { activity, connections, .. } = &*self.0;
        activity.idle_since.store(connections.now(), Ordering::Release);
        activity.under_way.fetch_sub(1, Ordering::AcqRel);
    }
}

fn too_many(most: usize) -> Refusal {
    let message =
        format!("too many connections: {most} have a request under way, which is the limit (connections)");
    let error = ErrorCode::ResourceExhausted.error(message).to_plain_mcp();
    let headers = HeaderMap::from_iter([(CONNECTION, HeaderValue::from_static("close"))]);
    Refusal { headers: Some(Box::new(headers)), ..Refusal::with(StatusCode::SERVICE_UNAVAILABLE, error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(authenticated: usize, unauthenticated: usize) -> Arc<Connections> {
        let (head, idle) = (Duration::from_secs(10), Duration::from_secs(60));
        Connections::new(Limits { authenticated, unauthenticated, head, idle })
    }

    #[test]
    fn a_quarter_of_the_places_is_for_strangers_and_never_all_or_none() {
        let shares = |connections, unauthenticated_connections| {
            let config =
                HttpServerConfig { connections, unauthenticated_connections, ..HttpServerConfig::default() };
            let limits = Limits::of(&config);
            (limits.authenticated, limits.unauthenticated)
        };
        assert_eq!(shares(64, None), (48, 16));
        assert_eq!(shares(64, Some(10)), (54, 10));
        assert_eq!(shares(64, Some(64)), (1, 63));
        assert_eq!(shares(1, Some(0)), (1, 1));
    }

    #[tokio::test]
    async fn the_oldest_stranger_makes_room_for_a_new_one() {
        let connections = connections(1, 2);
        let (_first, first_end) = connections.admit();
        let (second, mut second_end) = connections.admit();
        second.authenticate().unwrap();
        let (_third, mut third_end) = connections.admit();
        let (_fourth, mut fourth_end) = connections.admit();
        assert_eq!(first_end.await, Ok(End::Now));
        for end in [&mut second_end, &mut third_end, &mut fourth_end] {
            assert!(end.try_recv().is_err());
        }
        drop(_fourth);
        let (_fifth, _) = connections.admit();
        assert!(third_end.try_recv().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn among_callers_the_idlest_makes_room_and_one_with_a_request_never() {
        let connections = connections(2, 2);
        let admit = || {
            let (place, end) = connections.admit();
            place.authenticate().map(|()| (place, end))
        };
        let ((busy, mut busy_end), (idle, mut idle_end)) = (admit().unwrap(), admit().unwrap());
        let request = busy.begin();
        tokio::time::advance(Duration::from_secs(1)).await;
        drop(idle.begin());
        let (third, _third_end) = admit().unwrap();
        assert_eq!(idle_end.try_recv(), Ok(End::AfterRequest));
        assert!(busy_end.try_recv().is_err());
        let other = third.begin();
        let refused = admit().unwrap_err();
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.error.message.contains("too many connections: 2"), "{refused:?}");
        drop(request);
        tokio::time::advance(Duration::from_secs(1)).await;
        drop(other);
        admit().unwrap();
        assert_eq!(busy_end.try_recv(), Ok(End::AfterRequest));
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_is_overdue_some_time_after_the_last_request_and_not_during_one() {
        let connections = connections(1, 1);
        let (place, _end) = connections.admit();
        let start = Instant::now();
        place.overdue().await;
        assert_eq!(start.elapsed().as_secs(), 10);
        let (place, _end) = connections.admit();
        let request = place.begin();
        place.authenticate().unwrap();
        let start = Instant::now();
        let overdue = async {
            place.overdue().await;
            start.elapsed().as_secs()
        };
        let end = async {
            tokio::time::sleep(Duration::from_secs(500)).await;
            drop(request);
        };
        assert_eq!(tokio::join!(overdue, end).0, 560);
    }
}
