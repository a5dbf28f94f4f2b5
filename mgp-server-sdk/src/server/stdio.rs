//! Serving on this process's stdin and stdout.

use super::{Server, ServerStack, stack::EndedBy};
use crate::Error;
use mgp_transport::stdio;

impl Server {
    /// Builds the server and serves it on stdin and stdout, until stdin ends and the last call is answered. Nothing else may
    /// write to stdout.
    ///
    /// After `mgp/lifecycle/shutdown` it does not return: once the last answer is written, the process exits with status 0.
    ///
    /// # Errors
    /// [`Error`]: the server cannot be built, or the connection fails.
    pub async fn serve_stdio(self) -> Result<(), Error> {
        self.build()?.serve_stdio().await
    }
}

impl ServerStack {
    /// Serves on stdin and stdout. See [`Server::serve_stdio`].
    ///
    /// # Errors
    /// [`Error::Connection`] where the connection fails.
    pub async fn serve_stdio(&self) -> Result<(), Error> {
        let connection = stdio::connect(self.connection().config(stdio::config()));
        match self.serve_to_end(connection).await? {
            EndedBy::Close => Ok(()),
            // Stdin is still open, and the thread that reads it cannot be interrupted: the runtime would wait for it.
            EndedBy::Shutdown => std::process::exit(0),
        }
    }
}
