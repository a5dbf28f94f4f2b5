//! Calls that run in a separate task, so that waiting calls get the answer even if the first caller disconnects.

use futures_util::future::Either;
use mgp_transport::seam::{CallContext, CancelCause, CancelToken, ToolCall};
use std::{convert::Infallible, future::pending, panic::resume_unwind, pin::pin};
use tracing::Instrument;

/// The tokens of a call that outlives its caller. A cancellation by the caller is passed on; the end of its connection is not.
pub(super) struct CancelBridge {
    of_caller: CancelToken,
    of_call: CancelToken,
}

impl CancelBridge {
    /// Gives a call a separate token. Returns `None` if the call has no token, so that nothing can cancel it.
    pub(super) fn of(call: &mut ToolCall) -> Option<Self> {
        let context = call.ext.get_mut::<CallContext>()?;
        let of_call = CancelToken::new();
        // A call whose caller is already gone is not sent.
        if let Some(cause) = context.cancel.cause() {
            of_call.cancel(cause);
        }
        let of_caller = std::mem::replace(&mut context.cancel, of_call.clone());
        Some(Self { of_caller, of_call })
    }

    async fn pass_on(self) -> Infallible {
        self.of_caller.cancelled().await;
        if let Some(cause) = self.of_caller.cause().filter(|cause| *cause != CancelCause::Disconnected) {
            self.of_call.cancel(cause);
        }
        pending().await
    }
}

/// Runs a future in a separate task, and waits for it. If the wait is dropped, the task runs on.
pub(super) async fn run_in_own_task<T: Send + 'static>(
    bridge: Option<CancelBridge>,
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    let mut task = tokio::spawn(work.in_current_span());
    let cancellation = match bridge {
        Some(bridge) => Either::Left(bridge.pass_on()),
        None => Either::Right(pending()),
    };
    let mut cancellation = pin!(cancellation);
    let joined = tokio::select! {
        biased;
        joined = &mut task => joined,
        never = &mut cancellation => match never {},
    };
    match joined.map_err(tokio::task::JoinError::try_into_panic) {
        Ok(done) => done,
        Err(Ok(panic)) => resume_unwind(panic),
        // The task is never aborted, so the runtime ends, and this future with it.
        Err(Err(_)) => pending().await,
    }
}
