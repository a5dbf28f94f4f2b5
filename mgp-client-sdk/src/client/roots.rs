//! The notification that the client's roots have changed.

use super::Client;
use crate::handshake::Era;
use mgp_transport::seam::CallError;
use mgp_types::{mcp::RootsListChanged, rpc::Empty};

impl Client {
    /// Tells the server that the list of [`on_roots`](super::ClientBuilder::on_roots) has changed. In the stateless era nothing is
    /// sent: a server asks again with each request.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn roots_changed(&self) -> Result<(), CallError> {
        match self.greeting.era() {
            Era::Initialize => self.peer().notice::<RootsListChanged>(&Empty::default()).await,
            Era::Stateless => Ok(()),
        }
    }
}
