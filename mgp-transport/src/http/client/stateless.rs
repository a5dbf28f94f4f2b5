//! The headers of a request of a stateless revision, by which intermediaries can route it.

use crate::http::{
    header::{METHOD, NAME, PROTOCOL_VERSION},
    param_header::{ParamHeader, encode_header},
};
use http::{HeaderMap, HeaderName, HeaderValue};
use mgp_types::{
    json::RawObject,
    mcp::{CallTool, stateless::RequestEnvelope, subject_key},
    rpc::{Call, RawParams},
};
use parking_lot::RwLock;
use std::{collections::HashMap, sync::Arc};

/// The table of a server's tool arguments that are repeated in headers (`x-mcp-header`). The session of an HTTP connection holds it,
/// and code that lists the server's tools fills it. Clones are the same table.
#[derive(Debug, Clone, Default)]
pub struct ToolHeaders(Arc<RwLock<HashMap<String, Arc<[ParamHeader]>>>>);

impl ToolHeaders {
    /// Sets the arguments of all tools, by the tool's name; tools without such arguments are left out.
    pub fn set(&self, tools: impl IntoIterator<Item = (String, Vec<ParamHeader>)>) {
        let tools = tools.into_iter().filter(|(_, headers)| !headers.is_empty());
        let tools = tools.map(|(name, headers)| (name, headers.into())).collect();
        *self.0.write() = tools;
    }

    fn of(&self, tool: &str) -> Option<Arc<[ParamHeader]>> {
        self.0.read().get(tool).cloned()
    }
}

/// Returns the headers of a request; `None` for a request of an earlier revision.
pub(crate) fn headers(method: &str, params: &RawParams, tools: &ToolHeaders) -> Option<HeaderMap> {
    let params = params.object().ok()?;
    let version = RequestEnvelope::version_in(params)?.to_text()?;
    let mut headers = HeaderMap::new();
    let mut set = |name: HeaderName, value: &str| {
        // A text that is not a valid header value is encoded, so only a version could fail, and a server refuses that.
        if let Ok(value) = HeaderValue::from_str(&encode_header(value)) {
            headers.insert(name, value);
        }
    };
    set(PROTOCOL_VERSION, &version);
    set(METHOD, method);
    let subject = subject_key(method).and_then(|key| params.text(key));
    if let Some(subject) = &subject {
        set(NAME, subject);
    }
    if method == CallTool::METHOD
        && let Some(annotated) = subject.and_then(|tool| tools.of(&tool))
    {
        let arguments = params.object("arguments").unwrap_or_else(RawObject::new);
        for header in &*annotated {
            if let (Some(value), Ok(name)) = (header.value(&arguments), header.header.parse::<HeaderName>())
                && let Ok(value) = HeaderValue::from_str(&value)
            {
                headers.insert(name, value);
            }
        }
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::json::RawJson;

    const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;

    fn of(method: &str, members: &str) -> Option<HeaderMap> {
        let tools = ToolHeaders::default();
        let schema = r#"{"properties":{"r":{"type":"string","x-mcp-header":"Region"}}}"#;
        let annotated = ParamHeader::of_schema(&RawJson::parse(schema).unwrap()).unwrap();
        tools.set([("t".to_owned(), annotated), ("plain".to_owned(), Vec::new())]);
        headers(method, &RawJson::parse(format!("{{{members}}}")).unwrap().into(), &tools)
    }

    #[test]
    fn the_headers_repeat_the_body() {
        let headers = of("tools/call", &format!(r#""name":"t","arguments":{{"r":"ü"}},{META}"#)).unwrap();
        assert_eq!(headers["mcp-protocol-version"], "2026-07-28");
        assert_eq!(
            (&headers["mcp-method"], &headers["mcp-name"]),
            (&HeaderValue::from_static("tools/call"), &HeaderValue::from_static("t"))
        );
        assert_eq!(headers["mcp-param-region"], encode_header("ü").as_str());
        let read = of("resources/read", &format!(r#""uri":"a:b c",{META}"#)).unwrap();
        assert_eq!(read["mcp-name"], "a:b c");
        assert!(!of("tools/list", META).unwrap().contains_key("mcp-name"));
    }

    #[test]
    fn a_request_of_an_earlier_revision_has_no_headers() {
        assert!(of("tools/call", r#""name":"t""#).is_none());
    }
}
