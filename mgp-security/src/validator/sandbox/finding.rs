//! Findings about a command.

use std::borrow::Cow;

/// A reason to stop a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// True if the command is known to do harm; false if it may.
    pub(super) harmful: bool,
    /// The reason, in a few words.
    pub(super) what: Cow<'static, str>,
}

impl Finding {
    /// Creates a finding of harm.
    pub(super) fn harm(what: impl Into<Cow<'static, str>>) -> Self {
        Self { harmful: true, what: what.into() }
    }

    /// Creates a finding of possible harm.
    pub(super) fn doubt(what: impl Into<Cow<'static, str>>) -> Self {
        Self { harmful: false, what: what.into() }
    }
}
