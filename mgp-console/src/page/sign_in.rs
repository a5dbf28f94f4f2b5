//! The page without a session.

use super::frame::document;
use crate::{guard::Nonce, texts::Texts};
use axum::response::Html;
use maud::html;

/// Returns the page that exchanges the token in its fragment, or says how to get one. With keys, it also asks for one; with `Some(true)`, access
/// tokens are accepted like keys.
pub(crate) fn sign_in(texts: &Texts, nonce: &Nonce, takes_tokens: Option<bool>) -> Html<String> {
    let words = &texts.sign_in;
    let body = html! {
        body .sign-in data-sign-in="" {
            main #page {
                h1 { (words.title) }
                @if let Some(takes_tokens) = takes_tokens {
                    form #sign-in-key .fields method="post" {
                        p { label for="key" { (if takes_tokens { &words.key_or_token } else { &words.key }) } input #key name="key" type="password" required autocomplete="current-password"; }
                        p { button type="submit" { (words.with_key) } }
                    }
                    p #sign-in-state role="status" data-opening=(words.opening) { (words.how_key) }
                    pre { code { "mgp keys add NAME --console viewer" } }
                } @else {
                    p #sign-in-state role="status" data-opening=(words.opening) { (words.how) }
                    pre { code { "mgp console" } }
                }
                noscript { p { (words.scripts) } }
            }
        }
    };
    Html(document(texts, &words.title, nonce, &body).into_string())
}
