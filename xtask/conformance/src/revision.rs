//! The revisions of MCP that the suite is run for.

/// A revision of MCP that the suite has a set of requirements for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Revision {
    V2025_11_25,
    V2026_07_28,
}

impl Revision {
    /// All revisions, the oldest first.
    pub(crate) const ALL: [Self; 2] = [Self::V2025_11_25, Self::V2026_07_28];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_read_as_it_is_written() {
        assert!(
            Revision::ALL.into_iter().all(|revision| Revision::parse(revision.as_str()) == Some(revision))
        );
        assert_eq!(Revision::parse("2024-11-05"), None);
    }
}
