//! Suggestions for the caller of a refused call, or for its operator.

use super::nearest::nearest;
use crate::{catalog::tools::Tools, command_word, rights::rights::Rights};
use mgp_toolindex::meta_tools;
use mgp_transport::seam::Record;
use mgp_types::{
    context::{Principal, Target},
    error::{ErrorCode, Recovery},
    json::RawObject,
    permission::PermissionState,
    rpc::ErrorObject,
};

/// Returns a suggestion for the step after a refusal, if there is one. `is_rest` is true for a call over REST, whose caller has no
/// meta-tools.
///
/// The suggestion for an unknown tool never depends on tools that the caller may not see, because a concealed tool is answered
/// like an unknown one.
pub(super) fn suggestion(
    rights: &Rights,
    tools: &Tools,
    target: &Target,
    record: &Record,
    error: &ErrorObject,
    is_rest: bool,
) -> Option<String> {
    let principal = record.principal.as_ref()?;
    match ErrorCode::from_code(error.code)? {
        ErrorCode::ToolNotFound => {
            let mut names = nearest(tools, principal, &target.called_as);
            names.retain(|name| !is_rest || !meta_tools::NAMES.contains(&name.as_str()));
            Some(found_by(&names, is_rest))
        }
        ErrorCode::AccessDenied => grant(rights, principal, target, error),
        ErrorCode::PermissionDenied if !error.message.contains("`mgp approve") => {
            approve(rights, target, error)
        }
        _ => None,
    }
}

fn found_by(names: &[String], is_rest: bool) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    let remedy = if is_rest { "GET /tools lists them." } else { "Find tools with mgp_tools_discover." };
    match &names[..] {
        [] if is_rest => "GET /tools lists the tools.".to_owned(),
        [] => "find tools with mgp_tools_discover.".to_owned(),
        names => format!("did you mean {}? {remedy}", names.join(" or ")),
    }
}

fn grant(rights: &Rights, principal: &Principal, target: &Target, error: &ErrorObject) -> Option<String> {
    if let Some(scope) = missing_scope(error) {
        let [agent, scope] = [principal.id(), &scope].map(command_word);
        return Some(format!(
            "the operator makes a key that can with `mgp keys add NAME --agent {agent} --scope {scope}`."
        ));
    }
    // A grant overrides every policy: it would open the tool for all arguments, at all times.
    let data = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok());
    let is_by_policy = data.is_some_and(|data| data.text("policy").is_some());
    // If the caller itself may use the tool, either a principal on whose behalf it calls may not, or a policy requires other
    // arguments.
    if is_by_policy || rights.access.check(&principal.caller(), &target.tool).allows() {
        return None;
    }
    let [agent, server, tool] =
        [principal.id(), &*target.tool.server_id, &*target.tool.tool_name].map(command_word);
    Some(format!("the operator allows it with `mgp access grant {agent} {server} {tool}`."))
}

/// Returns the scope that a refused key lacks.
fn missing_scope(error: &ErrorObject) -> Option<String> {
    let scopes: Vec<String> = Recovery::from_error(error)?.details?.decode("missing_scopes").ok()??;
    scopes.into_iter().next()
}

fn approve(rights: &Rights, target: &Target, error: &ErrorObject) -> Option<String> {
    let details = Recovery::from_error(error)?.details?;
    details.get("permission")?;
    if let Some(sentence) = rights.permissions.config_only(&target.tool.server_id) {
        return Some(sentence);
    }
    let state: PermissionState = details.decode("state").ok()??;
    let undecided = matches!(state, PermissionState::Deferred | PermissionState::Expired);
    let id = details.text("request_id").filter(|_| undecided)?;
    Some(format!(
        "the operator approves it with `mgp approve {}`, and then the call can be made again.",
        command_word(&id)
    ))
}
