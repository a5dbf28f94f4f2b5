//! §2.2 The extensions and their spellings.

use super::ExtensionSet;
use std::fmt;

/// An extension: those of the specification (§2.2), and later ones.
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
    /// §13.2, §13.3: events of channels.
    Events,
    /// §13.4: callbacks.
    Callbacks,
    /// §15: listing and registering servers.
    Discovery,
    /// §16: finding tools.
    ToolDiscovery,
    /// §16.6: tools created from an agent's code (`creating`).
    ToolCreation,
    /// Calls with a key, which are made only once.
    Idempotency,
    /// Calls that are committed together, or undone by other calls.
    Transactions,
}

impl Extension {
    /// Every extension, in the order of the specification.
    pub const ALL: [Self; 13] = [
        Self::Security,
        Self::AccessControl,
        Self::Audit,
        Self::CodeSafety,
        Self::Lifecycle,
        Self::Streaming,
        Self::Events,
        Self::Callbacks,
        Self::Discovery,
        Self::ToolDiscovery,
        Self::ToolCreation,
        Self::Idempotency,
        Self::Transactions,
    ];

    /// A name of later drafts for §14, which needs no negotiation: it is known, but not an extension.
    pub const ERROR_HANDLING: &'static str = "error_handling";

    /// The specification's name for §13 as a whole: [`Events`](Self::Events) and [`Callbacks`](Self::Callbacks).
    pub const BIDIRECTIONAL: &'static str = "bidirectional";

    /// Returns the name in the specification, or in the later draft that split an extension.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.spellings()[0]
    }

    /// Returns every name that stands for only this extension: the specification's, then those of later drafts.
    #[must_use]
    pub const fn spellings(self) -> &'static [&'static str] {
        match self {
            Self::Security => &["security", "permissions", "tool_security"],
            Self::AccessControl => &["access_control"],
            Self::Audit => &["audit"],
            Self::CodeSafety => &["code_safety"],
            Self::Lifecycle => &["lifecycle"],
            Self::Streaming => &["streaming", "progress"],
            Self::Events => &["events"],
            Self::Callbacks => &["callbacks"],
            Self::Discovery => &["discovery"],
            Self::ToolDiscovery => &["tool_discovery"],
            Self::ToolCreation => &["tool_creation"],
            Self::Idempotency => &["idempotency"],
            Self::Transactions => &["transactions"],
        }
    }

    /// Returns the extensions that a name stands for, in whole or in part; none for an unknown name.
    ///
    /// ```
    /// use mgp_types::negotiation::Extension;
    /// assert!(Extension::from_spelling("permissions").iter().eq([Extension::Security]));
    /// assert!(Extension::from_spelling("bidirectional").iter().eq([Extension::Events, Extension::Callbacks]));
    /// assert!(Extension::from_spelling("teleport").is_empty());
    /// ```
    #[must_use]
    pub fn from_spelling(name: &str) -> ExtensionSet {
        if name == Self::BIDIRECTIONAL {
            return [Self::Events, Self::Callbacks].into_iter().collect();
        }
        Self::ALL.into_iter().filter(|extension| extension.spellings().contains(&name)).collect()
    }
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
