//! The owner's socket, to which guests connect.

use super::guest_service::GuestService;
use crate::upstream::{
    Link, Server,
    shared::{EntryRefusal, GuestMark, Seat, SharedPlace},
};
use mgp_transport::{
    connection::Connection,
    local_socket::{LocalListener, LocalStream},
    seam::Session,
};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::AbortHandle,
};

/// The maximum number of connections to one process, including those of rejected guests.
const MAX_CONNECTIONS: usize = 128;
/// The pause after a failure to accept a connection, for example because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// The socket of an owner. When this value is dropped, all guests are disconnected and no other guest can connect.
#[must_use = "the socket is closed when this is dropped"]
pub(in crate::upstream) struct OwnersDoor {
    place: Arc<SharedPlace>,
    server: Arc<Server>,
    accepting: AbortHandle,
}

impl OwnersDoor {
    /// Listens for guests, if this kernel owns the process. Without a socket, the process only serves this kernel, so a failure is only a
    /// warning.
    pub(in crate::upstream) fn open(seat: Seat, server: &Arc<Server>, link: &Arc<Link>) -> Option<Self> {
        let Seat::Owner(place) = seat else { return None };
        let listener = match place.listen() {
            Ok(listener) => listener,
            Err(error) => {
                tracing::warn!(
                    server = server.id(),
                    %error,
                    "no other kernel can use its process, and none starts one while this kernel has it"
                );
                return None;
            }
        };
        let place = Arc::new(place);
        server.shared.guests.open();
        let accepting = accept(listener, place.clone(), server.clone(), link.clone());
        Some(Self { place, server: server.clone(), accepting: tokio::spawn(accepting).abort_handle() })
    }
}

impl Drop for OwnersDoor {
    fn drop(&mut self) {
        self.accepting.abort();
        self.place.remove_socket();
        self.server.shared.guests.close();
    }
}

/// Serves each connection as a guest.
async fn accept(listener: LocalListener, place: Arc<SharedPlace>, server: Arc<Server>, link: Arc<Link>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let stream = match place.accept(&listener).await {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(server = server.id(), %error, "the connection of another kernel was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Dropping the stream closes the connection.
        let Ok(permit) = places.clone().try_acquire_owned() else {
            tracing::warn!(
                server = server.id(),
                limit = MAX_CONNECTIONS,
                "too many connections to the process that kernels share"
            );
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        serve(stream, &server, &link, permit);
    }
}

/// Serves a guest until its connection is closed.
fn serve(stream: LocalStream, server: &Arc<Server>, link: &Arc<Link>, permit: OwnedSemaphorePermit) {
    // Names the guest in logs.
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let session = Session::new(&format!("guest-{}-{}", server.id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    session.set(GuestMark);
    // A guest that connects while the process is ending gets no greeting, and tries again.
    if !server.shared.guests.note_use() {
        return;
    }
    let service = GuestService::new(server, link);
    let resources = service.resources.clone();
    let pid = stream.process();
    let (input, output) = stream.split();
    let connection = Connection::builder(service).session(session).over(input, output);
    let peer = connection.peer().clone();
    // A guest above the limit stays connected until it has read the error in the answer to its greeting.
    if server.shared.guests.enter(&peer, &resources) == Err(EntryRefusal::Closed) {
        return;
    }
    tracing::info!(server = server.id(), ?pid, "another kernel uses the process too");
    let server = server.clone();
    tokio::spawn(async move {
        connection.closed().await;
        server.shared.guests.leave(&peer);
        drop(permit);
        tracing::info!(server = server.id(), ?pid, "another kernel no longer uses the process");
    });
}

impl fmt::Debug for OwnersDoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnersDoor").field("place", &self.place).finish_non_exhaustive()
    }
}
