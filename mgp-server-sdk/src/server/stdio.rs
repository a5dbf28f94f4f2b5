//! Serving on this process's stdin and stdout.

use super::{Server, ServerStack};
use crate::Error;
use mgp_transport::stdio;

impl Server {
    /// Builds the server and serves it on stdin and stdout, until stdin ends or `mgp/lifecycle/shutdown` is answered, and the
    /// last call is answered too. Nothing else may write to stdout.
    ///
    /// # Errors
    /// Returns an [`Error`] if the server cannot be built, or the connection fails.
    pub async fn serve_stdio(self) -> Result<(), Error> {
        self.build()?.serve_stdio().await
    }
}

impl ServerStack {
    /// Serves on stdin and stdout. See [`Server::serve_stdio`].
    ///
    /// # Errors
    /// [`Error::Connection`] if the connection fails.
    pub async fn serve_stdio(&self) -> Result<(), Error> {
        self.serve(stdio::connect(self.owner_connection().config(stdio::config()))).await
    }
}
