//! Questions about actions whose fields look like a mistake.

use super::agents::GRANT;
use crate::{
    page::{Action, Context},
    pages::{RULE_DOUBT, rule_doubt},
};
use axum::response::{Html, IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode};

/// The field with which an operator runs the action all the same.
pub(crate) const ANYWAY: &str = "anyway";

/// Returns the question that is shown instead of running an action; `None` if nothing looks wrong, or if it was answered with yes.
pub(super) async fn doubt(context: &Context, action: &Action) -> Option<Response> {
    if action.name != GRANT.name || context.query.has(ANYWAY) {
        return None;
    }
    let question = rule_doubt(context).await?;
    // The question is shown in the form, and not as a message.
    let mut headers = HeaderMap::new();
    headers.insert("hx-retarget", HeaderValue::from_static(RULE_DOUBT));
    headers.insert("hx-reswap", HeaderValue::from_static("innerHTML"));
    Some((StatusCode::UNPROCESSABLE_ENTITY, headers, Html(question.into_string())).into_response())
}
