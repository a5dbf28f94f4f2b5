//! The store by which the replicas of a server find each other and each other's sessions.

use super::BoxError;
use async_trait::async_trait;
use std::{fmt, sync::Arc, time::Duration};

/// The interval at which a replica renews its entry.
pub const REPLICA_RENEWAL: Duration = Duration::from_millis(500);

/// The time without a renewal after which a replica serves no sessions, because the others will soon take it for gone.
pub const REPLICA_LAPSE: Duration = Duration::from_millis(1500);

/// The time without a renewal after which the other replicas take a replica for gone, and take over its sessions.
pub const REPLICA_GONE: Duration = Duration::from_secs(2);

/// The longest id of a replica.
const MAX_ID: usize = 64;

/// The certificate and the private key by which replicas recognize each other. All replicas of a store have the same.
#[derive(Clone, PartialEq, Eq)]
pub struct ReplicaAuthority {
    /// The certificate, in DER.
    pub certificate: Vec<u8>,
    /// The private key, in PKCS #8.
    pub key: Vec<u8>,
}

/// The state of a session that another replica needs to continue the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// The caller that opened the session, as a text that differs between callers.
    pub principal: String,
    /// The params of `initialize`, as JSON; `None` for a session that ends with its stream and cannot be taken over.
    pub initialize: Option<String>,
    /// The least severe level of log messages, if the client has set one.
    pub level: Option<String>,
    /// The URIs of the resources to which the client has subscribed.
    pub subscriptions: Vec<String>,
    /// A number that grows with each change of the record.
    pub revision: i64,
}

/// A session in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// The id of the replica that has the session.
    pub owner: String,
    /// The number of times that the session has changed its owner.
    pub epoch: i64,
    /// The address of the owner; `None` if the owner is gone.
    pub address: Option<String>,
    /// The state of the session.
    pub record: SessionRecord,
}

/// The id of this replica, in the session of a host whose calls may be continued through another replica. An opaque state that a host sends back
/// begins with the id, so that any replica finds the owner of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaName(Arc<str>);

impl ReplicaName {
    /// Creates the name of a replica with an id.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self(id.into())
    }

    /// Returns a state that names this replica.
    ///
    /// ```
    /// use mgp_transport::seam::ReplicaName;
    ///
    /// let state = ReplicaName::new("0a1b").put_into("secret");
    /// assert_eq!((state.as_str(), ReplicaName::of_state(&state)), ("0a1b.secret", Some("0a1b")));
    /// assert_eq!(ReplicaName::of_state("a state of another kind"), None);
    /// ```
    #[must_use]
    pub fn put_into(&self, state: &str) -> String {
        format!("{}.{state}", self.0)
    }

    /// Returns the id of the replica that a state names, if it names one.
    #[must_use]
    pub fn of_state(state: &str) -> Option<&str> {
        let (id, _) = state.split_once('.')?;
        let is_id = (1..=MAX_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then_some(id)
    }
}

/// The store that the replicas of a server share. A session is named by the hash of its secret, so that the store does not reveal the secret.
#[async_trait]
pub trait ReplicaStore: fmt::Debug + Send + Sync {
    /// Returns the id of this replica, which no other replica has: hexadecimal digits.
    fn id(&self) -> &str;

    /// Keeps an authority if there is none yet. Returns the authority that is kept.
    async fn authority(&self, fresh: ReplicaAuthority) -> Result<ReplicaAuthority, BoxError>;

    /// Adds the entry of this replica with its address, or renews the entry.
    async fn renew(&self, address: &str) -> Result<(), BoxError>;

    /// Marks this replica as gone.
    async fn leave(&self) -> Result<(), BoxError>;

    /// Returns the address of a replica; `None` if it is gone.
    async fn address(&self, replica: &str) -> Result<Option<String>, BoxError>;

    /// Adds a session of this replica. Returns `false` if the store has no room for more sessions.
    async fn open(&self, session: &str, record: &SessionRecord) -> Result<bool, BoxError>;

    /// Changes the record of a session of this replica, unless a later revision is stored.
    async fn change(&self, session: &str, epoch: i64, record: &SessionRecord) -> Result<(), BoxError>;

    /// Returns a session.
    async fn find(&self, session: &str) -> Result<Option<StoredSession>, BoxError>;

    /// Makes this replica the owner of a session, in the next epoch. Returns `false` if the session has another owner or epoch by now, or if
    /// its owner is not gone.
    async fn take_over(&self, session: &str, from: &StoredSession) -> Result<bool, BoxError>;

    /// Gives up a session of this replica, so that another replica can take it over at once.
    async fn release(&self, session: &str, epoch: i64) -> Result<(), BoxError>;

    /// Removes a session of this replica, which has ended. A released session stays.
    async fn close(&self, session: &str, epoch: i64) -> Result<(), BoxError>;

    /// Returns the sessions of this replica, and the epoch of each.
    async fn owned(&self) -> Result<Vec<(String, i64)>, BoxError>;
}

impl fmt::Debug for ReplicaAuthority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplicaAuthority").finish_non_exhaustive()
    }
}
