//! The return types of handlers.

use mgp_transport::seam::BoxError;

/// A type that a handler may return: the answer, or a `Result` with it.
///
/// An error that is an [`ErrorObject`](mgp_types::rpc::ErrorObject) reaches the server unchanged; of any other error, the server
/// gets the text.
pub trait IntoAnswer<T>: Send {
    /// Converts the value into the answer.
    ///
    /// # Errors
    /// The error of the handler.
    fn into_answer(self) -> Result<T, BoxError>;
}

impl<T: Send> IntoAnswer<T> for T {
    fn into_answer(self) -> Result<T, BoxError> {
        Ok(self)
    }
}

impl<T: Send, E: Into<BoxError> + Send> IntoAnswer<T> for Result<T, E> {
    fn into_answer(self) -> Result<T, BoxError> {
        self.map_err(Into::into)
    }
}
