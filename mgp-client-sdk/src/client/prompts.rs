//! The server's prompts: the list, and filling one in.

use super::{Client, caller::decode, tool_call::to_arguments};
use mgp_transport::seam::CallError;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{GetPrompt, GetPromptResult, ListPrompts, Prompt},
    rpc::Call,
};
use serde::Serialize;

impl Client {
    /// Lists the server's prompts, from every page of the list. A prompt that cannot be read is left out with a warning.
    ///
    /// # Errors
    /// [`CallError`], also for a list with more pages or entries than the client's [`Limits`](super::Limits) allow.
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, CallError> {
        self.caller.list((ListPrompts::METHOD, "prompts"), ("prompt", "name"), Prompt::from_object).await
    }

    /// Fills in a prompt, with arguments by name, all of them strings; `()` stands for none. Questions of the server in between are
    /// answered by the client's handlers.
    ///
    /// ```
    /// # use {mgp_client_sdk::client::Client, mgp_server_sdk::{Prompt, Server, extract::Args}};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Review { language: String }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let review = Prompt::new("review", "Reviews", async |Args(Review { language }): Args<Review>| language);
    /// # let (input, output) = Server::new("s", "1").prompt(review).build()?.in_process();
    /// use serde_json::json;
    ///
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// let prompt = client.get_prompt("review", json!({"language": "Rust"})).await?;
    /// assert!(prompt.messages[0].content.as_text() == Some("Rust"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CallError`]; arguments other than an object are [`CallError::Params`].
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<GetPromptResult, CallError> {
        let arguments = RawObject::from_json(&to_arguments(&arguments)?).map_err(CallError::Params)?;
        let mut params = RawObject::from_iter([("name", RawJson::string(name))]);
        if !arguments.is_empty() {
            params.insert("arguments", arguments.to_json());
        }
        decode::<GetPrompt>(&self.caller.call(GetPrompt::METHOD, params, None).await?)
    }
}

/// Returns a map of strings by name.
pub(super) fn strings(named: &[(&str, &str)]) -> RawObject {
    let mut object = RawObject::new();
    for (name, value) in named {
        object.insert_named(name, RawJson::string(value));
    }
    object
}
