//! The values that the handlers of a server share.

use super::{FromCall, Needs};
use crate::{Call, ToolError};
use mgp_types::rpc::ErrorObject;
use std::any::type_name;

/// The value of this type that was given to [`Server::state`](crate::Server::state). A server without one fails to build.
///
/// Each call gets a clone: put values that are large, or that change, behind an `Arc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct State<T>(pub T);

/// The error of a call to a server that has no state of the type.
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
