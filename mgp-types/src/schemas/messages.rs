//! The list of the messages, and the schemas of each.

use super::{known_formats::KnownFormats, prose::Prose};
use crate::{
    access, audit, callback, discovery, events, lifecycle, permission,
    rpc::{Call, Notice},
    stream, tool_check, tool_index, transaction,
};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

/// The schemas of a method or notification.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageSchemas {
    /// The name on the wire.
    pub method: &'static str,
    /// JSON Schema of the params.
    pub params: Value,
    /// JSON Schema of the result; absent for a notification.
    pub result: Option<Value>,
}

/// Returns the schemas of every method and notification of MGP, in the order of the specification.
#[must_use]
pub fn mgp_schemas() -> Vec<MessageSchemas> {
    vec![
        call::<permission::RequestPermission>(),
        call::<permission::AwaitPermission>(),
        call::<permission::RespondPermission>(),
        call::<permission::GrantPermission>(),
        call::<access::QueryAccess>(),
        call::<access::GrantAccess>(),
        call::<access::RevokeAccess>(),
        notice::<audit::Audit>(),
        call::<audit::ReplayAudit>(),
        call::<lifecycle::HealthPing>(),
        call::<lifecycle::CheckHealth>(),
        call::<lifecycle::Shutdown>(),
        notice::<lifecycle::LifecycleChange>(),
        notice::<stream::StreamChunk>(),
        notice::<stream::StreamProgress>(),
        call::<stream::CancelStream>(),
        call::<events::SubscribeEvents>(),
        call::<events::UnsubscribeEvents>(),
        notice::<events::Event>(),
        notice::<callback::CallbackRequest>(),
        call::<callback::RespondCallback>(),
        call::<discovery::ListServers>(),
        call::<discovery::GetManifest>(),
        call::<discovery::RegisterServer>(),
        call::<discovery::DeregisterServer>(),
        call::<tool_index::DiscoverTools>(),
        call::<tool_index::RequestTools>(),
        call::<tool_index::SessionTools>(),
        call::<tool_index::EvictTools>(),
        call::<tool_check::CheckTool>(),
        call::<transaction::BeginTransaction>(),
        call::<transaction::CommitTransaction>(),
        call::<transaction::RollbackTransaction>(),
        call::<transaction::QueryTransaction>(),
    ]
}

fn call<C: Call<Params: JsonSchema, Result: JsonSchema>>() -> MessageSchemas {
    MessageSchemas {
        method: C::METHOD,
        params: schema::<C::Params>(C::METHOD, "params"),
        result: Some(schema::<C::Result>(C::METHOD, "result")),
    }
}

fn notice<N: Notice<Params: JsonSchema>>() -> MessageSchemas {
    MessageSchemas { method: N::METHOD, params: schema::<N::Params>(N::METHOD, "params"), result: None }
}

fn schema<T: JsonSchema>(method: &str, part: &str) -> Value {
    let settings = SchemaSettings::default().with_transform(Prose).with_transform(KnownFormats);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), format!("{method} {part}").into());
    schema.to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_has_exactly_one_schema_of_an_object() {
        let schemas = mgp_schemas();
        let mut methods: Vec<_> = schemas.iter().map(|message| message.method).collect();
        methods.sort_unstable();
        methods.dedup();
        assert_eq!(methods.len(), schemas.len());
        for message in &schemas {
            assert_eq!(message.params["type"], "object", "{}", message.method);
            assert_eq!(message.params["title"], format!("{} params", message.method));
            let is_notice = message.method.starts_with("notifications/");
            assert_eq!(message.result.is_none(), is_notice, "{}", message.method);
            if let Some(result) = &message.result {
                assert_eq!(result["type"], "object", "{}", message.method);
            }
            let text = serde_json::to_string(&(&message.params, &message.result)).unwrap();
            for of_rust in ["```", "](", "[`", r#""format":"uint"#] {
                assert!(!text.contains(of_rust), "{}: {of_rust} in {text}", message.method);
            }
        }
    }

    #[test]
    fn an_open_object_lists_its_members_and_the_required_ones() {
        let tools = mgp_schemas().into_iter().find(|message| message.method == "mgp/tools/discover");
        let security = &tools.unwrap().result.unwrap()["$defs"]["SecurityMetadata"];
        assert_eq!(security["required"], serde_json::json!(["risk_level"]));
        assert_eq!(security["properties"]["reversible"]["type"], "boolean");
        assert_eq!(
            security["properties"]["reversible"]["description"],
            "True if the tool's effects can be undone."
        );
    }
}
