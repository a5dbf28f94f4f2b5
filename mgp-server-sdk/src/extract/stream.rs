//! §12 How a handler speaks before it answers.

use super::FromCall;
use crate::{Call, ToolError};
use mgp_stream::{
    progress::Progress,
    sink::{SinkTaken, StreamSink},
};
use mgp_types::rpc::ErrorObject;
use std::convert::Infallible;

impl FromCall for Progress {
    type Rejection = Infallible;

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        Ok(Self::of(call.incoming()))
    }
}

impl FromCall for StreamSink {
    type Rejection = ToolError;

    async fn from_call(call: &Call) -> Result<Self, ToolError> {
        Self::open(call.incoming()).map_err(|error: SinkTaken| {
            ToolError::protocol(ErrorObject::internal(format!("internal error: {error}")))
        })
    }
}
