//! What the handlers of a server share.

use super::{FromCall, Needs};
use crate::{Call, ToolError};
use mgp_types::rpc::ErrorObject;
use std::any::type_name;

/// What [`Server::state`](crate::Server::state) was given, by its type. A server without it is refused when it is built.
///
/// Each call gets a clone: put what is large or changes behind an `Arc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct State<T>(pub T);

/// The server has no state of the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingState {
    type_name: &'static str,
}

impl From<MissingState> for ToolError {
    fn from(missing: MissingState) -> Self {
        tracing::error!(state = missing.type_name, "the server was not given the state that a handler needs");
        Self::protocol(ErrorObject::internal("internal error: the server is not set up for this call"))
    }
}

impl<T: Clone + Send + Sync + 'static> FromCall for State<T> {
    type Rejection = MissingState;

    fn needs(needs: &mut Needs) {
        needs.state::<T>();
    }

    async fn from_call(call: &Call) -> Result<Self, MissingState> {
        let missing = MissingState { type_name: type_name::<T>() };
        call.app().states.get::<T>().cloned().map(Self).ok_or(missing)
    }
}
