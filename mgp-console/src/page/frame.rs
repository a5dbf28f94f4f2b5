//! The frame: head, navigation, the operator, and the place of messages.

use super::{Context, Nav};
use crate::{assets::address, guard::Nonce, texts::Texts};
use maud::{DOCTYPE, Markup, html};

/// The settings of htmx: no evaluation of text, no styles and scripts in pages, requests only to the console, and a word at a field that keeps a
/// form from being sent.
const HTMX: &str = r#"{"allowEval":false,"allowScriptTags":false,"includeIndicatorStyles":false,"selfRequestsOnly":true,"historyCacheSize":0,"attributesToSettle":["class","width","height"],"refreshOnHistoryMiss":true,"reportValidityOfForms":true,"responseHandling":[{"code":"204","swap":false},{"code":"...","swap":true}]}"#;

/// Returns a whole page.
pub(super) fn frame(context: &Context, nav: Nav, middle: &Markup) -> Markup {
    let texts = context.texts;
    let operator = &context.session.operator;
    let token = format!(r#"{{"x-page-token":"{}"}}"#, context.session.page_token.as_str());
    let body = html! {
        body hx-headers=(token) hx-ext="sse" {
            a .skip href="#page" { (texts.common.skip) }
            header .top {
                a .brand href="/now" { img src=(address("mark.svg")) alt="" width="22" height="22"; "mgp" }
                // Only a narrow screen shows it: there, it opens the rest of the header.
                button type="button" #menu aria-expanded="false" aria-controls="pages" { (texts.nav.menu) }
                nav #pages aria-label=(texts.nav.label) {
                    ul { @for item in Nav::ALL {
                        li { a href=(item.path()) aria-current=[(item == nav).then_some("page")] {
                            (item.name(texts)) @if item == Nav::Approvals { (badge(context)) }
                        } }
                    } }
                }
                div .who {
                    span title=(texts.common.signed_in_as) { (operator.name) " · " (operator.role.as_str()) }
                    button type="button" #theme { (texts.common.theme) }
                    button type="button" hx-post="/sign-out" hx-swap="none" { (texts.common.sign_out) }
                }
            }
            // The page is read again after a change. Elements in it choose for themselves what they take of an answer.
            main #page tabindex="-1" hx-get=[Some("")] hx-trigger="changed from:body" hx-select="#page" hx-swap="outerHTML" hx-disinherit="hx-select hx-swap" { (middle) }
            div #messages role="status" aria-live="polite" {}
        }
    };
    document(texts, nav.name(texts), &context.nonce, &body)
}

/// Returns the number of questions that wait, which a script fills in.
fn badge(context: &Context) -> Markup {
    let words = &context.texts.approvals;
    html! { span #waiting .badge hidden data-stream="/waiting" data-page=(Nav::Approvals.path())
    data-one=(words.waiting_one) data-many=(words.waiting_many) {} }
}

/// Returns a document with the styles and scripts of all pages.
pub(super) fn document(texts: &Texts, title: &str, nonce: &Nonce, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(texts.language) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="htmx-config" content=(HTMX);
                title { (title) " · mgp" }
                link rel="icon" href=(address("mark.svg")) type="image/svg+xml";
                link rel="stylesheet" href=(address("console.css"));
                @for script in ["htmx.js", "htmx-sse.js", "console.js", "editor.js", "forms.js"] {
                    script nonce=(nonce.0) src=(address(script)) defer {}
                }
            }
            (body)
        }
    }
}
