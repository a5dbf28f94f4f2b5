//! Runs an action, and answers with a message for the page.

use super::{doubt::doubt, form_error::of_form, outcome::outcome, table::action};
use crate::{
    command_line::command_line,
    commands::CommandError,
    form::Form,
    page::{Action, Context, error_box, trace_link},
};
use axum::{
    body::Bytes,
    extract::Path,
    response::{Html, IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode};
use maud::{Markup, html};

/// The option of commands that read their input.
pub(super) const FROM_STDIN: &str = "--from-stdin";

/// Runs the command of an action. The answer is a message; the event `changed` makes the page read its content again. An action may show an answer of
/// its own in the message, or in another place of the page, which is not read again then.
pub(crate) async fn run(
    Path(name): Path<String>,
    context: Context,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(action) = action(&name) else { return StatusCode::NOT_FOUND.into_response() };
    if let Some(needed) = context.refusal(action.role) {
        return (
            StatusCode::FORBIDDEN,
            Html(failed(&context, &CommandError::new("refused", needed)).into_string()),
        )
            .into_response();
    }
    let context = Context { query: Form::parse(&body), ..context };
    if let Some(question) = doubt(&context, action).await {
        return question;
    }
    match carried_out(&context, action).await {
        Ok((_, json))
            if let Some(show) = action.answer
                && !is_message(&headers) =>
        {
            Html(show(&context, &json).into_string()).into_response()
        }
        Ok((words, json)) => {
            let answer = match action.answer {
                Some(show) => Some(show(&context, &json)),
                None => outcome(&context, action, &json),
            };
            let mut response = Html(done(&context, &words, answer).into_string()).into_response();
            response.headers_mut().insert("hx-trigger", HeaderValue::from_static("changed"));
            response
        }
        // A failed tool has a result, too.
        Err(CommandError { result: Some(result), trace, .. }) if let Some(show) = action.answer => {
            let failed = html! { (show(&context, &result)) (trace_link(&context, trace.as_deref())) };
            Html(failed.into_string()).into_response()
        }
        // Shown like a success: the page puts the message into its place whatever the status is.
        Err(error) => {
            let error = of_form(error, context.texts);
            let message = Html(failed(&context, &error).into_string());
            let mut response = (StatusCode::UNPROCESSABLE_ENTITY, message).into_response();
            // Another operator may have been first, or a part may be done. A form with a wrong field keeps its content.
            if !matches!(&*error.kind, "usage" | "configuration") && action.answer.is_none() {
                response.headers_mut().insert("hx-trigger", HeaderValue::from_static("changed"));
            }
            response
        }
    }
}

async fn carried_out(context: &Context, action: &Action) -> Result<(Vec<String>, String), CommandError> {
    let form = &context.query;
    let words = (action.words)(form).map_err(|error| CommandError::new("usage", error.to_string()))?;
    let (commands, operator) = (&context.console.commands, &context.session.operator);
    let json = if reads_input(&words) {
        commands.run_with_input(operator, &words, &form.text("text")).await?
    } else {
        commands.run(operator, &words).await?
    };
    Ok((words, json))
}

/// Returns whether a command reads the field `text` of the form as its input.
fn reads_input(words: &[String]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == FROM_STDIN)
}

/// Returns whether the page shows the answer as a message.
fn is_message(headers: &HeaderMap) -> bool {
    headers.get("hx-target").is_some_and(|target| target == "messages")
}

/// Returns the message that an action is done: what holds now, and the command, which is folded.
fn done(context: &Context, words: &[String], answer: Option<Markup>) -> Markup {
    let common = &context.texts.common;
    html! {
        div .message.done {
            p { strong { (common.done) } }
            @if let Some(answer) = answer { (answer) }
            details { summary { (common.as_command) } code { "mgp " (command_line(words)) } }
            button type="button" data-close="" { (common.close) }
        }
    }
}

fn failed(context: &Context, error: &CommandError) -> Markup {
    html! {
        div .message {
            (error_box(context, error))
            button type="button" data-close="" { (context.texts.common.close) }
        }
    }
}
