//! The attributes that turn plain Rust into handlers and servers.

/// Turns a function into a tool. The doc comment is the description; the function itself is not changed.
///
/// For a function `add`, the attribute adds a type `add`, whose function `tool()` returns the [`Tool`](crate::Tool).
///
/// Options are the setters of [`Tool`](crate::Tool), as `title = "Adding"`, or as `read_only` for `read_only = true`. The option
/// `name` replaces the function's name, and `description` the doc comment.
///
/// ```
/// use mgp_server_sdk::{Server, extract::Args, testing::TestError, tool};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Add {
///     a: f64,
///     b: f64,
/// }
///
/// /// Adds two numbers.
/// #[tool(title = "Adding", read_only)]
/// fn add(Args(Add { a, b }): Args<Add>) -> String {
///     (a + b).to_string()
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), TestError> {
/// let client = Server::new("adder", "1.0.0").tool(add::tool()).test_client().await?;
/// assert_eq!(client.list_tools().await?[0].description.as_deref(), Some("Adds two numbers."));
/// assert_eq!(client.call::<f64>("add", json!({"a": 2, "b": 3})).await?, 5.0);
/// # Ok(()) }
/// ```
pub use mgp_server_sdk_macros::tool;

/// Turns a function into a prompt, as `#[tool]` does for a tool: `review::prompt()` returns the prompt of a function `review`.
/// Options are the setters of [`Prompt`](crate::Prompt); `complete("language", languages)` adds proposals for an argument.
pub use mgp_server_sdk_macros::prompt;

/// Turns a function into a resource, as `#[tool]` does for a tool: `motd::resource()` returns the resource of a function `motd`.
/// The first option is the URI, or the template of URIs, `#[resource("note://{name}")]`; `binary` makes it a resource of bytes.
/// Further options are the setters of [`Resource`](crate::Resource) or [`ResourceTemplate`](crate::ResourceTemplate).
pub use mgp_server_sdk_macros::resource;

/// Turns a type's methods into a server: each method with `#[tool]`, `#[prompt]` or `#[resource("uri")]` is a handler, and
/// handlers share `self`. The methods are not changed, and the type converts `Into<Server>`.
///
/// Options are the setters of [`Server`](crate::Server), and `name` and `version`, which default to those of the package. The doc
/// comment of the `impl` block is the instructions for a model.
///
/// ```
/// use mgp_server_sdk::{Server, extract::Args, server, testing::TestError};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use serde_json::json;
/// use std::sync::atomic::{AtomicI64, Ordering};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Step {
///     by: i64,
/// }
///
/// #[derive(Default)]
/// struct Counter(AtomicI64);
///
/// /// Counts for you.
/// #[server(name = "counter", version = "1.0.0")]
/// impl Counter {
///     /// Adds to the total, and returns it.
///     #[tool]
///     fn count(&self, Args(Step { by }): Args<Step>) -> String {
///         (self.0.fetch_add(by, Ordering::Relaxed) + by).to_string()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), TestError> {
/// let client = Server::from(Counter::default()).test_client().await?;
/// assert_eq!(client.call::<i64>("count", json!({"by": 2})).await?, 2);
/// # Ok(()) }
/// ```
pub use mgp_server_sdk_macros::server;
