//! §13.4 Converts callbacks to elicitation for hosts that do not answer callbacks, and elicitation to callbacks for hosts that show no
//! forms.

use super::questions::{QuestionRefusal, not_asked, request};
use crate::{ground::caller::Caller, host::answers_callbacks};
use mgp_server_sdk::logging;
use mgp_stream::callbacks::{
    CallbackError, CallbackForm, CallbackQuestion, OpenCallbacks, form_of, response_of,
};
use mgp_transport::seam::CallError;
use mgp_types::{
    callback::CallbackRequestParams,
    json::{RawJson, RawObject},
    mcp::{
        ClientCapabilities, Elicit, ElicitParams, ElicitResult, LogMessage, LogMessageParams, LoggingLevel,
    },
    rpc::{Call, ErrorObject, Notice, RawParams, RawResult},
};
use std::time::Duration;

/// Asks a server's callback: by a callback with the kernel's own id, or by elicitation. The time limit is that of the method used.
pub(super) async fn ask(
    caller: &Caller,
    limit: Duration,
    params: &RawObject,
) -> Result<RawJson, QuestionRefusal> {
    let asked: CallbackRequestParams = params.to_json().decode().map_err(|error| not_asked(&error))?;
    let question = CallbackQuestion::of(&asked);
    if takes_callbacks(caller) {
        let open = OpenCallbacks::of(caller.peer.session());
        let asked = open.ask(&caller.peer, caller.request_id.clone(), question, limit);
        return asked.await.map_err(refusal);
    }
    let form = RawJson::from_value(&form_of(&question)).and_then(|form| RawObject::from_json(&form));
    let form = form.map_err(|error| not_asked(&error))?;
    let key = caller.parked.as_ref().map(|parked| parked.fresh_key(Elicit::METHOD));
    let answer = request(caller, key.as_deref(), limit, Elicit::METHOD, form).await?;
    let answer: ElicitResult = answer.decode().map_err(|error| unfit(&error.to_string()))?;
    response_of(&question, &answer).map_err(|problem| unfit(&problem))
}

/// Asks a server's elicitation by a callback.
pub(super) async fn elicit(
    caller: &Caller,
    limit: Duration,
    form: CallbackForm,
) -> Result<RawResult, QuestionRefusal> {
    let open = OpenCallbacks::of(caller.peer.session());
    let answer = open.ask_form(&caller.peer, caller.request_id.clone(), form, limit).await;
    RawJson::from_value(&answer.map_err(refusal)?).map_err(|error| not_asked(&error))
}

/// Sends a host a text that needs no answer: by a callback, or as a log message if the host accepts the level `info`.
pub(super) async fn inform(caller: &Caller, server_id: &str, message: String) -> Result<(), CallError> {
    if takes_callbacks(caller) {
        let open = OpenCallbacks::of(caller.peer.session());
        return open.inform(&caller.peer, caller.request_id.clone(), message).await;
    }
    let (logger, data) = (Some(server_id.to_owned()), RawJson::string(&message));
    let line = LogMessageParams { level: LoggingLevel::Info, logger, data, meta: None };
    let params = RawParams::from_value(&line).map_err(CallError::Params)?;
    if !logging::is_wanted(caller.peer.session(), &params) {
        return Ok(());
    }
    caller.peer.notify(LogMessage::METHOD, params).await
}

/// Returns whether a host answers callbacks. A host of a stateless revision is asked in rounds instead.
pub(super) fn takes_callbacks(caller: &Caller) -> bool {
    caller.parked.is_none() && answers_callbacks(caller.peer.session())
}

/// Converts an elicitation to a callback, if the host answers callbacks and shows no forms, and a callback can carry this form.
pub(super) fn as_callback(caller: &Caller, params: &RawObject) -> Option<CallbackForm> {
    if caller.capabilities().elicits_forms() || !takes_callbacks(caller) {
        return None;
    }
    match params.to_json().decode().ok()? {
        ElicitParams::Form(form) => CallbackForm::of(&form),
        ElicitParams::Url(_) => None,
    }
}

/// Returns the capabilities of a host, including those through callbacks: a host that answers callbacks can show forms.
pub(super) fn capabilities(caller: &Caller) -> ClientCapabilities {
    let mut capabilities = caller.capabilities();
    if !capabilities.elicits_forms() && takes_callbacks(caller) {
        let mut kinds = capabilities.0.object("elicitation").unwrap_or_default();
        kinds.insert("form", RawJson::empty_object());
        capabilities.0.insert("elicitation", kinds.to_json());
    }
    capabilities
}

fn refusal(error: CallbackError) -> QuestionRefusal {
    match error {
        CallbackError::Refused(error) => QuestionRefusal::Failed(error.to_plain_mcp()),
        CallbackError::TimedOut(_) => QuestionRefusal::timed_out(),
        error => not_asked(&error),
    }
}

fn unfit(problem: &str) -> QuestionRefusal {
    let error = format!("the host's answer does not fit the question: {problem}");
    QuestionRefusal::Failed(ErrorObject::internal(error))
}
