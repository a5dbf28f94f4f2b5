//! The ids by which a host knows a request. A parked call continues under the host's next request, so its notifications name
//! that request: the host has forgotten the one before.

use mgp_transport::seam::Incoming;
use mgp_types::{
    json::RawObject,
    mcp::{Progress, ProgressToken},
    request_meta,
    rpc::{Notice, RawParams, RequestId},
    stream::{StreamChunk, StreamProgress},
};

/// The ids by which a host knows a request.
#[derive(Debug, Clone)]
pub(super) struct Address {
    id: Option<RequestId>,
    token: Option<ProgressToken>,
}

impl Address {
    pub(super) fn of(request: &Incoming, params: &RawObject) -> Self {
        Self { id: request.id.clone(), token: request_meta::progress_token(params) }
    }

    /// Returns the params of a notification about a call, with the id of this request; `None` if the host did not request
    /// such notifications.
    pub(super) fn put(&self, method: &str, params: &RawParams) -> Option<RawParams> {
        let (key, name) = match method {
            Progress::METHOD => ("progressToken", self.token.as_ref()?.0.to_json()),
            StreamChunk::METHOD | StreamProgress::METHOD => ("request_id", self.id.as_ref()?.to_json()),
            _ => return Some(params.clone()),
        };
        let mut params = params.object().ok()?.clone();
        params.insert(key, name);
        Some(params.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(text: &'static str) -> RawParams {
        RawObject::parse(text).unwrap().into()
    }

    #[test]
    fn messages_get_the_id_and_token_of_the_waiting_request() {
        let asked = RawObject::parse(r#"{"_meta":{"progressToken":"new"}}"#).unwrap();
        let mut request = Incoming::request(7, "tools/call", RawParams::none());
        let address = Address::of(&request, &asked);
        let put =
            |method, text| address.put(method, &params(text)).map(|params| params.get().unwrap().to_string());
        assert_eq!(
            put(Progress::METHOD, r#"{"progressToken":"old","progress":1}"#).unwrap(),
            r#"{"progressToken":"new","progress":1}"#
        );
        assert_eq!(
            put(StreamChunk::METHOD, r#"{"request_id":1,"index":0}"#).unwrap(),
            r#"{"request_id":7,"index":0}"#
        );
        assert_eq!(put("notifications/message", r#"{"data":1}"#).unwrap(), r#"{"data":1}"#);
        // One that gave no token wants no progress.
        request.id = Some(RequestId::from(8));
        let address = Address::of(&request, &RawObject::new());
        assert_eq!(address.put(Progress::METHOD, &params(r#"{"progressToken":"old","progress":1}"#)), None);
    }
}
