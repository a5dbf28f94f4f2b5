//! A command line to copy.

use super::Context;
use maud::{Markup, html};

/// Returns a command line with a button that copies it.
pub(crate) fn command_box(context: &Context, label: &str, line: &str) -> Markup {
    let common = &context.texts.common;
    html! {
        div .command {
            pre tabindex="0" aria-label=(label) { code { (line) } }
            button type="button" data-copy="" data-copied=(common.copied) aria-label=(format!("{}: {label}", common.copy)) { (common.copy) }
        }
    }
}
