//! The bounds on a tool's metadata.

/// The longest metadata that are read, in bytes. Longer ones are ignored as a whole.
pub const MAX_METADATA: usize = 256 * 1024;

/// The longest text, in bytes.
pub const MAX_TEXT: usize = 4096;

/// The longest name: a tag, a type, a scope, a version, an author. In bytes.
pub(super) const MAX_NAME: usize = 256;

/// The longest JSON value, such as the arguments of an example, in bytes.
pub(super) const MAX_VALUE: usize = 32 * 1024;

/// The most entries of a list that are read.
pub const MAX_ITEMS: usize = 64;

/// The most examples that are read.
pub const MAX_EXAMPLES: usize = 16;
