//! Findings about a part of the arguments.

/// A reason not to let a call pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    /// The part asks for a change.
    Harm(&'static str),
    /// It is not known whether the part asks for a change.
    Doubt(&'static str),
}

impl Finding {
    /// Returns the finding as a doubt.
    pub(super) fn doubted(self) -> Self {
        let (Self::Harm(what) | Self::Doubt(what)) = self;
        Self::Doubt(what)
    }
}
