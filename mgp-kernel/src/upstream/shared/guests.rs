//! The guests of an owner, and the server's notifications to them.

use crate::upstream::{LOG_TIMEOUT, WatchGuard};
use futures_util::future::join_all;
use mgp_transport::seam::{CallError, Incoming, Peer};
use mgp_types::{
    mcp::{
        ElicitationComplete, PromptListChanged, ResourceListChanged, ResourceUpdated, ToolListChanged,
        tasks::{core::TaskStatusChanged, extension::TaskChanged},
    },
    rpc::{ErrorObject, Method, Notice, RawParams, RawResult},
};
use parking_lot::Mutex;
use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

/// The resources that a guest watches through the owner.
pub(in crate::upstream) type GuestResources = Arc<Mutex<BTreeMap<String, WatchGuard>>>;

/// The maximum number of guests of one process.
#[cfg(all(unix, feature = "child"))]
const MAX_GUESTS: usize = 64;

/// The notifications for every kernel that uses the server.
const FOR_ALL: [&str; 7] = [
    ToolListChanged::METHOD,
    PromptListChanged::METHOD,
    ResourceListChanged::METHOD,
    ResourceUpdated::METHOD,
    TaskStatusChanged::METHOD,
    TaskChanged::METHOD,
    ElicitationComplete::METHOD,
];

/// The notification with which an owner announces the end of the process to its guests. It is sent between kernels. If a server sends it, it is
/// not forwarded.
pub(in crate::upstream) const OWNER_LEAVES: &str = "notifications/dev.cloto.shared.owner_leaves";

/// The mark of a guest's session.
#[derive(Debug, Clone, Copy)]
pub(in crate::upstream) struct GuestMark;

/// Returns whether a caller of a server is another kernel.
pub(crate) fn is_guest(peer: &Peer) -> bool {
    peer.session().has::<GuestMark>()
}

/// The other kernels that use a server's process through this one.
#[derive(Default)]
pub(crate) struct Guests(Mutex<GuestList>);

#[derive(Default)]
struct GuestList {
    is_open: bool,
    /// True once a guest has used the process.
    were_there: bool,
    guests: Vec<Guest>,
}

/// A kernel that uses the process through this one.
#[derive(Clone)]
struct Guest {
    peer: Peer,
    resources: GuestResources,
}

/// The reason why a guest is not admitted.
#[cfg(all(unix, feature = "child"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(in crate::upstream) enum EntryRefusal {
    /// The owner is ending the process.
    #[error("this kernel ends the process")]
    Closed,
    /// There are too many guests.
    #[error("{MAX_GUESTS} other kernels use the process already")]
    Full,
}

#[cfg(all(unix, feature = "child"))]
impl GuestList {
    fn has(&self, peer: &Peer) -> bool {
        self.guests.iter().any(|guest| guest.peer.is_same_connection(peer))
    }
}

impl Guests {
    /// Admits guests to a new process.
    #[cfg(all(unix, feature = "child"))]
    pub(in crate::upstream) fn open(&self) {
        *self.0.lock() = GuestList { is_open: true, ..GuestList::default() };
    }

    /// Closes the connections of all guests, and admits no more.
    #[cfg(all(unix, feature = "child"))]
    pub(in crate::upstream) fn close(&self) {
        let mut list = self.0.lock();
        list.is_open = false;
        list.guests.drain(..).for_each(|guest| guest.peer.close());
    }

    /// Notes that a guest is about to use the process. Returns whether guests are admitted.
    #[cfg(all(unix, feature = "child"))]
    pub(in crate::upstream) fn note_use(&self) -> bool {
        let mut list = self.0.lock();
        list.were_there |= list.is_open;
        list.is_open
    }

    /// Returns whether another kernel uses the process or has used it before.
    pub(crate) fn were_there(&self) -> bool {
        self.0.lock().were_there
    }

