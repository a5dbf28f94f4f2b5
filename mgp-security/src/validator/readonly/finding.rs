//! Findings about a part of the arguments.

/// A reason to stop a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    /// The part requests a change.
    Harm(&'static str),
    /// The part may request a change.
    Doubt(&'static str),
}

impl Finding {
    /// Returns the finding as a doubt.
    pub(super) fn doubted(self) -> Self {
        let (Self::Harm(what) | Self::Doubt(what)) = self;
        Self::Doubt(what)
    }
}
