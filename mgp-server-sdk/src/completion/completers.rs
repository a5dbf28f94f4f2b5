//! The functions that complete arguments.

use crate::{
    Error, IntoCompletion,
    handler::{self, BoxHandler, Handler},
    needs::Needs,
};
use mgp_types::mcp::Completion;
use std::collections::HashMap;

/// The functions that complete the arguments of one prompt, or the variables of one template.
#[derive(Debug, Default)]
pub(crate) struct Completers(HashMap<String, (BoxHandler<Completion>, Needs)>);

impl Completers {
    /// Adds a function for an argument; a later one replaces it.
    pub(crate) fn add<H, M>(&mut self, argument: String, handler: H)
    where
        H: Handler<M, Completion, Output: IntoCompletion>,
    {
        let mut needs = Needs::default();
        H::needs(&mut needs);
        self.0.insert(argument, (handler::boxed(handler, IntoCompletion::into_completion), needs));
    }

    /// Returns the function that completes an argument, if there is one.
    pub(crate) fn find(&self, argument: &str) -> Option<&BoxHandler<Completion>> {
        self.0.get(argument).map(|(handler, _)| handler)
    }

    /// Returns the needs of each function.
    pub(crate) fn needs(&self) -> impl Iterator<Item = &Needs> {
        self.0.values().map(|(_, needs)| needs)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks that each function completes an argument that exists.
    pub(crate) fn check<'a>(&self, of: &str, known: impl Iterator<Item = &'a str>) -> Result<(), Error> {
        let known: Vec<String> = known.map(str::to_owned).collect();
        match self.0.keys().find(|argument| !known.contains(argument)) {
            None => Ok(()),
            Some(argument) => Err(Error::Completion { of: of.to_owned(), argument: argument.clone(), known }),
        }
    }
}
