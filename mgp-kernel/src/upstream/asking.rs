//! The questions that a server may ask hosts, and the name of the server in them.

use super::Server;
use mgp_discovery::config::HostFeature;
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{CreateMessage, Elicit, ListRoots},
    rpc::{Call, ErrorObject},
};

/// Checks that a server may use a feature of hosts.
///
/// # Errors
/// If the server must not. The error names the method and the setting that allows it.
pub(crate) fn check_allowed(server: &Server, feature: HostFeature, method: &str) -> Result<(), ErrorObject> {
    if server.spec.host_features.contains(&feature) {
        return Ok(());
    }
    let (id, feature) = (server.id(), feature.as_str());
    let problem = format!("{method} is not allowed to server {id:?}: its host_features hold no {feature:?}");
    Err(ErrorCode::AccessDenied.error(problem))
}

/// Returns the feature of hosts that the method of a question needs; `None` if servers cannot send the method to hosts as a question.
pub(crate) fn feature_of(method: &str) -> Option<HostFeature> {
    match method {
        CreateMessage::METHOD => Some(HostFeature::Sampling),
        Elicit::METHOD => Some(HostFeature::Elicitation),
        ListRoots::METHOD => Some(HostFeature::Roots),
        _ => None,
    }
}

/// Names the server in the message, so that its question cannot pass for the kernel's or another server's.
pub(crate) fn name_asker(params: &mut RawObject, server_id: &str) {
    // An unpaired surrogate would make the whole message unreadable.
    let message = params.get("message").and_then(|message| match message.without_lone_surrogates() {
        Some(whole) => whole.to_text(),
        None => message.to_text(),
    });
    params.insert("message", RawJson::string(&named(server_id, &message.unwrap_or_default())));
}

/// Returns a text of a server with the server's name.
pub(crate) fn named(server_id: &str, text: &str) -> String {
    format!("[{server_id}] {text}")
}

/// Names the server in the questions of its task, and removes forbidden questions.
pub(crate) fn name_questions(result: &mut RawObject, server: &Server) {
    let Some(requests) = result.object("inputRequests") else { return };
    let mut named = RawObject::new();
    for (key, request) in requests.iter() {
        let Ok(mut request) = RawObject::from_json(request) else { continue };
        let feature = request.text("method").and_then(|method| feature_of(&method));
        if !feature.is_some_and(|feature| server.spec.host_features.contains(&feature)) {
            if let Some(left_out) = server.warnings.questions.admit() {
                tracing::warn!(
                    server = server.id(),
                    key,
                    left_out,
                    "a task asks a question that its server may not ask: not forwarded"
                );
            }
            continue;
        }
        if feature == Some(HostFeature::Elicitation)
            && let Some(mut params) = request.object("params")
        {
            name_asker(&mut params, server.id());
            request.insert("params", params.to_json());
        }
        named.insert_named(key, request.to_json());
    }
    result.insert("inputRequests", named.to_json());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_s_name_precedes_any_readable_part_of_a_message() {
        for (params, expected) in [
            (r#"{"message":"Who?"}"#, "[srv] Who?"),
            (r#"{"message":"Who\ud83d?"}"#, "[srv] Who\u{fffd}?"),
            (r#"{"message":7}"#, "[srv] "),
            ("{}", "[srv] "),
        ] {
            let mut params = RawObject::parse(params).unwrap();
            name_asker(&mut params, "srv");
            assert_eq!(params.text("message").as_deref(), Some(expected), "{params:?}");
        }
    }
}
