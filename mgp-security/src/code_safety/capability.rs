//! The capabilities of code, by which the levels differ.

/// A capability of code: something that a name in the code can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Capability {
    /// Does nothing that any level blocks.
    Harmless,
    /// Runs text or data as code.
    Eval,
    /// Starts or controls processes.
    Process,
    /// Runs native code, or reads and writes memory.
    Native,
    /// Reaches internals of the runtime that lead to everything else: frames, globals, subclasses.
    Reflection,
    /// Opens sockets itself.
    Socket,
    /// Deletes folders with everything in them, or destroys devices.
    DeleteTree,
    /// Looks names up, or exposes objects that lead to others.
    Introspection,
    /// Reads or changes the state of the runtime, in ways that are not listed individually.
    Runtime,
    /// Reaches other machines.
    Network,
    /// Deletes files.
    Delete,
    /// Writes files that may be anywhere.
    WriteAnywhere,
    /// Writes files of the working folder.
    Write,
}

impl Capability {
    /// Returns the words that follow the name of the code in a violation.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::Harmless => "does nothing",
            Self::Eval => "runs text or data as code",
            Self::Process => "starts or controls processes",
            Self::Native => "runs native code",
            Self::Reflection => "reaches the internals of the runtime",
            Self::Socket => "opens sockets",
            Self::DeleteTree => "deletes whole folders or devices",
            Self::Introspection => "looks names up at run time",
            Self::Runtime => "reads or changes the state of the runtime",
            Self::Network => "reaches other machines",
            Self::Delete => "deletes files",
            Self::WriteAnywhere => "writes files outside the working folder, or at computed places",
            Self::Write => "writes files",
        }
    }
}

/// A set of capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Capabilities(u32);

impl Capabilities {
    /// Creates a set.
    pub(super) const fn of(members: &[Capability]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < members.len() {
            bits |= 1 << members[at] as u32;
            at += 1;
        }
        Self(bits)
    }

    /// Returns the set with the members of another.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether a capability is in the set.
    pub(super) fn contains(self, capability: Capability) -> bool {
        self.0 & (1 << capability as u32) != 0
    }
}
