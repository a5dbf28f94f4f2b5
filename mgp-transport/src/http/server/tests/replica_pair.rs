//! Two servers that share sessions. Their store and their network are in memory.

use super::Rig;
use crate::{
    http::server::{ForwardError, ForwardToReplica, HttpServerBuilder, ReplicaTarget},
    seam::{BoxError, ReplicaAuthority, ReplicaStore, SessionRecord, StoredSession},
};
use async_trait::async_trait;
use axum::{Router, body::Body};
use bytes::Bytes;
use http::{Request, Response};
use parking_lot::Mutex;
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
};
use tower::ServiceExt;

/// The store that all replicas share, and the network between them.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) routers: Mutex<HashMap<String, Router>>,
    pub(super) gone: Mutex<HashSet<String>>,
    /// The sessions, and whether each was released.
    pub(super) sessions: Mutex<HashMap<String, (StoredSession, bool)>>,
    pub(super) forwarded: AtomicUsize,
    /// True if the store cannot be asked.
    pub(super) is_away: AtomicBool,
    /// True if the store gives no answer.
    pub(super) is_late: AtomicBool,
    /// True if connections break after each request.
    pub(super) breaks: AtomicBool,
    /// True if the answers of the store to a replica that takes a session over are lost.
    pub(super) loses_answers: AtomicBool,
    /// True if a session is taken over only after the store's answer was lost.
    pub(super) is_delayed: AtomicBool,
    /// The sessions that are taken over before the next question about them.
    delayed: Mutex<HashSet<String>>,
    /// True if replicas do not answer each other.
    pub(super) is_silent: AtomicBool,
}

/// One replica's view of the world.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub(super) world: Arc<World>,
    pub(super) id: String,
}

impl View {
    async fn wait(&self) {
        if self.world.is_late.load(SeqCst) {
            std::future::pending::<()>().await;
        }
    }

    fn asked(&self) -> Result<(), BoxError> {
        if self.world.is_away.load(SeqCst) { Err("the store is away".into()) } else { Ok(()) }
    }

    fn on_own(
        &self,
        session: &str,
        epoch: i64,
        change: impl FnOnce(&mut HashMap<String, (StoredSession, bool)>),
    ) -> Result<(), BoxError> {
        self.asked()?;
        let mut sessions = self.world.sessions.lock();
        if sessions.get(session).is_some_and(|(stored, _)| stored.owner == self.id && stored.epoch == epoch) {
            change(&mut sessions);
        }
        Ok(())
    }
}

#[async_trait]
impl ReplicaStore for View {
    fn id(&self) -> &str {
        &self.id
    }

    async fn authority(&self, fresh: ReplicaAuthority) -> Result<ReplicaAuthority, BoxError> {
        Ok(fresh)
    }

    async fn renew(&self, _: &str) -> Result<(), BoxError> {
        self.asked()
    }

    async fn leave(&self) -> Result<(), BoxError> {
        self.wait().await;
        self.world.gone.lock().insert(self.id.clone());
        Ok(())
    }

    async fn address(&self, replica: &str) -> Result<Option<String>, BoxError> {
        self.asked()?;
        Ok((!self.world.gone.lock().contains(replica)).then(|| replica.to_owned()))
    }

    async fn open(&self, session: &str, record: &SessionRecord) -> Result<bool, BoxError> {
        self.asked()?;
        let stored =
            StoredSession { owner: self.id.clone(), epoch: 0, address: None, record: record.clone() };
        self.world.sessions.lock().insert(session.to_owned(), (stored, false));
        Ok(true)
    }

    async fn change(&self, session: &str, epoch: i64, record: &SessionRecord) -> Result<(), BoxError> {
        self.on_own(session, epoch, |sessions| {
            if let Some((stored, _)) = sessions.get_mut(session) {
                stored.record = record.clone();
            }
        })
    }

    async fn find(&self, session: &str) -> Result<Option<StoredSession>, BoxError> {
        self.asked()?;
        self.wait().await;
        let Some((mut stored, is_released)) = self.world.sessions.lock().get(session).cloned() else {
            return Ok(None);
        };
        if !is_released {
            stored.address = ReplicaStore::address(self, &stored.owner).await?;
        }
        Ok(Some(stored))
    }

