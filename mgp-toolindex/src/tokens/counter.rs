//! The interface of a token counter.

use std::fmt;

/// A counter of the tokens that a text takes in a model. The default is [`Cl100k`](super::Cl100k).
///
/// Each definition is counted only once: see [`IndexedTool::tokens_as`](crate::tool::IndexedTool::tokens_as).
///
/// ```
/// use mgp_toolindex::tokens::TokenCounter;
///
/// /// One token for every four bytes.
/// #[derive(Debug)]
/// struct Roughly;
///
/// impl TokenCounter for Roughly {
///     fn count(&self, text: &str) -> u64 {
///         text.len().div_ceil(4) as u64
///     }
/// }
/// assert_eq!(Roughly.count("twelve bytes"), 3);
/// ```
pub trait TokenCounter: fmt::Debug + Send + Sync + 'static {
    /// Returns the number of tokens of a text.
    fn count(&self, text: &str) -> u64;

    /// Prepares the first count. May take long, so it is called while nothing waits for it.
    fn prepare(&self) {}
}
