//! The addresses of the console, and what answers at them.

use crate::{actions, assets, console::Console, form::Form, guard, live, page::Action, pages};
use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware::{from_fn, from_fn_with_state},
    response::Redirect,
    routing::{get, post},
};
use std::sync::Arc;

/// The largest body of a request: a configuration file, and room.
const MAX_BODY: usize = 2 * 1024 * 1024;

impl Console {
    /// Returns the words of each action for its example, by its name. Each is a command line of the program, which a test of the program holds.
    #[must_use]
    pub fn example_commands() -> Vec<(&'static str, Vec<String>)> {
        let words =
            |action: &Action| (action.words)(&Form::parse(action.example.as_bytes())).unwrap_or_default();
        actions::actions().map(|action| (action.name, words(action))).collect()
    }

    /// Returns the pages.
    pub fn router(self: Arc<Self>) -> Router {
        let open = Router::new()
            .route("/sign-in", get(guard::sign_in_page).post(guard::sign_in))
            .route("/csp-report", post(guard::report))
            .route("/assets/{name}", get(assets::asset));
        let operators = Router::new()
            .route("/", get(async || Redirect::to("/now")))
            .route("/sign-out", post(guard::sign_out))
            .route("/live", get(live::stream))
            .route("/waiting", get(pages::waiting))
            .route("/do/{action}", post(actions::run))
            .merge(pages::router());
        open.merge(operators)
            .layer(DefaultBodyLimit::max(MAX_BODY))
            .layer(from_fn_with_state(self.clone(), guard::guard))
            .layer(from_fn(guard::secure))
            .with_state(self)
    }
}
