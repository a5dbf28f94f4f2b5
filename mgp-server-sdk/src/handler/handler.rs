//! The trait of all handlers.

use super::{Extractors, Function, Work};
use crate::{Call, ToolError, needs::Needs};
use std::future::Future;

/// An async function whose arguments are [extractors](crate::extract): up to eight of them.
///
/// Implemented for functions and closures; nobody implements it by hand. `M` is the tuple of the extractors, which tells
/// functions with different arguments apart.
///
/// If a function is not a handler, the compiler names the argument or the return type that does not fit;
/// [`debug_handler!`](crate::debug_handler) makes the compiler point into the function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler",
    label = "not a handler",
    note = "a handler is an `async fn` that is `Clone + Send + Sync + 'static`, takes at most eight extractors, such as `Args<T>` or \
            `State<T>`, and holds nothing over an `.await` that is not `Send`"
)]
pub trait Handler<M>: Clone + Send + Sync + 'static {
    /// The return type of the function.
    type Output: Send + 'static;

    /// Collects the needs of the extractors.
    fn needs(needs: &mut Needs);

    /// Runs the extractors, then the function.
    fn run(&self, call: Call) -> impl Future<Output = Result<Self::Output, ToolError>> + Send + 'static;
}

impl<F, M> Handler<M> for F
where
    F: Function<M> + Clone + Send + Sync + 'static,
    M: Extractors,
    F::Answer: Work<Output: Send + 'static> + Send + 'static,
{
    type Output = <F::Answer as Future>::Output;

    fn needs(needs: &mut Needs) {
        M::needs(needs);
    }

    fn run(&self, call: Call) -> impl Future<Output = Result<Self::Output, ToolError>> + Send + 'static {
        let function = self.clone();
        async move {
            let extracted = M::from_call(&call).await?;
            drop(call);
            Ok(function.invoke(extracted).await)
        }
    }
}
