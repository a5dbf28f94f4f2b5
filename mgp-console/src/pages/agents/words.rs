//! The words of the page.

use crate::texts::words;

words! {
    /// The page of agents and hosts.
    AgentWords { title }
}
