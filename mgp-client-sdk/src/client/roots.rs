//! Telling the server that the client's roots are others now.

use super::Client;
use crate::handshake::Era;
use mgp_transport::seam::CallError;
use mgp_types::{mcp::RootsListChanged, rpc::Empty};

impl Client {
    /// Tells the server that what [`on_roots`](super::ClientBuilder::on_roots) answers is another list now. In the stateless era
    /// there is nobody to tell: a server asks anew with each request.
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
