//! Handlers with erased types, and their rounds of questions.

use super::Handler;
use crate::{
    Call, ToolError,
    asking::{Rounds, RunOutcome},
    needs::Needs,
    seal::Seal,
};
use futures_util::future::{BoxFuture, pending, ready};
use mgp_transport::seam::{Incoming, Reply, RouteError};
use serde::Serialize;
use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

/// A handler with an erased type: one box for each call.
pub(crate) struct BoxHandler<T> {
    run: Box<dyn Fn(Call) -> BoxWork<T> + Send + Sync>,
    /// True if the handler asks its client.
    asks: bool,
}

/// The future of a handler that runs for one call.
pub(crate) type BoxWork<T> = BoxFuture<'static, Result<T, ToolError>>;

/// A running handler, which asks its client in rounds if the client's revision requires it.
pub(crate) struct RunningHandler<T> {
    work: BoxWork<T>,
    asking: Option<Box<RoundContext>>,
}

/// The parts that the answer of a round of questions is made of.
struct RoundContext {
    rounds: Rounds,
    incoming: Incoming,
    seal: Seal,
}

/// Returns the reply of a running handler.
pub(crate) async fn replied<T: Serialize>(
    running: impl Future<Output = Result<RunOutcome<T>, ToolError>>,
) -> Result<Reply, RouteError> {
    match running.await {
        Ok(RunOutcome::Done(result)) => Ok(Reply::from_value(&result)),
        Ok(RunOutcome::Asks(required)) => Ok(Reply::ok(required.to_json())),
        Err(error) => Err(error.into_error().into()),
    }
}

/// Erases the type of a handler; `convert` turns the return value of the function into the result of the method.
pub(crate) fn boxed<H, M, R, T>(
    handler: H,
    convert: impl Fn(H::Output) -> Result<T, ToolError> + Copy + Send + Sync + 'static,
) -> BoxHandler<T>
where
    H: Handler<M, R>,
{
    boxed_with(handler, move |_| convert)
}

/// Erases the type of a handler like [`boxed`], if the conversion of the return value depends on the call.
pub(crate) fn boxed_with<H, M, R, T, C>(
    handler: H,
    converter: impl Fn(&Call) -> C + Send + Sync + 'static,
) -> BoxHandler<T>
where
    H: Handler<M, R>,
    C: FnOnce(H::Output) -> Result<T, ToolError> + Send + 'static,
{
    let mut needs = Needs::default();
    H::needs(&mut needs);
    let run = move |call: Call| -> BoxWork<T> {
        let convert = converter(&call);
        let running = handler.run(call);
        Box::pin(async move { convert(running.await?) })
    };
    BoxHandler { run: Box::new(run), asks: needs.needs_asking() }
}

impl<T> fmt::Debug for BoxHandler<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxHandler").field("asks", &self.asks).finish_non_exhaustive()
    }
}

impl<T: Send + 'static> BoxHandler<T> {
    /// Starts the handler.
    pub(crate) fn start(&self, mut call: Call) -> RunningHandler<T> {
        match self.rounds(&mut call) {
            Ok(rounds) => {
                let asking = rounds.map(|rounds| {
                    let (incoming, seal) = (call.incoming().clone(), call.app().seal.clone());
                    Box::new(RoundContext { rounds, incoming, seal })
                });
                RunningHandler { work: (self.run)(call), asking }
            }
            Err(error) => RunningHandler { work: Box::pin(ready(Err(error))), asking: None },
        }
    }

    /// Starts the handler as a task, which does not ask in rounds. The client's answers so far are available to it.
    pub(crate) fn start_as_task(&self, mut call: Call) -> BoxWork<T> {
        match self.rounds(&mut call) {
            Ok(_) => (self.run)(call),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }

    /// Returns the rounds of a call, if the handler asks and the client is asked in rounds, and puts them into the call for the handler.
    fn rounds(&self, call: &mut Call) -> Result<Option<Rounds>, ToolError> {
        if !self.asks {
            return Ok(None);
        }
        let rounds = Rounds::of(call, &call.app().seal)?;
        if let Some(rounds) = &rounds {
            call.extend(rounds.clone());
        }
        Ok(rounds)
    }
}

impl<T: Send + 'static> RunningHandler<T> {
    /// Takes the remaining work, which no longer asks in rounds. This future is pending from then on.
    pub(crate) fn take_work(&mut self) -> BoxWork<T> {
        std::mem::replace(&mut self.work, Box::pin(pending()))
    }
}

impl<T> Future for RunningHandler<T> {
    type Output = Result<RunOutcome<T>, ToolError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // Register the waker first: a question may come from a task that the handler has spawned.
        if let Some(asking) = &self.asking {
            asking.rounds.wakes(cx.waker());
        }
        if let Poll::Ready(result) = self.work.as_mut().poll(cx) {
            return Poll::Ready(result.map(RunOutcome::Done));
        }
        match &self.asking {
            Some(asking) if asking.rounds.has_asked() => {
                Poll::Ready(asking.rounds.take(&asking.incoming, &asking.seal).map(RunOutcome::Asks))
            }
            _ => Poll::Pending,
        }
    }
}
