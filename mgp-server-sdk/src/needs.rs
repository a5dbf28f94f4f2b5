//! What a handler's extractors need from the server around it.

use serde_json::Value;
use std::any::{TypeId, type_name};

/// What a handler's extractors need from the server around it. [`FromCall::needs`](crate::extract::FromCall::needs) fills
/// it in, so that a server that lacks something is refused when it is built and not when it is called.
#[derive(Debug, Clone, Default)]
pub struct Needs {
    arguments: Option<Value>,
    logging: bool,
    asking: bool,
    starting_tasks: bool,
    states: Vec<(TypeId, &'static str)>,
}

impl Needs {
    /// Says of which form the arguments are, as a JSON Schema. The first extractor that says so decides.
    pub fn arguments(&mut self, schema: impl FnOnce() -> Value) {
        if self.arguments.is_none() {
            self.arguments = Some(schema());
        }
    }

    /// Says that the handler writes to the client's log.
    pub fn logging(&mut self) {
        self.logging = true;
    }

    /// Says that the handler asks the client (see [`ask`](crate::ask)).
    pub fn asking(&mut self) {
        self.asking = true;
    }

    /// Says that the handler decides when its call becomes a task (see [`task`](crate::task)).
    pub fn starting_tasks(&mut self) {
        self.starting_tasks = true;
    }

    /// Says that the handler needs shared state of a type.
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

    /// The name of the first type of state that is not among those given.
    pub(crate) fn missing_state(&self, given: &[TypeId]) -> Option<&'static str> {
        self.states.iter().find(|(id, _)| !given.contains(id)).map(|(_, name)| *name)
    }
}
