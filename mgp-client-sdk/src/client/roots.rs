//! The notification that the client's roots have changed.

use super::Client;
use mgp_transport::seam::CallError;

impl Client {
    /// Notifies the server that the list of [`on_roots`](super::ClientBuilder::on_roots) has changed. In the stateless era nothing
    /// is sent: a server requests the roots again with each request.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn roots_changed(&self) -> Result<(), CallError> {
        self.caller.session.roots_changed().await
    }
}
