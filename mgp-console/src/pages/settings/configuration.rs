//! The files of the configuration, each with its editor.

use super::{
    configuration_report::{ConfigurationFile, ConfigurationReport},
    editor::editor,
    key_list::key_list,
};
use crate::{
    actions::RELOAD,
    form::link,
    operator::OperatorRole,
    page::{Context, NamedButton, Nav, error_box, foreign, named_button},
};
use maud::{Markup, html};

/// Returns the file that the address names, or the first one.
pub(super) async fn configuration(context: &Context) -> Markup {
    // Values of keys that must not be printed are only for those who may change them.
    let command: &[&str] =
        if context.may(OperatorRole::Admin) { &["config", "show"] } else { &["config", "show", "--masked"] };
    match context.read::<ConfigurationReport>(command).await {
        Ok(report) => written(context, &report.files),
        Err(error) => error_box(context, &error),
    }
}

fn written(context: &Context, files: &[ConfigurationFile]) -> Markup {
    let words = &context.texts.settings;
    let named = context.query.one("file");
    let chosen = files.iter().find(|file| Some(file.name.as_str()) == named).or(files.first());
    let reload = NamedButton { label: &words.reload, of: "", confirm: None, target: Some("#check") };
    let Some(file) = chosen else { return html! { p .empty { (words.no_file) } } };
    html! {
        @if files.len() > 1 { p .choices { @for other in files {
            a href=(link(Nav::Settings.path(), "file", &other.name)) aria-current=[(other.name == file.name).then_some("true")] { (foreign(&other.name)) }
        } } }
        div .title {
            h2 #file { (words.file) " " (foreign(&file.path)) }
            (named_button(context, &RELOAD, reload, &[]))
        }
        p .quiet { (words.help) }
        div .beside {
            div { (editor(context, file)) }
            aside aria-labelledby="keys-title" { (key_list(context)) }
        }
    }
}
