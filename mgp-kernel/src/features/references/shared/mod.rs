//! The results that other kernels find, too: encrypted, in a store that they share.
//!
//! The key of a result is derived from its reference and its owner. The store has neither, so it is not enough to
//! read a result.
//!
//! | file | content |
//! |---|---|
//! | `facts.rs` | the facts about a result, and their encryption |
//! | `put.rs` | adds a result |
//! | `fetch.rs` | gets a result that another kernel has added |
//! | `results.rs` | the store with its limits, and the removal of expired results |

mod facts;
mod fetch;
mod put;
mod results;
#[cfg(test)]
mod tests;

pub(super) use results::SharedResults;
