//! The warnings that a server can cause, and their rate limits.

use mgp_client_sdk::left_out::{LeftOutEntries, shown};
use mgp_toolindex::names::NameConflict;
use mgp_transport::seam::LogLimit;
use mgp_types::{mcp::conform::Mends, rpc::RawResult};
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

/// The maximum length of an answer's logged changes, in characters.
const MOST_OF_CHANGES: usize = 400;

/// The maximum number of hidden tools recorded per server.
const MAX_REPORTED: usize = 100;

/// The warnings that a server can cause, with their rate limits, one for each kind, so that no kind hides another.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    pub(super) server_id: String,
    /// Tools that cannot be parsed.
    pub(super) unreadable_tools: LogLimit,
    /// Tools whose header annotations cannot be followed.
    pub(super) annotated_tools: LogLimit,
    /// Tools that cannot be indexed.
    pub(crate) unusable_tools: LogLimit,
    /// Tools whose definitions are changed for hosts.
    pub(crate) mended_tools: LogLimit,
    /// Resources, templates and prompts that are changed for hosts.
    pub(super) mended_entries: LogLimit,
    /// Answers that are changed for hosts.
    mended_answers: LogLimit,
    /// The sentences on the entries of the latest listings that are changed for hosts or hidden from them, by the noun of the entries.
    odd_entries: Mutex<BTreeMap<&'static str, Vec<String>>>,
    /// Audit events that are dropped.
    pub(super) audit_events: LogLimit,
    /// Events of channels that are dropped.
    pub(crate) events: LogLimit,
    /// Resources that cannot be read.
    pub(super) unreadable_resources: LogLimit,
    /// Resource templates that cannot be read.
    pub(super) unreadable_templates: LogLimit,
    /// Prompts that cannot be read.
    pub(super) unreadable_prompts: LogLimit,
    /// Lists of resources that cannot be read.
    pub(super) resources: LogLimit,
    /// Lists of prompts that cannot be read.
    pub(super) prompts: LogLimit,
    /// Questions that the server may not ask.
    pub(super) questions: LogLimit,
    /// Resources that hosts reach at another server.
    overlaps: LogLimit,
    /// The last notice on such resources; empty if there were none.
    last_overlap: Mutex<String>,
    /// The names of the tools whose hiding was recorded.
    reported: Mutex<HashSet<Arc<str>>>,
}

impl Warnings {
    pub(super) fn new(server_id: &str) -> Self {
        Self { server_id: server_id.to_owned(), ..Self::default() }
    }

    /// Warns of resources that hosts reach at another server, unless the notice is unchanged or the limit forbids it. An empty notice
    /// means that there are none any more.
    pub(crate) fn overlap(&self, notice: &str) {
        {
            let mut last = self.last_overlap.lock();
            if *last == notice {
                return;
            }
            notice.clone_into(&mut last);
        }
        if !notice.is_empty()
            && let Some(left_out) = self.overlaps.admit()
        {
            tracing::warn!(server = self.server_id, left_out, "{notice}");
        }
    }

    /// Returns a valid form of an answer to a request. Warns of a changed answer, if the limit allows it.
    pub(crate) fn note_mends(&self, method: &str, (answer, mends): (RawResult, Option<Mends>)) -> RawResult {
        if let Some(mends) = &mends
            && let Some(left_out) = self.mended_answers.admit()
        {
            let changes = shown(&mends.to_string(), MOST_OF_CHANGES);
            tracing::warn!(
                server = self.server_id,
                method,
                %changes,
                left_out,
                "an answer that breaks MCP's schema was given to its host in a valid form"
            );
        }
        answer
    }

    /// Returns the hidden tools that were not reported before. At most [`MAX_REPORTED`] over the life of the server, because a
    /// server could invent them endlessly.
    pub(crate) fn newly_hidden<'a>(&self, hidden: &'a [NameConflict]) -> Vec<&'a NameConflict> {
        let mut reported = self.reported.lock();
        let mut new = Vec::new();
        for conflict in hidden {
            if reported.len() == MAX_REPORTED {
                break;
            }
            if reported.insert(conflict.tool.tool_name.clone()) {
                new.push(conflict);
            }
        }
        new
    }

    /// Keeps the entries of a listing that are hidden from hosts or changed for them, for the operator.
    pub(crate) fn keep_odd(&self, left_out: &LeftOutEntries, mended: &LeftOutEntries) {
        let (server, noun) = (&self.server_id, mended.noun());
        let mut sentences = Vec::new();
        if left_out.count() > 0 {
            sentences.push(format!("server `{server}`: no host is shown these {noun}s: {left_out}"));
        }
        if mended.count() > 0 {
            sentences.push(format!(
                "server `{server}`: these {noun}s break MCP's schema, and hosts are shown a valid form of them: {mended}"
            ));
        }
        self.odd_entries.lock().insert(noun, sentences);
    }

    /// Returns the sentences on entries that are hidden from hosts or changed for them.
    pub(crate) fn odd_entries(&self) -> Vec<String> {
        self.odd_entries.lock().values().flatten().cloned().collect()
    }
}

/// Warns of the entries of a listing that are left out, if there are any and the limit allows it.
pub(crate) fn warn_of_left_out(limit: &LogLimit, server: &str, entries: &LeftOutEntries) {
    if entries.count() == 0 {
        return;
    }
    if let Some(left_out) = limit.admit() {
        let noun = entries.noun();
        tracing::warn!(server, count = entries.count(), %entries, left_out, "{noun}s left out of the listing");
    }
}

/// Warns of the entries of a listing that are changed for hosts, if there are any and the limit allows it.
pub(crate) fn warn_of_mended(limit: &LogLimit, server: &str, entries: &LeftOutEntries) {
    if entries.count() == 0 {
        return;
    }
    if let Some(left_out) = limit.admit() {
        let noun = entries.noun();
        tracing::warn!(
            server,
            count = entries.count(),
            %entries,
            left_out,
            "{noun}s that break MCP's schema are shown to hosts in a valid form"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_same_notice_on_overlaps_is_logged_once_until_it_changes() {
        let warnings = Warnings::default();
        for notice in ["", "one", "one"] {
            warnings.overlap(notice);
        }
        assert_eq!(warnings.overlaps.rest(), None);
        // Within the second of the first one, these are only counted.
        for notice in ["two", "", "two"] {
            warnings.overlap(notice);
        }
        assert_eq!(warnings.overlaps.rest(), Some(2));
    }

    #[tokio::test(start_paused = true)]
    async fn omissions_of_a_listing_are_logged_once_a_second() {
        let limit = LogLimit::default();
        let mut entries = LeftOutEntries::of("tool");
        for _ in 0..10 {
            warn_of_left_out(&limit, "s", &entries);
        }
        assert_eq!((limit.rest(), limit.admit()), (None, Some(0)));
        entries.add(None, 0, &"no");
        for _ in 0..10 {
            warn_of_left_out(&limit, "s", &entries);
        }
        assert_eq!(limit.rest(), Some(10));
    }
}
