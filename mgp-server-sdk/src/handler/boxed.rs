//! Handlers whose types are forgotten, and their rounds of questions.

use super::Handler;
use crate::{
    Call, ToolError,
    ask::{Answered, Rounds, Seal},
    needs::Needs,
};
use futures_util::future::{BoxFuture, ready};
use mgp_transport::seam::Incoming;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

/// A handler whose type is forgotten: one box for each call.
pub(crate) struct BoxHandler<T> {
    run: Box<dyn Fn(Call) -> BoxWork<T> + Send + Sync>,
    /// Whether it asks its client.
    asks: bool,
}

/// What a handler does for one call.
pub(crate) type BoxWork<T> = BoxFuture<'static, Result<T, ToolError>>;

/// A handler that runs, and asks its client in rounds where the client's revision has no other way.
pub(crate) struct Running<T> {
    work: BoxWork<T>,
    asking: Option<Box<Asking>>,
}

/// What a round of questions is answered with.
struct Asking {
    rounds: Rounds,
    incoming: Incoming,
    seal: Seal,
}

/// Forgets the type of a handler; `convert` makes what it answers into what the method answers.
pub(crate) fn boxed<H, M, T>(
    handler: H,
    convert: impl Fn(H::Output) -> Result<T, ToolError> + Copy + Send + Sync + 'static,
) -> BoxHandler<T>
where
    H: Handler<M>,
{
    boxed_with(handler, move |_| convert)
}

/// The same where what a call says is needed to convert the answer.
pub(crate) fn boxed_with<H, M, T, C>(
    handler: H,
    converter: impl Fn(&Call) -> C + Send + Sync + 'static,
) -> BoxHandler<T>
where
    H: Handler<M>,
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

impl<T: Send + 'static> BoxHandler<T> {
    /// Starts the handler.
    pub(crate) fn start(&self, mut call: Call) -> Running<T> {
        match self.rounds(&mut call) {
            Ok(rounds) => {
                let asking = rounds.map(|rounds| {
                    let (incoming, seal) = (call.incoming().clone(), call.app().seal.clone());
                    Box::new(Asking { rounds, incoming, seal })
                });
                Running { work: (self.run)(call), asking }
            }
            Err(error) => Running { work: Box::pin(ready(Err(error))), asking: None },
        }
    }

    /// Starts the handler as a task, which is asked in no rounds. What its client has answered already is there.
    pub(crate) fn start_as_task(&self, mut call: Call) -> BoxWork<T> {
        match self.rounds(&mut call) {
            Ok(_) => (self.run)(call),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }

    /// The rounds of a call, where its handler asks and its client is asked in rounds. They are put where the handler finds them.
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

impl<T> Running<T> {
    /// What is left of it: it is asked in no rounds any more.
    pub(crate) fn into_work(self) -> BoxWork<T> {
        self.work
    }
}

impl<T> Future for Running<T> {
    type Output = Result<Answered<T>, ToolError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // First, because a question may come from a task that the handler has started.
        if let Some(asking) = &self.asking {
            asking.rounds.wakes(cx.waker());
        }
        if let Poll::Ready(result) = self.work.as_mut().poll(cx) {
            return Poll::Ready(result.map(Answered::Done));
        }
        match &self.asking {
            Some(asking) if asking.rounds.has_asked() => {
                Poll::Ready(asking.rounds.take(&asking.incoming, &asking.seal).map(Answered::Asks))
            }
            _ => Poll::Pending,
        }
    }
}
