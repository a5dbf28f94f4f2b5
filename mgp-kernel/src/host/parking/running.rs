//! The future of a call, which a host's request polls as long as it waits for the call.

use futures_core::future::BoxFuture;
use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::runtime::Handle;

/// A call that runs on the task of its host's request, because a task of its own would be woken for each message. If the request is answered
/// first, the call gets a task.
pub(super) struct RunningCall(Option<BoxFuture<'static, ()>>);

impl RunningCall {
    pub(super) fn new(call: BoxFuture<'static, ()>) -> Self {
        Self(Some(call))
    }

    /// Returns the value for a call that has a task.
    pub(super) const fn elsewhere() -> Self {
        Self(None)
    }
}

/// Is ready once, at the end of the call.
impl Future for RunningCall {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(call) = &mut self.0 else { return Poll::Pending };
        let polled = call.as_mut().poll(cx);
        if polled.is_ready() {
            self.0 = None;
        }
        polled
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        // Without a runtime, the program ends.
        if let (Some(call), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(call);
        }
    }
}

impl fmt::Debug for RunningCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningCall").field("is_here", &self.0.is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::poll_immediate;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn a_call_goes_on_without_its_request() {
        let (go, gone) = oneshot::channel::<()>();
        let (ended, end) = oneshot::channel();
        let call = async move {
            gone.await.unwrap();
            ended.send(tokio::task::try_id().is_some()).unwrap();
        };
        let mut running = RunningCall::new(Box::pin(call));
        assert_eq!(poll_immediate(&mut running).await, None);
        drop(running);
        go.send(()).unwrap();
        assert_eq!(end.await, Ok(true), "it has a task");
    }

    #[tokio::test]
    async fn a_call_ends_once_on_the_task_of_its_request() {
        let (ended, end) = oneshot::channel();
        let call = async move { ended.send(tokio::task::try_id()).unwrap() };
        let mut running = RunningCall::new(Box::pin(call));
        assert_eq!(poll_immediate(&mut running).await, Some(()));
        assert_eq!(poll_immediate(&mut running).await, None);
        assert_eq!(end.await, Ok(tokio::task::try_id()));
    }
}
