//! `debug_handler!`, and what it calls.

use super::Function;
use crate::extract::FromCall;

/// Checks the function in it to be a handler, so that the compiler points at the argument that is none, and not at the place where
/// a tool is made of it. It changes nothing else, and can be taken away once the function compiles. A function with generic
/// parameters or a `where` clause is not checked, which an error says.
///
/// ```
/// use mgp_server_sdk::{Tool, debug_handler, extract::Args};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Greet {
///     name: String,
/// }
///
/// debug_handler! {
///     /// Greets by name.
///     async fn greet(Args(Greet { name }): Args<Greet>) -> String {
///         format!("hello {name}")
///     }
/// }
/// let tool = Tool::new("greet", "Greets", greet);
/// ```
#[macro_export]
macro_rules! debug_handler {
    // The types of the parameters, one after the other; what stands before a type is its pattern.
    (@arguments) => {};
    (@arguments : $argument:ty, $($rest:tt)*) => {
        $crate::__check::argument::<$argument>();
        $crate::debug_handler!(@arguments $($rest)*);
    };
    (@arguments : $argument:ty) => {
        $crate::__check::argument::<$argument>();
    };
    (@arguments $pattern:tt $($rest:tt)*) => {
        $crate::debug_handler!(@arguments $($rest)*);
    };
    (@generic $name:ident) => {
        compile_error!(concat!(
            "`debug_handler!` checks no function with generic parameters or a `where` clause: write `",
            stringify!($name),
            "` with the types that a tool calls it with"
        ));
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis async fn $name:ident($($parameters:tt)*) $(-> $answer:ty)? $body:block
    ) => {
        $(#[$attribute])*
        $visibility async fn $name($($parameters)*) $(-> $answer)? $body

        const _: () = {
            $crate::debug_handler!(@arguments $($parameters)*);
            $crate::__check::function(&$name);
        };
    };
    ($(#[$attribute:meta])* $visibility:vis async fn $name:ident < $($rest:tt)*) => {
        $crate::debug_handler!(@generic $name);
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis async fn $name:ident($($parameters:tt)*) $(-> $answer:ty)? where $($rest:tt)*
    ) => {
        $crate::debug_handler!(@generic $name);
    };
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident < $($rest:tt)*) => {
        $crate::debug_handler!(@generic $name);
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident($($parameters:tt)*) $(-> $answer:ty)? where $($rest:tt)*
    ) => {
        $crate::debug_handler!(@generic $name);
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident($($parameters:tt)*) $(-> $answer:ty)? $body:block
    ) => {
        $(#[$attribute])*
        $visibility fn $name($($parameters)*) $(-> $answer)? $body

        const _: () = {
            $crate::debug_handler!(@arguments $($parameters)*);
            $crate::__check::plain_function(&$name);
        };
    };
}

/// Checks one argument.
pub const fn argument<T: FromCall + Send + 'static>() {}

/// Checks all of an async function but the arguments.
pub const fn function<F, M>(_: &F)
where
    F: Function<M> + Clone + Send + Sync + 'static,
    F::Answer: Future<Output: Send + 'static> + Send + 'static,
{
}

/// Checks all of a plain function but the arguments and the type of its answer.
pub const fn plain_function<F, M>(_: &F)
where
    F: Function<M, Answer: Send + 'static> + Clone + Send + Sync + 'static,
{
}
