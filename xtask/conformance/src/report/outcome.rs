//! The outcome of a leg at one revision.

use crate::{
    legs::Leg,
    results::{Kind, Scenario},
    revision::Revision,
};

/// The outcome of a leg at one revision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) leg: Leg,
    pub(crate) revision: Revision,
    pub(crate) scenarios: Vec<Scenario>,
}

impl Outcome {
    /// Returns the scenarios that the revision requires.
    pub(crate) fn scored(&self) -> impl Iterator<Item = &Scenario> {
        self.scenarios.iter().filter(|scenario| scenario.kind == Kind::Scored)
    }

    /// Returns the scenarios that the revision does not require.
    pub(crate) fn unscored(&self) -> impl Iterator<Item = &Scenario> {
        self.scenarios.iter().filter(|scenario| scenario.kind != Kind::Scored)
    }
}
