//! The answers are of types that tools, prompts, resources and completions do not have.

use mgp_server_sdk::{Prompt, Resource, Tool};

async fn number() -> u32 {
    7
}

pub fn tool() -> Tool {
    Tool::new("number", "Tells a number", number)
}

pub fn prompt() -> Prompt {
    Prompt::new("number", "Tells a number", number)
}

pub fn resource() -> Resource {
    Resource::text("x://number", "number", number)
}

pub fn completed(prompt: Prompt) -> Prompt {
    prompt.complete("number", number)
}
