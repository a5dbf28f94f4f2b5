//! From the commands that advice names to the pages that do the same.

use super::{Context, Nav};
use maud::{Markup, html};

/// The commands with a page of their own.
const PAGES: [(&str, Nav); 9] = [
    ("mgp approve", Nav::Approvals),
    ("mgp servers", Nav::Servers),
    ("mgp logs", Nav::Servers),
    ("mgp add", Nav::Servers),
    ("mgp tools", Nav::Tools),
    ("mgp access", Nav::Agents),
    ("mgp keys", Nav::Agents),
    ("mgp audit", Nav::Trail),
    ("mgp doctor", Nav::Settings),
];

/// Returns the ways to the pages that do what the commands in a text do.
pub(super) fn advice_links(context: &Context, text: &str) -> Markup {
    let mut pages: Vec<Nav> = Vec::new();
    for (command, page) in PAGES {
        if text.contains(command) && !pages.contains(&page) {
            pages.push(page);
        }
    }
    html! {
        @if !pages.is_empty() {
            p .advice { (context.texts.common.on_page) @for page in pages { " " a href=(page.path()) { (page.name(context.texts)) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    #[test]
    fn advice_leads_to_each_page_once() {
        let text = "see `mgp approve`, `mgp servers` or `mgp logs notes`, and <b>`mgp approve ID`";
        let shown = advice_links(&context(), text).into_string();
        let links: Vec<_> =
            shown.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert_eq!(links, ["/approvals", "/servers"]);
        assert!(!shown.contains("<b>"));
        assert_eq!(advice_links(&context(), "wait longer with --timeout").into_string(), "");
    }
}
