//! The open TCP connections: their number, and the choice of the one that makes room for the next.
//!
//! Anybody can open a connection, so a connection has little claim to its place until a request on it has authenticated.
//! Unauthenticated connections have a share of the places. The oldest of them without a request makes room for a new one. A
//! connection whose token takes time to verify stays, and may use half of the share. The other places belong to authenticated
//! connections, and each principal has a part of them. There, the connection that is idle for longest makes room.

use super::{Room, descriptors};
use crate::http::server::{HttpServerConfig, refusal::Refusal};
use http::{HeaderValue, StatusCode, header::CONNECTION};
use mgp_types::context::Principal;
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::{Instant, sleep_until},
};

/// The default share of unauthenticated connections is one place of this many.
const SHARES: usize = 4;

/// The TCP connections that are open.
#[derive(Debug)]
pub(in crate::http::server) struct Connections {
    limits: Limits,
    table: Mutex<Table>,
    /// The tokens on unauthenticated connections that may be verified at once.
    judgements: Arc<Semaphore>,
}

/// The bounds of the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http::server) struct Limits {
    /// The bounds of authenticated connections: of all principals, and of one.
    authenticated: Room,
    unauthenticated: usize,
    /// The time for a request's head on an unauthenticated connection.
    head: Duration,
    /// The time for a request's head on an authenticated connection.
    idle: Duration,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    /// The unauthenticated connections, by age.
    unauthenticated: BTreeMap<u64, OpenConnection>,
    /// The authenticated connections, each with the principal of its last request.
    authenticated: HashMap<u64, (Principal, OpenConnection)>,
    /// True once all connections were asked to end.
    is_ending: bool,
}

/// A connection that is open.
#[derive(Debug)]
struct OpenConnection {
    activity: Arc<Activity>,
    end: oneshot::Sender<End>,
}

/// The way in which a connection is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http::server) enum End {
    /// Ends the connection at once.
    Now,
    /// Ends the connection after the request in progress.
    AfterRequest,
}

/// The requests of a connection in progress.
#[derive(Debug)]
struct Activity {
    under_way: AtomicUsize,
    /// The time of the last request's end, or of the connection's start.
    idle_since: Mutex<Instant>,
}

/// A TCP connection that has a place. Dropping it releases the place.
#[derive(Debug)]
pub(in crate::http::server) struct ConnectionPlace {
    connections: Arc<Connections>,
    number: u64,
    activity: Arc<Activity>,
    is_authenticated: AtomicBool,
}

impl Limits {
    /// Returns the limits of a configuration, with at most as many connections as the process has descriptors for. `several` is
    /// `true` if principals are distinguished.
    pub(in crate::http::server) fn of(config: &HttpServerConfig, several: bool) -> Self {
        let connections = descriptors::fitting(config.connections).max(2);
        let share = config.unauthenticated_connections.unwrap_or(connections.div_ceil(SHARES));
        let unauthenticated = share.clamp(1, connections - 1);
        Self {
            authenticated: Room::new(connections - unauthenticated, config.connections_of_one, several),
            unauthenticated,
            head: config.head_timeout,
            idle: config.idle_connection_timeout,
        }
    }
}

impl Connections {
    pub(in crate::http::server) fn new(limits: Limits) -> Arc<Self> {
        let judgements = Arc::new(Semaphore::new(limits.unauthenticated.div_ceil(2)));
        Arc::new(Self { limits, table: Mutex::default(), judgements })
    }

    /// Gives a new connection a place. If there is none, an unauthenticated connection ends for it.
    pub(in crate::http::server) fn admit(self: &Arc<Self>) -> (Arc<ConnectionPlace>, oneshot::Receiver<End>) {
        let (end, ended) = oneshot::channel();
        let mut table = self.table.lock();
        if table.unauthenticated.len() >= self.limits.unauthenticated {
            table.end_unauthenticated();
        }
        let number = table.next;
        table.next += 1;
        let activity =
            Arc::new(Activity { under_way: AtomicUsize::new(0), idle_since: Mutex::new(Instant::now()) });
        table.unauthenticated.insert(number, OpenConnection { activity: activity.clone(), end });
        drop(table);
        let is_authenticated = AtomicBool::new(false);
        (Arc::new(ConnectionPlace { connections: self.clone(), number, activity, is_authenticated }), ended)
    }

    /// Returns the number of connections on which a request has authenticated, and of the others.
    pub(in crate::http::server) fn count(&self) -> (usize, usize) {
        let table = self.table.lock();
        (table.authenticated.len(), table.unauthenticated.len())
    }

    /// Ends an unauthenticated connection.
    pub(in crate::http::server) fn end_unauthenticated(&self) {
        self.table.lock().end_unauthenticated();
    }

