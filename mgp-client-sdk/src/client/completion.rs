//! The completion of arguments.

use super::{Client, prompts::strings};
use mgp_transport::seam::CallError;
use mgp_types::mcp::{
    Complete, CompleteParams, Completion, CompletionArgument, CompletionContext, CompletionReference,
};

impl Client {
    /// Requests completions of an argument of a prompt or a resource template. `filled` contains the arguments that already
    /// have a value, by name.
    ///
    /// ```
    /// use mgp_client_sdk::{client::Client, mcp::CompletionReference};
    /// # use mgp_server_sdk::{Prompt, Server, extract::{Args, Prefix}};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Review { language: String }
    /// # async fn languages(Prefix(typed): Prefix) -> Vec<String> { vec![format!("{typed}st")] }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let review = Prompt::new("review", "Reviews", async |Args(Review { language }): Args<Review>| language)
    /// #     .complete("language", languages);
    /// # let (input, output) = Server::new("s", "1").prompt(review).build()?.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// let review = CompletionReference::Prompt { name: "review".into(), title: None };
    /// let proposals = client.complete(review, ("language", "Ru"), &[]).await?;
    /// assert!(proposals.values == ["Rust"]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn complete(
        &self,
        reference: CompletionReference,
        (name, value): (&str, &str),
        filled: &[(&str, &str)],
    ) -> Result<Completion, CallError> {
        let context = (!filled.is_empty()).then(|| CompletionContext { arguments: Some(strings(filled)) });
        let argument = CompletionArgument { name: name.to_owned(), value: value.to_owned() };
        let params = CompleteParams { reference, argument, context, meta: None };
        self.request::<Complete>(&params).await.map(|result| result.completion)
    }
}
