//! What a handler may return.

use mgp_transport::seam::BoxError;

/// What a handler may return: the answer, or a `Result` with it.
///
/// An error that is an [`ErrorObject`](mgp_types::rpc::ErrorObject) reaches the server as it is; of another one, the server is told
/// the text.
pub trait IntoAnswer<T>: Send {
    /// The answer, or why there is none.
    ///
    /// # Errors
    /// The handler's own.
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
