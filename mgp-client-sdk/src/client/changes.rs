//! A queue of the unread changes of a subscription.

use mgp_transport::seam::CallError;
use mgp_types::{
    mcp::{PromptListChanged, ResourceListChanged, ResourceUpdated, SubscriptionFilter, ToolListChanged},
    rpc::{Notice, RawParams},
};
use parking_lot::Mutex;
use std::collections::VecDeque;
use tokio::sync::Notify;

/// A change at the server: the list or the resource that has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// A resource, by its URI: a subscribed one, or one inside it.
    Resource(String),
}

/// A queue of the unread changes of a subscription. Each change is kept once. Beyond `limit`, the queue holds one change for
/// each subscribed list and resource.
#[derive(Debug)]
pub(super) struct Changes {
    state: Mutex<State>,
    /// Wakes the reader.
    rings: Notify,
    limit: usize,
}

#[derive(Debug)]
struct State {
    filter: SubscriptionFilter,
    unread: VecDeque<Change>,
    /// The reason why there are no more changes.
    end: Option<CallError>,
}

impl Changes {
    pub(super) fn new(limit: usize) -> Self {
        let state = State { filter: SubscriptionFilter::default(), unread: VecDeque::new(), end: None };
        Self { state: Mutex::new(state), rings: Notify::new(), limit }
    }

    /// Returns the subscribed lists and resources.
    pub(super) fn filter(&self) -> SubscriptionFilter {
        self.state.lock().filter.clone()
    }

    pub(super) fn set_filter(&self, filter: SubscriptionFilter) {
        self.state.lock().filter = filter;
    }

    /// Queues the change in a notification, if it is subscribed to.
    pub(super) fn take(&self, method: &str, params: &RawParams) {
        let mut state = self.state.lock();
        let Some(change) = state.change(method, params) else { return };
        if state.unread.contains(&change) {
            return;
        }
        if state.unread.len() < self.limit {
            state.unread.push_back(change);
        } else {
            state.all();
        }
        drop(state);
        self.rings.notify_one();
    }

    /// Queues the whole subscription as changed, because the actual changes are unknown.
    pub(super) fn all(&self) {
        self.state.lock().all();
        self.rings.notify_one();
    }

    /// Ends the queue, with the reason.
    pub(super) fn end(&self, error: CallError) {
        self.state.lock().end.get_or_insert(error);
        self.rings.notify_one();
    }

    /// Waits for the next change and removes it. Changes from before the end are returned before the error.
    pub(super) async fn next(&self) -> Result<Change, CallError> {
        loop {
            {
                let mut state = self.state.lock();
                if let Some(change) = state.unread.pop_front() {
                    return Ok(change);
                }
                if let Some(error) = &state.end {
                    return Err(error.clone());
                }
            }
            self.rings.notified().await;
        }
    }
}

impl State {
    /// Returns the change in a notification, if it is subscribed to.
    fn change(&self, method: &str, params: &RawParams) -> Option<Change> {
        let filter = &self.filter;
        match method {
            ToolListChanged::METHOD => filter.tools_list_changed.then_some(Change::Tools),
            PromptListChanged::METHOD => filter.prompts_list_changed.then_some(Change::Prompts),
            ResourceListChanged::METHOD => filter.resources_list_changed.then_some(Change::Resources),
            ResourceUpdated::METHOD => {
                let uri = params.object().ok()?.text("uri")?;
                let wanted = filter.resource_subscriptions.iter().any(|wanted| holds(wanted, &uri));
                wanted.then_some(Change::Resource(uri))
            }
            _ => None,
        }
    }

    fn all(&mut self) {
        let filter = &self.filter;
        let lists = [
            (filter.tools_list_changed, Change::Tools),
            (filter.prompts_list_changed, Change::Prompts),
            (filter.resources_list_changed, Change::Resources),
        ];
        self.unread = lists.into_iter().filter(|(wanted, _)| *wanted).map(|(_, change)| change).collect();
        self.unread.extend(filter.resource_subscriptions.iter().cloned().map(Change::Resource));
    }
}

/// Returns `true` if the resource `uri` is the resource `wanted`, or is inside it.
fn holds(wanted: &str, uri: &str) -> bool {
    uri.strip_prefix(wanted)
        .is_some_and(|rest| rest.is_empty() || wanted.ends_with('/') || rest.starts_with(['/', '?', '#']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use mgp_transport::connection::ConnectionError;
    use mgp_types::json::RawJson;

    fn changes(limit: usize) -> Changes {
        let filter = SubscriptionFilter {
            tools_list_changed: true,
            resource_subscriptions: vec!["a:1".into(), "a:2".into()],
            ..Default::default()
        };
        let changes = Changes::new(limit);
        changes.set_filter(filter);
        changes
    }

    fn update(changes: &Changes, uri: &str) {
        let params = RawJson::parse(format!(r#"{{"uri":"{uri}"}}"#)).unwrap();
        changes.take("notifications/resources/updated", &params.into());
    }

    fn next(changes: &Changes) -> Option<Change> {
        changes.next().now_or_never().map(|change| change.unwrap())
    }

    #[test]
    fn a_change_is_reported_once_until_it_is_read() {
        let changes = changes(10);
        for _ in 0..3 {
            update(&changes, "a:2");
            changes.take("notifications/tools/list_changed", &RawParams::none());
            changes.take("notifications/prompts/list_changed", &RawParams::none());
            update(&changes, "a:20");
            update(&changes, "a:2/part");
        }
        let told = [next(&changes), next(&changes), next(&changes), next(&changes)];
        let (updated, part) = (Change::Resource("a:2".into()), Change::Resource("a:2/part".into()));
        assert_eq!(told, [Some(updated.clone()), Some(Change::Tools), Some(part), None]);
        update(&changes, "a:2");
        assert_eq!(next(&changes), Some(updated));
    }

    #[test]
    fn past_the_limit_everything_counts_as_changed() {
        let changes = changes(3);
        for part in 0..4 {
            update(&changes, &format!("a:1/{part}"));
        }
        let told = [next(&changes), next(&changes), next(&changes), next(&changes)];
        let resource = |uri: &str| Some(Change::Resource(uri.into()));
        assert_eq!(told, [Some(Change::Tools), resource("a:1"), resource("a:2"), None]);
    }

    #[test]
    fn changes_before_the_end_are_reported_first() {
        let changes = changes(3);
        update(&changes, "a:1");
        changes.end(ConnectionError::Closed.into());
        assert!(changes.next().now_or_never().unwrap().is_ok());
        assert!(changes.next().now_or_never().unwrap().is_err());
        assert!(changes.next().now_or_never().unwrap().is_err(), "the end stays");
    }
}