    /// Ends every connection after the request in progress.
    pub(in crate::http::server) fn end_all(&self) {
        let mut table = self.table.lock();
        table.is_ending = true;
        let unauthenticated = std::mem::take(&mut table.unauthenticated).into_values();
        let authenticated = std::mem::take(&mut table.authenticated).into_values().map(|(_, open)| open);
        for open in unauthenticated.chain(authenticated) {
            let _ = open.end.send(End::AfterRequest);
        }
    }
}

impl Table {
    /// Removes the oldest unauthenticated connection without a request in progress, or otherwise the oldest.
    fn end_unauthenticated(&mut self) {
        let idle = self.unauthenticated.iter().find(|(_, open)| open.activity.is_idle());
        let first = idle.or_else(|| self.unauthenticated.first_key_value()).map(|(number, _)| *number);
        if let Some(open) = first.and_then(|number| self.unauthenticated.remove(&number)) {
            let _ = open.end.send(End::Now);
        }
    }

    /// Removes the authenticated connection that is idle for longest, among those of a principal or of all. Returns `false` if
    /// none is idle.
    fn end_idlest(&mut self, of: Option<&Principal>) -> bool {
        let idle = self
            .authenticated
            .iter()
            .filter(|(_, (principal, open))| open.activity.is_idle() && of.is_none_or(|of| of == principal));
        let idlest = idle.min_by_key(|(_, (_, open))| *open.activity.idle_since.lock());
        let idlest = idlest.map(|(number, _)| *number);
        let Some((_, open)) = idlest.and_then(|number| self.authenticated.remove(&number)) else {
            return false;
        };
        let _ = open.end.send(End::AfterRequest);
        true
    }

    /// Makes room for one more connection of a principal among its own, if the principal has a limit.
    fn make_room_of_one(&mut self, principal: &Principal, room: Room) -> Result<(), Refusal> {
        let most = room.of_one;
        let count = || self.authenticated.values().filter(|(owner, _)| owner == principal).count();
        if most >= room.all || count() < most || self.end_idlest(Some(principal)) {
            return Ok(());
        }
        Err(too_many(StatusCode::TOO_MANY_REQUESTS, " of this caller", most, "max_connections_per_agent"))
    }
}

impl Activity {
    fn is_idle(&self) -> bool {
        self.under_way.load(Ordering::Acquire) == 0
    }
}

impl ConnectionPlace {
    /// Returns whether a request of the connection has authenticated.
    fn is_authenticated(&self) -> bool {
        self.is_authenticated.load(Ordering::Acquire)
    }

    /// Takes a permit to verify a token on an unauthenticated connection. The number of permits is limited. An authenticated
    /// connection needs none.
    ///
    /// # Errors
    /// Returns 503 if there is no permit left.
    pub(in crate::http::server) fn judge(&self) -> Result<Option<OwnedSemaphorePermit>, Refusal> {
        if self.is_authenticated() {
            return Ok(None);
        }
        let permit = self.connections.judgements.clone().try_acquire_owned();
        permit.map(Some).map_err(|_| {
            let limit = "the limit of unauthenticated connections (max_unauthenticated_connections)";
            let message = format!("too many tokens are being verified: the most at once is half of {limit}");
            Refusal::no_room(StatusCode::SERVICE_UNAVAILABLE, message)
        })
    }

    /// Records that a request of the connection has authenticated.
    ///
    /// # Errors
    /// Returns 429 if every connection that the principal may have has a request in progress. Returns 503 if every authenticated
    /// connection has one, or if the connection has lost its place.
    pub(in crate::http::server) fn authenticate(&self, principal: &Principal) -> Result<(), Refusal> {
        let room = self.connections.limits.authenticated;
        let mut table = self.connections.table.lock();
        let owner = table.authenticated.get(&self.number).map(|(owner, _)| owner);
        // A connection that was asked to end after this request has no owner either.
        if owner == Some(principal) || owner.is_none() && (self.is_authenticated() || table.is_ending) {
            return Ok(());
        }
        table.make_room_of_one(principal, room)?;
        if let Some((owner, _)) = table.authenticated.get_mut(&self.number) {
            *owner = principal.clone();
            return Ok(());
        }
        if table.authenticated.len() >= room.all && !table.end_idlest(None) {
            return Err(too_many(StatusCode::SERVICE_UNAVAILABLE, "", room.all, "max_connections"));
        }
        let Some(open) = table.unauthenticated.remove(&self.number) else {
            // Its client would not receive the result of the request.
            let message = "the connection made room for another one";
            return Err(Refusal::no_room(StatusCode::SERVICE_UNAVAILABLE, message));
        };
        table.authenticated.insert(self.number, (principal.clone(), open));
        self.is_authenticated.store(true, Ordering::Release);
        Ok(())
    }

