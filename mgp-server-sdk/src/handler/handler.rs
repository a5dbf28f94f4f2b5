//! The trait of all handlers.

use super::{Extractors, Function, Work};
use crate::{Call, ToolError, needs::Needs};
use mgp_types::mcp::CallToolResult;
use std::future::Future;

/// A function whose arguments are [extractors](crate::extract), up to eight of them: an async one, or a plain one that returns at
/// once.
///
/// Implemented for functions and closures, and not meant to be implemented by hand. `M` distinguishes functions with different
/// arguments; `R` is the result of the method that the function answers.
///
/// A plain function runs on the thread of its connection. A function that blocks or computes for long belongs into
/// `tokio::task::spawn_blocking`.
///
/// If a function is not a handler, the compiler names the argument or the return type that does not fit;
/// [`debug_handler!`](crate::debug_handler) makes the compiler point into the function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler",
    label = "not a handler",
    note = "a handler is a function that is `Clone + Send + Sync + 'static`, takes at most eight extractors, such as `Args<T>` or \
            `State<T>`, and holds nothing over an `.await` that is not `Send`"
)]
pub trait Handler<M, R = CallToolResult>: Clone + Send + Sync + 'static {
    /// The return type of the function.
    type Output: Send + 'static;

    /// Collects the needs of the extractors.
    fn needs(needs: &mut Needs);

    /// Runs the extractors, then the function.
    fn run(&self, call: Call) -> impl Future<Output = Result<Self::Output, ToolError>> + Send + 'static;
}

impl<F, M, R, W> Handler<(W, M), R> for F
where
    F: Function<M> + Clone + Send + Sync + 'static,
    M: Extractors,
    F::Answer: Work<R, W, Output: Send + 'static, Future: Send> + Send + 'static,
{
    type Output = <F::Answer as Work<R, W>>::Output;

    fn needs(needs: &mut Needs) {
        M::needs(needs);
    }

    fn run(&self, call: Call) -> impl Future<Output = Result<Self::Output, ToolError>> + Send + 'static {
        let function = self.clone();
        async move {
            let extracted = M::from_call(&call).await?;
            drop(call);
            Ok(function.invoke(extracted).start().await)
        }
    }
}
