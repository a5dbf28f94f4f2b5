//! Why a server cannot be built or served.

use mgp_transport::connection::ConnectionError;
use mgp_types::{json::JsonError, permission::InvalidPermission};
use std::fmt;

/// Why a server cannot be built or served.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A tool's name is not one that clients take.
    #[error("invalid tool name {0:?}: expected 1 to 64 characters of A-Z, a-z, 0-9, `_`, `.`, `/` and `-`")]
    ToolName(String),
    /// Two things of a kind have the same name.
    #[error("duplicate {kind} {name:?}: each needs a name of its own")]
    Duplicate {
        /// What they are: a tool, prompt, resource or resource template.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A tool's schema does not describe an object, or cannot be [checked against](crate::schema).
    #[error("invalid schema of tool {tool:?}: {problem}")]
    Schema {
        /// The tool.
        tool: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A URI template cannot be matched against.
    #[error("invalid URI template {template:?}: {problem}")]
    UriTemplate {
        /// The template.
        template: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A completion is given for an argument that is not there.
    #[error("completion of {argument:?} in {of:?}: expected one of {known:?}")]
    Completion {
        /// The prompt or resource template.
        of: String,
        /// The argument that is not there.
        argument: String,
        /// Those that are.
        known: Vec<String>,
    },
    /// A handler needs shared state that the server was not given.
    #[error("{of} needs State<{state}>: give the server a value of that type with Server::state")]
    MissingState {
        /// The tool, prompt or resource.
        of: String,
        /// The type of the state.
        state: &'static str,
    },
    /// A handler takes an extractor twice that a call has once.
    #[error("{of} takes {extractor} twice: {instead}")]
    RepeatedExtractor {
        /// The tool, prompt or resource.
        of: String,
        /// The extractor.
        extractor: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// A handler takes an extractor that belongs to handlers of another kind.
    #[error("{of} takes {extractor}, which only {owners} can")]
    MisplacedExtractor {
        /// The tool, prompt or resource.
        of: String,
        /// The extractor.
        extractor: &'static str,
        /// The handlers that can take it, in words.
        owners: &'static str,
    },
    /// A tool says that it answers with another type than its handler does.
    #[error(
        "tool {tool:?} declares the output {declared}, but its handler answers with {returned}: leave out Tool::output, which is \
         found from Json<T>, or declare {returned}"
    )]
    Output {
        /// The tool.
        tool: String,
        /// The type that `Tool::output` was given.
        declared: &'static str,
        /// The type that stands in the handler's `Json`.
        returned: &'static str,
    },
    /// The URI of a resource is none.
    #[error("invalid URI {uri:?} of a resource: {problem}")]
    Uri {
        /// The text.
        uri: String,
        /// The problem with it.
        problem: String,
    },
    /// A tool's handler begins tasks, but the tool does not say that it runs as one.
    #[error(
        "tool {0:?} takes a StartTask, but runs as no task: call Tool::task with TaskSupport::Optional or \
         TaskSupport::Required"
    )]
    StartsNoTask(String),
    /// A name in a list of permissions is none.
    #[error(transparent)]
    Permission(#[from] InvalidPermission),
    /// A list or definition cannot be written as JSON.
    #[error("failed to write a definition: {0}")]
    Definition(#[from] JsonError),
    /// A limit is out of its range.
    #[error("invalid {limit}: expected at least 1, found 0")]
    Limit {
        /// Which limit.
        limit: &'static str,
    },
    /// The operating system gives no random bytes for a key.
    #[error("failed to make a key: {0}")]
    Random(std::io::Error),
    /// The server's own state is not what it must be: a defect here.
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
