//! Secrets in the results of servers: replies are searched by the rules of [gitleaks](https://github.com/gitleaks/gitleaks), and each
//! secret is masked, or only recorded.
//!
//! [`SecretSearchLayer`] goes around the connection to one server. [`find_secrets`] searches a single text.
//!
//! | file | contents |
//! |---|---|
//! | `gitleaks.toml` | the rules, as gitleaks publishes them |
//! | `exceptions.toml` | texts in replies of servers that match those rules, but are not secrets |
//! | `pattern.rs`, `allowlist.rs`, `rule.rs`, `rule_set.rs` | reading and applying the rules |
//! | `plain_text.rs` | the searched form of a JSON text, with its strings unescaped |
//! | `mask.rs` | the replacement of secrets in a JSON text |
//! | `search.rs` | the search of one text, within its bounds |
//! | `call_search.rs` | the search of everything that belongs to one request |
//! | `url_questions.rs` | URLs that an error asks the user to visit, which are not searched |

mod allowlist;
mod call_search;
mod layer;
mod mask;
mod pattern;
mod plain_text;
mod rule;
mod rule_set;
mod search;
mod service;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
mod url_questions;

pub use call_search::{CallSearch, MASKED};
pub use layer::SecretSearchLayer;
pub use rule_set::SecretSpan;
pub use search::{MAX_SEARCHED, SEARCH_TIMEOUT, SearchError, find_secrets};
pub use service::{ResponseFuture, SecretSearch};

pub use mgp_types::tool_security::SecretPolicy;
