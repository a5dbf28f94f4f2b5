//! The page without a session.

use super::frame::document;
use crate::{guard::Nonce, texts::Texts};
use axum::response::Html;
use maud::html;

/// Returns the page that exchanges the token in its fragment, or says how to get one.
pub(crate) fn sign_in(texts: &Texts, nonce: &Nonce) -> Html<String> {
    let words = &texts.sign_in;
    let body = html! {
        body .sign-in data-sign-in="" {
            main #page {
                h1 { (words.title) }
                p #sign-in-state role="status" data-opening=(words.opening) { (words.how) }
                pre { code { "mgp console" } }
                noscript { p { (words.scripts) } }
            }
        }
    };
    Html(document(texts, &words.title, nonce, &body).into_string())
}
