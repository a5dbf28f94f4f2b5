//! The needs of a handler's extractors: what the server around the handler must provide.

use serde_json::Value;
use std::any::{TypeId, type_name};

/// An extractor that a handler can take only once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SingleExtractor {
    Args,
    Uri,
    Prefix,
    StreamSink,
    Checkpoint,
    SessionState,
}

/// The kinds of handlers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HandlerKind {
    Tool,
    Resource,
    ResourceTemplate,
    Prompt,
    Completion,
}

impl SingleExtractor {
    fn is_of(self, kind: HandlerKind) -> bool {
        match self {
            Self::Args | Self::StreamSink => true,
            Self::Uri => matches!(kind, HandlerKind::Resource | HandlerKind::ResourceTemplate),
            Self::Prefix => kind == HandlerKind::Completion,
            Self::Checkpoint | Self::SessionState => kind == HandlerKind::Tool,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Args => "Args",
            Self::Uri => "Uri",
            Self::Prefix => "Prefix",
            Self::StreamSink => "StreamSink",
            Self::Checkpoint => "Checkpoint",
            Self::SessionState => "SessionState",
        }
    }

    /// Returns a description of the handlers that can take the extractor.
    pub(crate) const fn owners(self) -> &'static str {
        match self {
            Self::Args | Self::StreamSink => "handlers",
            Self::Uri => "handlers of resources and resource templates",
            Self::Prefix => "handlers that complete an argument",
            Self::Checkpoint | Self::SessionState => "handlers of tools",
        }
    }

    /// Returns advice for a handler that takes the extractor twice.
    pub(crate) const fn instead_of_two(self) -> &'static str {
        match self {
            Self::Args => "take one struct with the fields of both; #[serde(flatten)] puts one into another",
            Self::Uri | Self::Prefix | Self::StreamSink | Self::Checkpoint | Self::SessionState => {
                "take it once"
            }
        }
    }
}

impl HandlerKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::ResourceTemplate => "resource template",
            Self::Prompt => "prompt",
            Self::Completion => "completion of",
        }
    }
}

/// The needs of a handler's extractors: what the server around the handler must provide.
/// [`FromCall::needs`](crate::extract::FromCall::needs) fills them in, so that a server that lacks something fails to build,
/// instead of failing in calls.
#[derive(Debug, Clone, Default)]
pub struct Needs {
    arguments: Option<Value>,
    single: Vec<SingleExtractor>,
    logging: bool,
    asking: bool,
    starting_tasks: bool,
    channels: bool,
    states: Vec<(TypeId, &'static str)>,
}

impl Needs {
    /// Declares the form of the arguments, as a JSON Schema. A handler whose extractors declare two forms is refused when its
    /// server is built, because a call has only one object of arguments.
    pub fn arguments(&mut self, schema: impl FnOnce() -> Value) {
        self.single(SingleExtractor::Args);
        if self.arguments.is_none() {
            self.arguments = Some(schema());
        }
    }

    /// Counts an extractor that a handler can take only once.
    pub(crate) fn single(&mut self, extractor: SingleExtractor) {
        self.single.push(extractor);
    }

    /// Declares that the handler writes to the client's log.
    pub fn logging(&mut self) {
        self.logging = true;
    }

    /// Declares that the handler asks the client (see [`ask`](crate::ask)).
    pub fn asking(&mut self) {
        self.asking = true;
    }

    /// Declares that the handler decides when its call becomes a task (see [`task`](crate::task)).
    pub fn starting_tasks(&mut self) {
        self.starting_tasks = true;
    }

    /// Declares that the handler publishes events (see [`events`](crate::events)).
    pub fn channels(&mut self) {
        self.channels = true;
    }

    /// Declares that the handler needs shared state of a type.
    pub fn state<T: 'static>(&mut self) {
        self.states.push((TypeId::of::<T>(), type_name::<T>()));
    }

    pub(crate) fn schema(&self) -> Option<&Value> {
        self.arguments.as_ref()
    }

    pub(crate) fn needs_logging(&self) -> bool {
        self.logging
    }

    pub(crate) fn needs_asking(&self) -> bool {
        self.asking
    }

    pub(crate) fn needs_starting_tasks(&self) -> bool {
        self.starting_tasks
    }

    pub(crate) fn needs_channels(&self) -> bool {
        self.channels
    }

    pub(crate) fn saves_checkpoints(&self) -> bool {
        self.single.contains(&SingleExtractor::Checkpoint)
    }

    pub(crate) fn keeps_session_state(&self) -> bool {
        self.single.contains(&SingleExtractor::SessionState)
    }

    /// Returns the first extractor that is taken twice.
    pub(crate) fn repeated(&self) -> Option<SingleExtractor> {
        let mut taken = self.single.iter().enumerate();
        taken.find(|(at, extractor)| self.single[..*at].contains(extractor)).map(|(_, extractor)| *extractor)
    }

    /// Returns the first extractor that handlers of a kind cannot take.
    pub(crate) fn misplaced(&self, kind: HandlerKind) -> Option<SingleExtractor> {
        self.single.iter().find(|extractor| !extractor.is_of(kind)).copied()
    }

    /// Returns the name of the first type of state that is not among the given types.
    pub(crate) fn missing_state(&self, given: &[(TypeId, &str)]) -> Option<&'static str> {
        self.states.iter().find(|(id, _)| given.iter().all(|(given, _)| given != id)).map(|(_, name)| *name)
    }
}
