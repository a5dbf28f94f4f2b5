//! The error of building or serving a server.

use mgp_transport::connection::ConnectionError;
use mgp_types::{json::JsonError, permission::InvalidPermission};
use std::fmt;

/// The error returned when a server cannot be built or served.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A tool's name is not one that clients accept.
    #[error("invalid tool name {0:?}: expected 1 to 64 characters of A-Z, a-z, 0-9, `_`, `.`, `/` and `-`")]
    ToolName(String),
    /// Two items of one kind have the same name.
    #[error("duplicate {kind} {name:?}: each needs its own name")]
    Duplicate {
        /// The kind of the items: tool, prompt, resource or resource template.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A tool's schema does not describe an object, or cannot be [checked against](crate::schema).
    #[error("invalid schema of tool {tool:?}: {problem}")]
    Schema {
        /// The tool.
        tool: String,
        /// The problem with the schema.
        problem: String,
    },
    /// A tool's metadata has a value that readers would ignore.
    #[error("invalid metadata of tool {tool:?}: {problem}")]
    Metadata {
        /// The tool.
        tool: String,
        /// The problem with the value.
        problem: String,
    },
    /// A URI template is invalid.
    #[error("invalid URI template {template:?}: {problem}")]
    UriTemplate {
        /// The template.
        template: String,
        /// The problem with the template.
        problem: String,
    },
    /// A completion was set for an argument that does not exist.
    #[error("completion of {argument:?} in {of:?}: expected one of {known:?}")]
    Completion {
        /// The prompt or resource template.
        of: String,
        /// The argument that does not exist.
        argument: String,
        /// The arguments that exist.
        known: Vec<String>,
    },
    /// A handler needs shared state that the server does not have.
    #[error("{of} needs State<{state}>: give the server a value of that type with Server::state")]
    MissingState {
        /// The tool, prompt or resource.
        of: String,
        /// The type of the state.
        state: &'static str,
    },
    /// The name of a channel is not one that clients can subscribe to.
    #[error(transparent)]
    Channel(#[from] mgp_stream::events::InvalidChannel),
    /// A handler publishes events, but the server has no channels.
    #[error("{of} takes Events, but the server has no channels: declare them with Server::channel")]
    MissingChannels {
        /// The tool, prompt or resource.
        of: String,
    },
    /// Two servers have shared state of the same type, and one was merged into the other.
    #[error(
        "two merged servers have State<{state}>: give the value to the server that the others are merged into"
    )]
    MergedState {
        /// The type of the state.
        state: &'static str,
    },
    /// A handler takes an extractor twice that can be taken only once.
    #[error("{of} takes {extractor} twice: {instead}")]
    RepeatedExtractor {
        /// The tool, prompt or resource.
        of: String,
        /// The extractor.
        extractor: &'static str,
        /// The remedy.
        instead: &'static str,
    },
    /// A handler takes an extractor that is only for handlers of another kind.
    #[error("{of} takes {extractor}, which only {owners} can")]
    MisplacedExtractor {
        /// The tool, prompt or resource.
        of: String,
        /// The extractor.
        extractor: &'static str,
        /// The handlers that can take it, in words.
        owners: &'static str,
    },
    /// The declared output type of a tool differs from the type that its handler returns.
    #[error(
        "tool {tool:?} declares the output {declared}, but its handler answers with {returned}: leave out Tool::output, which is \
         found from Json<T>, or declare {returned}"
    )]
    Output {
        /// The tool.
        tool: String,
        /// The type given to `Tool::output`.
        declared: &'static str,
        /// The type in the handler's `Json`.
        returned: &'static str,
    },
    /// The URI of a resource is invalid.
    #[error("invalid URI {uri:?} of a resource: {problem}")]
    Uri {
        /// The text.
        uri: String,
        /// The problem with it.
        problem: String,
    },
    /// The handler of a tool takes a `StartTask`, but the tool does not declare that it can run as a task.
    #[error(
        "tool {0:?} takes a StartTask, but does not run as a task: call Tool::task with TaskSupport::Optional or \
         TaskSupport::Required"
    )]
    StartsNoTask(String),
    /// A name in a list of permissions is invalid.
    #[error(transparent)]
    Permission(#[from] InvalidPermission),
    /// A list or definition cannot be written as JSON.
    #[error("failed to write a definition: {0}")]
    Definition(#[from] JsonError),
    /// A limit is out of its range.
    #[error("invalid {limit}: expected at least 1, found 0")]
    Limit {
        /// The name of the limit.
        limit: &'static str,
    },
    /// The operating system supplies no random bytes for a key.
    #[error("failed to make a key: {0}")]
    Random(std::io::Error),
    /// The server's own state is inconsistent: a bug in this crate.
    #[error("internal error: {0}")]
    State(String),
    /// The connection failed.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The HTTP server failed.
    #[cfg(feature = "http")]
    #[error("failed to serve over HTTP: {0}")]
    Http(#[from] mgp_transport::http::server::ServeError),
}

// A `main` that returns the error prints this form.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