    /// Records that a request is in progress until the guard is dropped.
    pub(in crate::http::server) fn begin(self: &Arc<Self>) -> RequestGuard {
        self.activity.under_way.fetch_add(1, Ordering::AcqRel);
        RequestGuard(self.clone())
    }

    /// Ends when the head of the next request is overdue. While a request is in progress, its own limits apply.
    pub(in crate::http::server) async fn overdue(&self) {
        loop {
            let limits = &self.connections.limits;
            let limit = if self.is_authenticated() { limits.idle } else { limits.head };
            let now = Instant::now();
            let since = if self.activity.is_idle() { *self.activity.idle_since.lock() } else { now };
            match since.checked_add(limit) {
                Some(deadline) if deadline <= now => return,
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        }
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut table = self.connections.table.lock();
        table.unauthenticated.remove(&self.number);
        table.authenticated.remove(&self.number);
    }
}

/// A request in progress on a connection.
#[derive(Debug)]
pub(in crate::http::server) struct RequestGuard(Arc<ConnectionPlace>);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let activity = &self.0.activity;
        *activity.idle_since.lock() = Instant::now();
        activity.under_way.fetch_sub(1, Ordering::AcqRel);
    }
}

fn too_many(status: StatusCode, whose: &str, most: usize, key: &str) -> Refusal {
    let message =
        format!("too many connections{whose}: {most} have a request under way, which is the limit ({key})");
    Refusal::no_room(status, message).header(CONNECTION, HeaderValue::from_static("close"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(authenticated: usize, unauthenticated: usize) -> Arc<Connections> {
        let (head, idle) = (Duration::from_secs(10), Duration::from_secs(60));
        let authenticated = Room { all: authenticated, of_one: authenticated };
        Connections::new(Limits { authenticated, unauthenticated, head, idle })
    }

    #[test]
    fn a_quarter_of_the_slots_is_for_strangers() {
        let shares = |connections, unauthenticated_connections| {
            let config =
                HttpServerConfig { connections, unauthenticated_connections, ..HttpServerConfig::default() };
            let limits = Limits::of(&config, false);
            (limits.authenticated.all, limits.unauthenticated)
        };
        assert_eq!(shares(64, None), (48, 16));
        assert_eq!(shares(64, Some(10)), (54, 10));
        assert_eq!(shares(64, Some(64)), (1, 63));
        assert_eq!(shares(1, Some(0)), (1, 1));
        let config = HttpServerConfig { connections: 64, ..HttpServerConfig::default() };
        let of_one = |config: &HttpServerConfig, several| Limits::of(config, several).authenticated.of_one;
        assert_eq!((of_one(&config, true), of_one(&config, false)), (12, 48));
        assert_eq!(of_one(&HttpServerConfig { connections_of_one: Some(5), ..config }, true), 5);
    }

    #[tokio::test]
    async fn a_stranger_with_a_request_is_evicted_last() {
        let connections = connections(2, 2);
        let (judged, mut judged_end) = connections.admit();
        let request = judged.begin();
        let _judgement = judged.judge().unwrap();
        let (second, second_end) = connections.admit();
        let (third, mut third_end) = connections.admit();
        assert_eq!(second_end.await, Ok(End::Now));
        assert!(judged_end.try_recv().is_err());
        let refused = third.judge().unwrap_err();
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.error.message.contains("max_unauthenticated_connections"), "{refused:?}");
        let _other = third.begin();
        let (_fourth, _) = connections.admit();
        assert_eq!(judged_end.try_recv(), Ok(End::Now));
        assert!(third_end.try_recv().is_err());
        let alice = Principal::agent("a");
        assert_eq!(judged.authenticate(&alice).unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE);
        drop(request);
        drop(second);
        // Where all end, what is under way is served.
        connections.end_all();
        assert_eq!(third_end.try_recv(), Ok(End::AfterRequest));
        third.authenticate(&alice).unwrap();
    }

    #[tokio::test]
    async fn the_oldest_stranger_is_evicted_for_a_new_one() {
        let connections = connections(1, 2);
        let (_first, first_end) = connections.admit();
        let (second, mut second_end) = connections.admit();
        second.authenticate(&Principal::agent("a")).unwrap();
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
    async fn the_idlest_caller_without_a_request_is_evicted() {
        let connections = connections(2, 2);
        let admit = || {
            let (place, end) = connections.admit();
            place.authenticate(&Principal::agent("a")).map(|()| (place, end))
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
    async fn a_header_is_overdue_only_between_requests() {
        let connections = connections(1, 1);
        let (place, _end) = connections.admit();
        let start = Instant::now();
        place.overdue().await;
        assert_eq!(start.elapsed().as_secs(), 10);
        let (place, _end) = connections.admit();
        let request = place.begin();
        place.authenticate(&Principal::agent("a")).unwrap();
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
