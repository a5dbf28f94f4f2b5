//! A prompt with an argument that hosts complete.

use mgp_server_sdk::{
    Error, Prompt, Server,
    extract::{Args, Prefix},
    schemars::{self, JsonSchema},
};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// The language of the code.
    language: String,
    /// The number of remarks.
    remarks: Option<u32>,
}

fn review(Args(Review { language, remarks }): Args<Review>) -> String {
    format!("Review this {language} code, with at most {} remarks.", remarks.unwrap_or(5))
}

fn languages(Prefix(typed): Prefix) -> Vec<&'static str> {
    ["python", "ruby", "rust"].into_iter().filter(|name| name.starts_with(&*typed)).collect()
}

pub(crate) fn server() -> Server {
    let review = Prompt::new("review", "Reviews code", review).complete("language", languages);
    Server::new("reviewer", "1.0.0").prompt(review)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
