//! The error -32042 of revision 2025-11-25: a server continues only after its user has visited a URL. The error is a question
//! in another form, so it passes all checks of questions.

use super::{questions, url_elicitations::UrlElicitations};
use crate::{ground::caller::Caller, upstream::Server};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{Elicit, InputRequest, InputRequired, McpErrorCode},
    rpc::{Call, ErrorObject, JsonRpcCode},
};

/// Returns whether an error requires the user to visit a URL.
pub(super) fn is_it(error: &ErrorObject) -> bool {
    error.code == i64::from(McpErrorCode::UrlElicitationRequired)
}

/// Returns the error for a host of the `initialize` era. If the server may ask and the host can open URLs, it is the same
/// error with the server named in each message. Otherwise it is a plain refusal.
pub(super) async fn for_host(
    elicited: &UrlElicitations,
    server: &Server,
    caller: Option<&Caller>,
    error: ErrorObject,
) -> ErrorObject {
    let Some(mut data) = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok()) else {
        return refused(error);
    };
    let (Some(caller), Some(mut asked)) = (caller, elicitations(&data)) else { return refused(error) };
    for params in &mut asked {
        if let Err(why) = questions::hand_over(server, caller, Elicit::METHOD, params).await {
            return refused(why);
        }
        if caller.parked.is_none() {
            elicited.asked(params, &caller.peer);
        }
    }
    let asked: Vec<_> = asked.iter().map(RawObject::to_json).collect();
    match RawJson::from_value(&asked) {
        Ok(asked) => drop(data.insert("elicitations", asked)),
        Err(why) => return why.into(),
    }
    ErrorObject { data: Some(data.to_json()), ..error }
}

/// Converts the error to a round of input, for a host of a stateless revision, which does not know the error.
pub(super) fn as_round(error: &ErrorObject) -> Option<InputRequired> {
    let data = RawObject::from_json(error.data.as_ref()?).ok()?;
    let mut required = InputRequired::default();
    for (number, params) in elicitations(&data)?.into_iter().enumerate() {
        let request = InputRequest { method: Elicit::METHOD.to_owned(), params: params.into() };
        required.ask(&format!("elicitation-url-{number}"), request);
    }
    Some(required)
}

/// Returns the questions of the error; `None` if there are none or too many, or if one of them has no URL.
fn elicitations(data: &RawObject) -> Option<Vec<RawObject>> {
    let asked: Vec<RawObject> = data.decode("elicitations").ok()??;
    let all = asked.iter().all(|params| params.text("mode").as_deref() == Some("url"));
    (all && !asked.is_empty() && asked.len() <= questions::MOST_AT_ONCE).then_some(asked)
}

/// Returns the error without the questions to the user.
fn refused(error: ErrorObject) -> ErrorObject {
    ErrorObject::new(JsonRpcCode::InvalidRequest, error.message)
}
