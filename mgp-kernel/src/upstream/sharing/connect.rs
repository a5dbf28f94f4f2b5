//! Connects to a shared process: through the kernel that owns it, or by starting it.

use super::digest::name_of;
use crate::upstream::{
    Server, confined,
    ending::after,
    inbound::Inbound,
    shared::{Entry, Seat, SharedPlace},
};
use mgp_client_sdk::session::{
    AgreedConnection, ConnectError, HandshakeError, Hello, ServerConnection, greet_unasked,
};
use mgp_security::confine::GrantedPermission;
use mgp_transport::{child::ChildCommand, connection::Builder, local_socket::own_account, seam::CallError};
use std::{io, path::Path, sync::Arc, time::Duration};
use tokio::time::{Instant, timeout_at};

/// The pause after an owner has closed the connection during a handshake.
const PAUSE: Duration = Duration::from_millis(50);

/// Connects to the process of a shared server within `limit`, as a guest or as the owner. Returns `None` if kernels cannot share here. Then
/// this kernel uses the server without sharing.
///
/// # Errors
/// The reason why the server cannot be reached.
pub(in crate::upstream) async fn connect(
    server: &Arc<Server>,
    builder: &(dyn Fn() -> Builder<Inbound> + Sync),
    command: &ChildCommand,
    hello: &Hello,
    limit: Duration,
) -> Result<Option<(AgreedConnection, Seat)>, String> {
    let Some(state_folder) = server.spec.kernel_files.state_folder.as_deref() else { return Ok(None) };
    let granted_now = || confined::granted(&server.spec, &server.rights.permissions);
    // The name and the process depend on the same approvals.
    let granted = granted_now();
    let place = match place(server, command, &granted, state_folder) {
        Ok(place) => place,
        Err(error) => {
            tracing::warn!(server = server.id(), %error, "not shared: this kernel starts its own process");
            return Ok(None);
        }
    };
    let end = after(limit);
    loop {
        let entry = timeout_at(end, place.enter()).await;
        let entry = entry.map_err(|_| {
            format!(
                "waited {limit:?} for another kernel, which was starting or ending the process that it shares"
            )
        })?;
        let left = end.saturating_duration_since(Instant::now());
        match entry.map_err(|error| format!("the process is shared and cannot be reached: {error}"))? {
            Entry::Guest(stream) => {
                let owner_pid = stream.process();
                let (input, output) = stream.split();
                server.shared.greets();
                let connection = ServerConnection::over(builder().over(input, output));
                match greet_unasked(connection, hello.clone(), left).await {
                    Ok(agreed) => {
                        server.start_grants.note(granted);
                        return Ok(Some((agreed, Seat::Guest { owner_pid })));
                    }
                    Err(error) if is_lost(&error) => tokio::time::sleep(PAUSE).await,
                    Err(error) => return Err(error.to_string()),
                }
            }
            Entry::Owner(turn) => {
                if granted_now() != granted {
                    // A permission was approved or revoked during the wait, so the process and its name are
                    // different.
                    drop(turn);
                    return Box::pin(connect(server, builder, command, hello, left)).await;
                }
                let command =
                    server.start_grants.confine(&server.spec, command, granted, &server.rights.trail);
                let connection =
                    ServerConnection::child(&command, builder()).await.map_err(|error| error.to_string())?;
                let agreed = greet_unasked(connection, hello.clone(), left).await;
                let mut agreed = agreed.map_err(|error| error.to_string())?;
                agreed.connection.hold(turn);
                return Ok(Some((agreed, Seat::Owner(place))));
            }
        }
    }
}

fn place(
    server: &Server,
    command: &ChildCommand,
    granted: &[GrantedPermission],
    state_folder: &Path,
) -> io::Result<SharedPlace> {
    let account = own_account()?;
    SharedPlace::new(state_folder, name_of(&server.spec, command, granted, account), account)
}

/// Returns whether the owner closed the connection: it ends the process, or its kernel is gone.
fn is_lost(error: &ConnectError) -> bool {
    matches!(
        error,
        ConnectError::Handshake(HandshakeError::Call(CallError::Connection(_) | CallError::Lost(_)))
    )
}
