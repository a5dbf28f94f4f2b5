//! Findings about a command.

use std::borrow::Cow;

/// A reason not to let a command pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// True if the command is known to do harm; false if that is not known.
    pub(super) harmful: bool,
    /// The reason, in a few words.
    pub(super) what: Cow<'static, str>,
}

impl Finding {
    /// Creates a finding of harm.
    pub(super) fn harm(what: impl Into<Cow<'static, str>>) -> Self {
        Self { harmful: true, what: what.into() }
    }

    /// Creates a finding of which nobody knows whether it is harm.
    pub(super) fn doubt(what: impl Into<Cow<'static, str>>) -> Self {
        Self { harmful: false, what: what.into() }
    }
}
