//! Every method of the specification with its types.

use mgp_types::{
    access, audit, callback, discovery, events,
    json::RawJson,
    lifecycle, mcp, permission,
    rpc::{Call, Notice},
    stream, tool_index,
};
use serde::{Serialize, de::DeserializeOwned};

/// Reads JSON as a type and writes it back.
pub(super) type RoundTrip = fn(&RawJson) -> Result<RawJson, String>;

/// A method and the types that its messages are read as.
pub(super) struct Method {
    pub(super) name: &'static str,
    pub(super) params: RoundTrip,
    /// Absent for a notification.
    pub(super) result: Option<RoundTrip>,
}

pub(super) fn round<T: Serialize + DeserializeOwned>(json: &RawJson) -> Result<RawJson, String> {
    let value: T = json.decode().map_err(|error| error.to_string())?;
    RawJson::from_value(&value).map_err(|error| error.to_string())
}

fn call<C: Call>() -> Method {
    Method { name: C::METHOD, params: round::<C::Params>, result: Some(round::<C::Result>) }
}

fn notice<N: Notice>() -> Method {
    Method { name: N::METHOD, params: round::<N::Params>, result: None }
}

/// Returns the method with a name.
pub(super) fn find(name: &str) -> Option<Method> {
    all().into_iter().find(|method| method.name == name)
}

fn all() -> Vec<Method> {
    vec![
        call::<mcp::Initialize>(),
        call::<mcp::CallTool>(),
        call::<permission::RequestPermission>(),
        // The specification shows the decision as a result, but it is sent as the params of this request.
        Method {
            result: Some(round::<permission::PermissionDecision>),
            ..call::<permission::RespondPermission>()
        },
        call::<access::QueryAccess>(),
        call::<access::GrantAccess>(),
        call::<access::RevokeAccess>(),
        notice::<audit::Audit>(),
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
        call::<discovery::RegisterServer>(),
        call::<discovery::DeregisterServer>(),
        call::<tool_index::DiscoverTools>(),
        call::<tool_index::RequestTools>(),
        call::<tool_index::SessionTools>(),
        call::<tool_index::EvictTools>(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_method_is_listed_twice() {
        let mut names: Vec<_> = all().iter().map(|method| method.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
