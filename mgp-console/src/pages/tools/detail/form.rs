//! The form of a tool's arguments.

use crate::{
    page::{Context, foreign},
    pages::tools::arguments::{ArgumentField, ArgumentKind, WHOLE},
};
use maud::{Markup, html};
use mgp_types::json::RawJson;

/// The longest value of a choice that is shown, in characters.
const MAX_CHOICE: usize = 120;

/// Returns the fields of the arguments, and the one that takes all of them as JSON. It is the only one if the schema has no form.
pub(super) fn argument_fields(context: &Context, fields: Option<&[ArgumentField]>) -> Markup {
    let words = &context.texts.tools;
    let whole = html! {
        div .field {
            label for="whole" { (words.whole) }
            textarea #whole name=(WHOLE) rows="4" spellcheck="false" aria-describedby="whole-help" {}
            span #whole-help .quiet { (words.whole_help) }
        }
    };
    html! {
        @match fields {
            Some([]) => { p .quiet { (words.no_arguments) } details { summary { (words.as_json) } (whole) } }
            Some(fields) => { (list(context, fields, "a")) details { summary { (words.as_json) } (whole) } }
            None => (whole)
        }
    }
}

fn list(context: &Context, fields: &[ArgumentField], prefix: &str) -> Markup {
    html! { @for (n, field) in fields.iter().enumerate() { (one(context, field, &format!("{prefix}-{n}"))) } }
}

fn one(context: &Context, field: &ArgumentField, id: &str) -> Markup {
    if field.kind() == ArgumentKind::Group {
        return html! {
            fieldset {
                legend { (label(context, field)) }
                (help(context, field, id))
                input type="hidden" name=(field.name.to_string()) value="";
                (list(context, &field.fields, id))
            }
        };
    }
    let help_id = format!("{id}-help");
    html! {
        div .field {
            label for=(id) { (label(context, field)) }
            (input(context, field, id, &help_id))
            (help(context, field, id))
        }
    }
}

fn label(context: &Context, field: &ArgumentField) -> Markup {
    let words = &context.texts.tools;
    html! { (foreign(field.label())) @if field.name.is_required() { " " span .required { (words.required) } } }
}

fn input(context: &Context, field: &ArgumentField, id: &str, help: &str) -> Markup {
    let (name, value) = (field.name.to_string(), field.first_value());
    // An argument that may be null needs no value.
    let is_required = field.name.needs_value();
    match field.kind() {
        ArgumentKind::Boolean => {
            let values = [("true", &context.texts.tools.yes), ("false", &context.texts.tools.no)];
            html! { select id=(id) name=(name) required[is_required] aria-describedby=(help) {
                option value="" { (context.texts.tools.left_out) }
                @for (json, word) in values { option value=(json) selected[value == json] { (word) } }
            } }
        }
        ArgumentKind::Choice => {
            html! { select id=(id) name=(name) required[is_required] aria-describedby=(help) {
                option value="" { (context.texts.tools.left_out) }
                @for choice in &field.choices { option value=(choice.as_str()) selected[value == choice.as_str()] { (choice_text(choice)) } }
            } }
        }
        ArgumentKind::Integer | ArgumentKind::Number => {
            let mode = if field.kind() == ArgumentKind::Integer { "numeric" } else { "decimal" };
            html! { input id=(id) type="text" inputmode=(mode) name=(name) value=(value) required[is_required] aria-describedby=(help) autocomplete="off"; }
        }
        kind => {
            let rows = if matches!(kind, ArgumentKind::Text) { "1" } else { "3" };
            html! { textarea id=(id) name=(name) rows=(rows) required[is_required] aria-describedby=(help) spellcheck="false" { (value) } }
        }
    }
}

/// Returns a value of a list as its text. Texts of options cannot be marked.
fn choice_text(choice: &RawJson) -> String {
    let text = choice.to_text().unwrap_or_else(|| choice.as_str().to_owned());
    mgp_types::printable::on_one_line(&text.chars().take(MAX_CHOICE).collect::<String>())
}

fn help(context: &Context, field: &ArgumentField, id: &str) -> Markup {
    let words = &context.texts.tools;
    let form = match field.kind() {
        ArgumentKind::Texts => Some(&words.texts_help),
        ArgumentKind::Json => Some(&words.json_help),
        ArgumentKind::Integer => Some(&words.integer_help),
        ArgumentKind::Number => Some(&words.number_help),
        _ => None,
    };
    html! {
        span .quiet id=(format!("{id}-help")) {
            @if let Some(form) = form { (form) " " }
            @if let Some(bounds) = &field.bounds { (bounds) ". " }
            @if let Some(default) = &field.default { (words.default) " " (foreign(&choice_text(default))) ". " }
            @if let Some(description) = &field.description { (foreign(description)) }
        }
    }
}
