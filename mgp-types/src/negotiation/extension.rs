//! §2.2 The extensions and their spellings.

use std::fmt;

/// A standard extension (§2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Extension {
    /// §3 and §4: permissions and tool security metadata.
    Security,
    /// §5: rules for which agent may use which tool.
    AccessControl,
    /// §6: audit events.
    Audit,
    /// §7: rules for submitted code.
    CodeSafety,
    /// §11: health, shutdown, states.
    Lifecycle,
    /// §12: chunks, progress, cancel.
    Streaming,
    /// §13: events and callbacks.
    Bidirectional,
    /// §15: listing and registering servers.
    Discovery,
    /// §16: finding tools.
    ToolDiscovery,
}

impl Extension {
    /// Every extension, in the order of the specification.
    pub const ALL: [Self; 9] = [
        Self::Security,
        Self::AccessControl,
        Self::Audit,
        Self::CodeSafety,
        Self::Lifecycle,
        Self::Streaming,
        Self::Bidirectional,
        Self::Discovery,
        Self::ToolDiscovery,
    ];

    /// A name of later drafts for §14, which needs no negotiation: it is known, but not an extension.
    pub const ERROR_HANDLING: &'static str = "error_handling";

    /// Returns the name in the specification.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.spellings()[0]
    }

    /// Returns every name: the specification's, then those of later drafts, which split some extensions.
    #[must_use]
    pub const fn spellings(self) -> &'static [&'static str] {
        match self {
            Self::Security => &["security", "permissions", "tool_security"],
            Self::AccessControl => &["access_control"],
            Self::Audit => &["audit"],
            Self::CodeSafety => &["code_safety"],
            Self::Lifecycle => &["lifecycle"],
            Self::Streaming => &["streaming", "progress"],
            Self::Bidirectional => &["bidirectional", "callbacks", "events"],
            Self::Discovery => &["discovery"],
            Self::ToolDiscovery => &["tool_discovery"],
        }
    }

    /// Returns the extension that a name stands for, in whole or in part, or `None` for an unknown name.
    ///
    /// ```
    /// use mgp_types::negotiation::Extension;
    /// assert_eq!(Extension::from_spelling("callbacks"), Some(Extension::Bidirectional));
    /// assert_eq!(Extension::from_spelling("teleport"), None);
    /// ```
    #[must_use]
    pub fn from_spelling(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|extension| extension.spellings().contains(&name))
    }
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
