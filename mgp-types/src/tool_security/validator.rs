//! §4.5 The names of the validators. The kernel implements the validators themselves.

spelled_open! {
    /// A validator that the kernel applies before it forwards a call (§4.5).
    pub enum ValidatorName {
        /// Blocks dangerous shell patterns.
        Sandbox = "sandbox",
        /// Blocks everything that writes.
        Readonly = "readonly",
        /// Blocks requests to this machine, private networks and metadata services.
        NetworkRestricted = "network_restricted",
        /// Applies the rules of §7 to code.
        CodeSafety = "code_safety",
        /// Checks nothing.
        None = "none",
    } else
    /// An unknown name: the call is refused.
    Unknown
}
