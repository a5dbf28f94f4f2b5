//! Prompts: listing, completing an argument, and filling one in.
//!
//! Run it with `cargo run -p mgp-client-sdk --example prompts`.
use mgp_client_sdk::{client::Client, mcp::CompletionReference};
use mgp_server_sdk::{
    Prompt, Server,
    extract::{Args, Prefix},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// The programming language.
    language: String,
}

async fn review(Args(Review { language }): Args<Review>) -> String {
    format!("Review this {language} code.")
}

async fn languages(Prefix(typed): Prefix) -> Vec<String> {
    ["Python", "Ruby", "Rust"]
        .into_iter()
        .filter(|name| name.starts_with(&*typed))
        .map(str::to_owned)
        .collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prompt = Prompt::new("review", "Reviews code", review).complete("language", languages);
    let (input, output) = Server::new("reviewer", "1.0.0").prompt(prompt).build()?.in_process();
    let client = Client::builder("example", "1.0.0").connect(input, output).await?;

    for prompt in client.list_prompts().await? {
        println!("{}: {}", prompt.name, prompt.description.unwrap_or_default());
    }
    let reference = CompletionReference::Prompt { name: "review".into(), title: None };
    let proposals = client.complete(reference, ("language", "Ru"), &[]).await?.values;
    println!("proposals: {}", proposals.join(", "));
    assert!(proposals == ["Ruby", "Rust"]);

    let filled = client.get_prompt("review", json!({"language": "Rust"})).await?;
    let text = filled.messages[0].content.as_text().unwrap_or_default();
    println!("{text}");
    assert!(text == "Review this Rust code.");
    Ok(())
}