    async fn take_over(&self, session: &str, from: &StoredSession) -> Result<bool, BoxError> {
        self.asked()?;
        let mut sessions = self.world.sessions.lock();
        let Some((stored, is_released)) = sessions.get_mut(session) else { return Ok(false) };
        if self.world.is_delayed.load(SeqCst) {
            self.world.delayed.lock().insert(session.to_owned());
            return Err("the answer was lost".into());
        }
        if self.world.delayed.lock().remove(session) {
            stored.owner.clone_from(&self.id);
            stored.epoch += 1;
        }
        if (&stored.owner, stored.epoch) != (&from.owner, from.epoch) {
            return Ok(false);
        }
        stored.owner.clone_from(&self.id);
        stored.epoch += 1;
        *is_released = false;
        match self.world.loses_answers.load(SeqCst) {
            true => Err("the answer was lost".into()),
            false => Ok(true),
        }
    }

    async fn release(&self, session: &str, epoch: i64) -> Result<(), BoxError> {
        self.wait().await;
        self.on_own(session, epoch, |sessions| {
            if let Some((_, is_released)) = sessions.get_mut(session) {
                *is_released = true;
            }
        })
    }

    async fn close(&self, session: &str, epoch: i64) -> Result<(), BoxError> {
        self.on_own(session, epoch, |sessions| {
            if sessions.get(session).is_some_and(|(_, is_released)| !is_released) {
                sessions.remove(session);
            }
        })
    }

    async fn owned(&self) -> Result<Vec<(String, i64)>, BoxError> {
        self.asked()?;
        let sessions = self.world.sessions.lock();
        let own =
            sessions.iter().filter(|(_, (stored, is_released))| stored.owner == self.id && !is_released);
        Ok(own.map(|(key, (stored, _))| (key.clone(), stored.epoch)).collect())
    }
}

#[async_trait]
impl ForwardToReplica for View {
    fn address(&self) -> &str {
        &self.id
    }

    async fn forward(
        &self,
        target: &ReplicaTarget,
        request: Request<Bytes>,
    ) -> Result<Response<Body>, ForwardError> {
        self.world.forwarded.fetch_add(1, SeqCst);
        let router = self.world.routers.lock().get(&target.id).cloned();
        let router = router.filter(|_| !self.world.gone.lock().contains(&target.id));
        let router = router.ok_or_else(|| ForwardError::Unreached("nobody is there".into()))?;
        if self.world.is_silent.load(SeqCst) {
            return Err(ForwardError::Silent("nobody answers".into()));
        }
        if self.world.breaks.load(SeqCst) {
            return Err(ForwardError::Lost("the connection broke".into()));
        }
        Ok(router.oneshot(request.map(Body::from)).await.unwrap())
    }
}

/// Two replicas, `a` and `b`.
pub(super) struct Pair {
    pub(super) world: Arc<World>,
    pub(super) a: Rig,
    pub(super) b: Rig,
}

impl Pair {
    pub(super) fn new() -> Self {
        Self::with(|builder| builder, |builder| builder)
    }

    pub(super) fn with(
        set_a: impl FnOnce(HttpServerBuilder) -> HttpServerBuilder,
        set_b: impl FnOnce(HttpServerBuilder) -> HttpServerBuilder,
    ) -> Self {
        let world = Arc::new(World::default());
        let rig = |id: &str, set: Box<dyn FnOnce(HttpServerBuilder) -> HttpServerBuilder + '_>| {
            let view = Arc::new(View { world: world.clone(), id: id.to_owned() });
            let rig = Rig::new(|builder| set(builder.replicas(view.clone(), view)));
            world.routers.lock().insert(id.to_owned(), rig.server.replica_router());
            rig
        };
        let (a, b) = (rig("0a", Box::new(set_a)), rig("0b", Box::new(set_b)));
        Self { world, a, b }
    }

    /// Kills the first replica.
    pub(super) fn kill_a(&self) {
        self.world.gone.lock().insert("0a".to_owned());
    }

    pub(super) fn forwarded(&self) -> usize {
        self.world.forwarded.load(SeqCst)
    }
}
