//! From a function that writes the middle of a page to a route.

use super::{Context, Nav, element::error_box, frame::frame};
use crate::{commands::CommandError, console::Console};
use axum::{
    response::{Html, IntoResponse, Response},
    routing::{MethodRouter, get},
};
use http::StatusCode;
use maud::{Markup, html};
use std::sync::Arc;

/// Returns the route of a page. An error of a command is shown in the frame of the page.
pub(crate) fn page<F, Answer>(nav: Nav, write: F) -> MethodRouter<Arc<Console>>
where
    F: Fn(Context) -> Answer + Clone + Send + Sync + 'static,
    Answer: Future<Output = Result<Markup, CommandError>> + Send,
{
    get(async move |context: Context| {
        let (status, middle) = match write(context.clone()).await {
            Ok(middle) => (StatusCode::OK, middle),
            Err(error) => {
                let middle = html! { h1 { (nav.name(context.texts)) } (error_box(&context, &error)) };
                (status(&error), middle)
            }
        };
        respond(status, frame(&context, nav, &middle))
    })
}

fn respond(status: StatusCode, markup: Markup) -> Response {
    (status, Html(markup.into_string())).into_response()
}

/// Returns the status of a page whose command failed.
fn status(error: &CommandError) -> StatusCode {
    match &*error.kind {
        "usage" => StatusCode::BAD_REQUEST,
        "not_found" => StatusCode::NOT_FOUND,
        "refused" => StatusCode::FORBIDDEN,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
