//! The trait of all extractors.

use crate::{Call, ToolError, needs::Needs};
use std::future::Future;

/// A type that can be an argument of a handler: a value of the type is read from the call.
///
/// Implement `FromCall` for your own types with an `async fn`:
///
/// ```
/// use mgp_server_sdk::{Call, ToolError, extract::{FromCall, State}};
///
/// /// A connection to a database that handlers share.
/// #[derive(Debug, Clone)]
/// struct Pool;
///
/// struct Connection(Pool);
///
/// impl FromCall for Connection {
///     type Rejection = ToolError;
///     async fn from_call(call: &Call) -> Result<Self, ToolError> {
///         let State(pool) = State::<Pool>::from_call(call).await?;
///         Ok(Connection(pool))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an extractor, so a handler cannot take it",
    label = "not an extractor",
    note = "take the arguments of a call as `Args<T>`, where `T` is a struct, and what `Server::state` was given as `State<T>`",
    note = "the module `mgp_server_sdk::extract` lists all extractors; a type of your own implements `FromCall`"
)]
pub trait FromCall: Sized {
    /// The error returned if the value cannot be read from the call.
    type Rejection: Into<ToolError>;

    /// Declares the extractor's needs from the server.
    fn needs(_needs: &mut Needs) {}

    /// Reads the value from a call.
    fn from_call(call: &Call) -> impl Future<Output = Result<Self, Self::Rejection>> + Send;
}
