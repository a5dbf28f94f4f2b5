//! Functions by the number of their arguments, and their return types.

use crate::{IntoCompletion, IntoPrompt, IntoResource, IntoToolResult};
use mgp_types::mcp::{CallToolResult, Completion, GetPromptResult, ReadResourceResult};
use std::future::{Future, Ready, ready};

/// A function of up to eight arguments, in the tuple `M`. The trait does not restrict the types of the arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler: expected a function of at most eight arguments",
    label = "not a function of at most eight arguments",
    note = "take the arguments of a call as the fields of one struct, `Args<T>`, and values that handlers share as those of one \
            `State<T>`"
)]
pub trait Function<M> {
    /// The return type of the function: a future, if the function is async.
    type Answer;

    /// Calls the function.
    fn invoke(&self, arguments: M) -> Self::Answer;
}

/// The return type of a function whose handler has the result `R`: a future, or the answer itself. `W` distinguishes the two.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a future nor an answer of this handler",
    label = "not an answer",
    note = "write `async fn`, or return what the handler can answer with: a tool `IntoToolResult`, a resource `IntoResource`, a \
            prompt `IntoPrompt`, a completion `IntoCompletion`",
    note = "a tool answers with `Json<T>` or `Outcome<T>` if `T` implements `serde::Serialize` and `schemars::JsonSchema`"
)]
pub trait Work<R, W> {
    /// The answer of the function.
    type Output;
    /// The future of the answer.
    type Future: Future<Output = Self::Output>;

    /// Starts the work.
    fn start(self) -> Self::Future;
}

/// The mark of async functions.
#[derive(Debug)]
pub struct Async;

/// The mark of functions that are not async.
#[derive(Debug)]
pub struct Plain;

// The message is about handlers, not about this trait.
#[diagnostic::do_not_recommend]
impl<R, T: Future> Work<R, Async> for T {
    type Output = T::Output;
    type Future = T;

    fn start(self) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<R, T: Answer<R>> Work<R, Plain> for T {
    type Output = T;
    type Future = Ready<T>;

    fn start(self) -> Ready<T> {
        ready(self)
    }
}

/// A type that converts into the result `R`.
pub trait Answer<R> {}

impl<T: IntoToolResult> Answer<CallToolResult> for T {}
impl<T: IntoResource> Answer<ReadResourceResult> for T {}
impl<T: IntoPrompt> Answer<GetPromptResult> for T {}
impl<T: IntoCompletion> Answer<Completion> for T {}

macro_rules! function {
    ($($argument:ident $value:ident),*) => {
        impl<F, R, $($argument),*> Function<($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> R,
        {
            type Answer = R;

            fn invoke(&self, ($($value,)*): ($($argument,)*)) -> R {
                self($($value),*)
            }
        }
    };
}

function!();
function!(A a);
function!(A a, B b);
function!(A a, B b, C c);
function!(A a, B b, C c, D d);
function!(A a, B b, C c, D d, E e);
function!(A a, B b, C c, D d, E e, G g);
function!(A a, B b, C c, D d, E e, G g, H h);
function!(A a, B b, C c, D d, E e, G g, H h, I i);
