//! A prompt: its description for clients, and the function that fills it in.

use crate::{
    IntoCompletion, IntoPrompt,
    completion::Completers,
    handler::{self, BoxHandler, Handler},
    needs::Needs,
};
use mgp_types::mcp::{self, GetPromptResult, PromptArgument};
use serde_json::Value;

/// A prompt: its description for clients, and the function that fills it in.
///
/// ```
/// use mgp_server_sdk::{Prompt, extract::{Args, Prefix}};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Review {
///     /// The language of the code.
///     language: String,
/// }
///
/// async fn review(Args(Review { language }): Args<Review>) -> String {
///     format!("Review this {language} code.")
/// }
///
/// async fn languages(Prefix(typed): Prefix) -> Vec<&'static str> {
///     ["rust", "ruby"].into_iter().filter(|name| name.starts_with(&*typed)).collect()
/// }
///
/// let prompt = Prompt::new("review", "Reviews code", review).complete("language", languages);
/// ```
#[derive(Debug)]
pub struct Prompt {
    pub(super) definition: mcp::Prompt,
    pub(super) needs: Needs,
    pub(super) handler: BoxHandler<GetPromptResult>,
    pub(super) completers: Completers,
}

impl Prompt {
    /// Creates a prompt. Its arguments are the fields of the function's [`Args`](crate::extract::Args).
    pub fn new<H, M>(name: impl Into<String>, description: impl Into<String>, handler: H) -> Self
    where
        H: Handler<M, GetPromptResult, Output: IntoPrompt>,
    {
        let mut needs = Needs::default();
        H::needs(&mut needs);
        let definition = mcp::Prompt {
            name: name.into(),
            description: Some(description.into()),
            arguments: needs.schema().map(arguments),
            ..mcp::Prompt::default()
        };
        let handler = handler::boxed(handler, IntoPrompt::into_prompt);
        Self { definition, needs, handler, completers: Completers::default() }
    }

    /// Sets the display name.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// Adds proposals for an argument: a function that takes the [`Prefix`](crate::extract::Prefix) typed so far.
    #[must_use]
    pub fn complete<H, M>(mut self, argument: impl Into<String>, handler: H) -> Self
    where
        H: Handler<M, mcp::Completion, Output: IntoCompletion>,
    {
        self.completers.add(argument.into(), handler);
        self
    }

    /// Adds a prefix to the name.
    pub(crate) fn moved(mut self, prefix: &str) -> Self {
        self.definition.name.insert_str(0, prefix);
        self
    }
}

/// Returns the properties of a schema as arguments, the required ones first.
fn arguments(schema: &Value) -> Vec<PromptArgument> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|required| required == name))
    };
    let argument = |(name, property): (&String, &Value)| PromptArgument {
        name: name.clone(),
        title: None,
        description: property.get("description").and_then(Value::as_str).map(str::to_owned),
        required: Some(required(name)),
    };
    let mut arguments: Vec<_> = properties.iter().map(argument).collect();
    arguments.sort_by_key(|argument| argument.required != Some(true));
    arguments
}
