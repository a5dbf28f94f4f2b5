//! Functions by the number of their arguments, and their return types.

use std::future::Future;

/// A function of up to eight arguments, which are the tuple `M`. The trait does not restrict the types of the arguments.
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

/// The return type of an async function.
#[diagnostic::on_unimplemented(
    message = "a handler is an async function, and this one returns `{Self}`, which is no future",
    label = "not async",
    note = "write `async fn`; what blocks its thread belongs into `tokio::task::spawn_blocking`"
)]
pub trait Work: Future {}

// The message is about handlers, not about this trait.
#[diagnostic::do_not_recommend]
impl<T: Future> Work for T {}

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
