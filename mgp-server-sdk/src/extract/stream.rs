//! §12 The extractors for messages that a handler sends before its answer.

use super::{FromCall, Needs};
use crate::{
    Call, ToolError,
    needs::SingleExtractor,
    task::{Slot, meta_of},
};
use mgp_stream::{
    progress::Progress,
    sink::{SinkTaken, StreamSink},
};
use mgp_transport::seam::{Extensions, Incoming};
use mgp_types::rpc::ErrorObject;
use std::convert::Infallible;

impl FromCall for Progress {
    type Rejection = Infallible;

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        Ok(match call.task_form() {
            None => Self::of(call.incoming()),
            Some(form) if form.is_by_client() => {
                Self::of_task(call.incoming(), meta_of(call).unwrap_or_default().to_json())
            }
            // A task whose client polls it has no progress.
            Some(_) => Self::of(&unheard(call)),
        })
    }
}

impl FromCall for StreamSink {
    type Rejection = ToolError;

    fn needs(needs: &mut Needs) {
        needs.single(SingleExtractor::StreamSink);
    }

    async fn from_call(call: &Call) -> Result<Self, ToolError> {
        // A call that is or may become a task is answered before the first chunk, so its sink keeps the chunks.
        let opened = match call.task_form().is_some() || call.incoming().ext.get::<Slot>().is_some() {
            true => Self::open(&unheard(call)),
            false => Self::open(call.incoming()),
        };
        opened.map_err(|error: SinkTaken| {
            ToolError::protocol(ErrorObject::internal(format!("internal error: {error}")))
        })
    }
}

/// Returns the call as if it had no connection, so that messages about it are dropped.
fn unheard(call: &Call) -> Incoming {
    let Incoming { id, method, params, .. } = call.incoming().clone();
    Incoming { id, method, params, ext: Extensions::new() }
}
