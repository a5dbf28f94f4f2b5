//! What counts tokens.

use std::fmt;

/// Counts the tokens of a text, as a model would be given it. The default is [`Cl100k`](super::Cl100k).
///
/// What it costs to count is paid once a definition: see [`IndexedTool::tokens_as`](crate::tool::IndexedTool::tokens_as).
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
    /// How many tokens a text is.
    fn count(&self, text: &str) -> u64;

    /// Makes ready what the first count needs. May take long, so it is called where that holds up nobody.
    fn prepare(&self) {}
}