    /// Admits a guest, once.
    ///
    /// # Errors
    /// The reason why the guest is not admitted.
    #[cfg(all(unix, feature = "child"))]
    pub(in crate::upstream) fn enter(
        &self,
        peer: &Peer,
        resources: &GuestResources,
    ) -> Result<(), EntryRefusal> {
        let mut list = self.0.lock();
        if !list.is_open {
            return Err(EntryRefusal::Closed);
        }
        if list.has(peer) {
            return Ok(());
        }
        if list.guests.len() >= MAX_GUESTS {
            return Err(EntryRefusal::Full);
        }
        list.guests.push(Guest { peer: peer.clone(), resources: resources.clone() });
        Ok(())
    }

    /// Returns whether a guest was admitted.
    #[cfg(all(unix, feature = "child"))]
    pub(in crate::upstream) fn has(&self, peer: &Peer) -> bool {
        self.0.lock().has(peer)
    }

    /// Forgets a guest whose connection is closed.
    #[cfg(all(unix, feature = "child"))]
    pub(in crate::upstream) fn leave(&self, peer: &Peer) {
        self.0.lock().guests.retain(|guest| !guest.peer.is_same_connection(peer));
    }

    /// Returns the number of guests.
    pub(super) fn count(&self) -> usize {
        self.0.lock().guests.len()
    }

    /// Returns whether another kernel uses the process.
    pub(crate) fn are_there(&self) -> bool {
        !self.0.lock().guests.is_empty()
    }

    /// Notifies every guest of a change that the server announces. A guest that does not accept it in time is disconnected, because it
    /// would delay all others.
    pub(in crate::upstream) async fn pass_on(&self, message: &Incoming) {
        if !FOR_ALL.contains(&&*message.method) || !self.are_there() {
            return;
        }
        let uri = if *message.method == *ResourceUpdated::METHOD { uri_of(message) } else { None };
        let wants = |guest: &Guest| uri.as_ref().is_none_or(|uri| guest.resources.lock().contains_key(uri));
        let guests: Vec<_> = self.0.lock().guests.iter().filter(|guest| wants(guest)).cloned().collect();
        tell_all(&guests, &message.method, &message.params).await;
    }

    /// Makes every guest leave because this kernel is ending the process. Each waits for its running calls, takes no new ones, and looks for
    /// the next process. No other guest is admitted. Returns once all guests have left, or the time limit has passed.
    pub(in crate::upstream) async fn dismiss(&self, limit: Duration) {
        let guests = {
            let mut list = self.0.lock();
            list.is_open = false;
            list.guests.clone()
        };
        let leaving = async {
            tell_all(&guests, &Method::known(OWNER_LEAVES), &RawParams::none()).await;
            join_all(guests.iter().map(|guest| guest.peer.closed())).await;
        };
        if tokio::time::timeout(limit, leaving).await.is_err() {
            tracing::warn!(
                ?limit,
                "kernels that share a server still had calls running when the time limit passed"
            );
        }
    }
}

/// Sends a notification to all guests concurrently.
async fn tell_all(guests: &[Guest], method: &Method, params: &RawParams) {
    let telling = guests.iter().map(async |guest| {
        if !tell(&guest.peer, method.clone(), params.clone()).await {
            tracing::warn!(
                session = guest.peer.session().id(),
                "a kernel that shares a server did not accept a notification"
            );
            guest.peer.close();
        }
    });
    join_all(telling).await;
}

fn uri_of(message: &Incoming) -> Option<String> {
    message.params.object().ok()?.text("uri")
}

/// Sends a notification to a guest. Returns whether the guest accepted it in time.
async fn tell(guest: &Peer, method: Method, params: RawParams) -> bool {
    matches!(tokio::time::timeout(LOG_TIMEOUT, guest.notify(method, params)).await, Ok(Ok(())))
}

/// Forwards a question of the server unchanged to the guest of its call. The guest's kernel asks its host.
pub(crate) async fn ask_guest(
    guest: &Peer,
    method: &Method,
    params: RawParams,
) -> Result<RawResult, ErrorObject> {
    match guest.unbound().request_raw(method.clone(), params).await {
        Ok(answer) => Ok(answer),
        Err(CallError::Peer(error)) => Err(error),
        Err(error) => {
            Err(ErrorObject::invalid_request(format!("the kernel of the call cannot be asked: {error}")))
        }
    }
}

impl fmt::Debug for Guests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Guests").field(&self.count()).finish()
    }
}
