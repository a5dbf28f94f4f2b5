//! What a leg brought at one revision.

use crate::{
    legs::Leg,
    results::{Kind, Scenario},
    revision::Revision,
};

/// What a leg brought at one revision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) leg: Leg,
    pub(crate) revision: Revision,
    pub(crate) scenarios: Vec<Scenario>,
}

impl Outcome {
    /// The scenarios that the revision requires.
    pub(crate) fn scored(&self) -> impl Iterator<Item = &Scenario> {
        self.scenarios.iter().filter(|scenario| scenario.kind == Kind::Scored)
    }

    /// The others.
    pub(crate) fn unscored(&self) -> impl Iterator<Item = &Scenario> {
        self.scenarios.iter().filter(|scenario| scenario.kind != Kind::Scored)
    }
}
