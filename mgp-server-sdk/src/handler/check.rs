//! `debug_handler!`, and the functions that it calls.

use super::Function;
use crate::from_call::FromCall;

/// Checks that the function in it is a handler. The compiler then points at the argument that does not fit, instead of at the
/// call that creates the tool. The macro changes nothing else, and can be removed once the function compiles. A function with
/// generic parameters or a `where` clause cannot be checked, and is an error.
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
    // The types of the parameters, one after the other; the tokens before a type are its pattern.
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
            "`debug_handler!` cannot check a function with generic parameters or a `where` clause: write `",
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

/// Checks an async function, except for its arguments.
pub const fn function<F, M>(_: &F)
where
    F: Function<M> + Clone + Send + Sync + 'static,
    F::Answer: Future<Output: Send + 'static> + Send + 'static,
{
}

/// Checks a plain function, except for its arguments and the type of its answer.
pub const fn plain_function<F, M>(_: &F)
where
    F: Function<M, Answer: Send + 'static> + Clone + Send + Sync + 'static,
{
}
