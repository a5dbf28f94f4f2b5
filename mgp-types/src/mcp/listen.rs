//! `subscriptions/listen`: a request that stays open and reports changes.

use super::stateless::SUBSCRIPTION_ID_KEY;
use crate::{
    events::SubscribeParams,
    json::{RawJson, RawObject},
    rpc::{Empty, RequestId},
};
use serde::{Deserialize, Serialize};

calls! {
    /// Asks for reports of changes for as long as the request is open.
    call Listen = "subscriptions/listen": ListenParams => Empty;
}

notices! {
    /// The first message of a subscription, which lists the changes that will be reported.
    SubscriptionsAcknowledged = "notifications/subscriptions/acknowledged": ListenParams;
}

open_object! {
    /// The changes to subscribe to.
    pub struct ListenParams {
        /// The filter.
        required notifications: SubscriptionFilter = "notifications",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl ListenParams {
    /// Creates params with a filter.
    #[must_use]
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self { notifications, meta: None, other: RawObject::new() }
    }
}

/// The changes that a subscription reports.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionFilter {
    /// True to report changes of the list of tools.
    #[serde(skip_serializing_if = "is_false")]
    pub tools_list_changed: bool,
    /// True to report changes of the list of prompts.
    #[serde(skip_serializing_if = "is_false")]
    pub prompts_list_changed: bool,
    /// True to report changes of the list of resources.
    #[serde(skip_serializing_if = "is_false")]
    pub resources_list_changed: bool,
    /// The URIs of single resources whose changes are reported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_subscriptions: Vec<String>,
    /// The ids of single tasks whose changes are reported. A client that requests them must accept tasks as answers
    /// ([`takes_tasks`](crate::mcp::ClientCapabilities::takes_tasks)).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub task_ids: Vec<String>,
    /// MGP's own notifications, for an MGP client.
    #[serde(rename = "dev.cloto/mgp", skip_serializing_if = "Option::is_none")]
    pub mgp: Option<MgpFilter>,
}

/// MGP's own notifications that a subscription reports.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MgpFilter {
    /// True to report §6.3 `notifications/mgp.audit`.
    #[serde(skip_serializing_if = "is_false")]
    pub audit: bool,
    /// True to report §11.2 `notifications/mgp.lifecycle`.
    #[serde(skip_serializing_if = "is_false")]
    pub lifecycle: bool,
    /// The channels whose events are reported (§13.2). An acknowledgement lists those that exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<SubscribeParams>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl SubscriptionFilter {
    /// Returns whether the filter asks for a notification. `subject` is the URI or id of the resource or task that the
    /// notification is about, if any.
    #[must_use]
    pub fn wants(&self, method: &str, subject: Option<&str>) -> bool {
        let among = |wanted: &[String]| subject.is_some_and(|subject| wanted.iter().any(|it| it == subject));
        match method {
            "notifications/tools/list_changed" => self.tools_list_changed,
            "notifications/prompts/list_changed" => self.prompts_list_changed,
            "notifications/resources/list_changed" => self.resources_list_changed,
            "notifications/resources/updated" => among(&self.resource_subscriptions),
            "notifications/tasks" => among(&self.task_ids),
            "notifications/mgp.audit" => self.mgp.as_ref().is_some_and(|mgp| mgp.audit),
            "notifications/mgp.lifecycle" => self.mgp.as_ref().is_some_and(|mgp| mgp.lifecycle),
            _ => false,
        }
    }
}

impl Listen {
    /// Marks params or a result as part of a subscription.
    #[must_use]
    pub fn tagged(mut params: RawObject, id: &RequestId) -> RawJson {
        let mut meta = params.object("_meta").unwrap_or_default();
        meta.insert(SUBSCRIPTION_ID_KEY, id.to_json());
        params.insert("_meta", meta.to_json());
        params.to_json()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_includes_only_listed_changes() {
        let text = r#"{"toolsListChanged":true,"resourceSubscriptions":["a:1"],"taskIds":["t"]}"#;
        let filter: SubscriptionFilter = serde_json::from_str(text).unwrap();
        assert!(filter.wants("notifications/tools/list_changed", None));
        assert!(filter.wants("notifications/resources/updated", Some("a:1")));
        assert!(!filter.wants("notifications/resources/updated", Some("a:2")));
        assert!(!filter.wants("notifications/prompts/list_changed", None));
        assert!(
            filter.wants("notifications/tasks", Some("t"))
                && !filter.wants("notifications/tasks", Some("a:1"))
        );
        assert!(!filter.wants("notifications/message", None));
        assert!(!filter.wants("notifications/mgp.lifecycle", None));
        let of_mgp: SubscriptionFilter =
            serde_json::from_str(r#"{"dev.cloto/mgp":{"lifecycle":true,"later":1}}"#).unwrap();
        assert!(of_mgp.wants("notifications/mgp.lifecycle", None));
        assert!(!of_mgp.wants("notifications/mgp.audit", None));
        assert_eq!(serde_json::to_string(&filter).unwrap(), text);
    }

    #[test]
    fn a_message_of_a_subscription_names_it() {
        let params = RawObject::parse(r#"{"uri":"a:1","_meta":{"x":1}}"#).unwrap();
        let tagged = Listen::tagged(params, &RequestId::from("l"));
        let expected = r#"{"uri":"a:1","_meta":{"x":1,"io.modelcontextprotocol/subscriptionId":"l"}}"#;
        assert_eq!(tagged.as_str(), expected);
    }
}
