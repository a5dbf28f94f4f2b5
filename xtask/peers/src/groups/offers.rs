//! Resources and prompts: a server's lists, and the first of each, the same directly and through the kernel.

use super::ask::{items, raw};
use crate::{
    json::{Normal, difference},
    peers::ServerPeer,
};
use mgp_client_sdk::client::Client;
use serde_json::json;

/// Lists and reads in both ways, and compares.
pub(super) async fn alike(through: &Client, direct: &Client, server: &ServerPeer) -> Result<(), String> {
    let (resources, templates) = server.resources;
    let both = ClientPair { through, direct };
    let listed = both.list("resources/list", "resources", resources).await?;
    both.list("resources/templates/list", "resourceTemplates", templates).await?;
    if let Some(Normal::Text(uri)) = listed.first().and_then(|resource| resource.get("uri")) {
        both.get("resources/read", &json!({ "uri": uri })).await?;
    }
    let prompts = both.list("prompts/list", "prompts", server.prompts).await?;
    if let Some(Normal::Text(name)) =
        prompts.iter().find(|prompt| asks_nothing(prompt)).and_then(|prompt| prompt.get("name"))
    {
        both.get("prompts/get", &json!({ "name": name })).await?;
    }
    Ok(())
}

struct ClientPair<'a> {
    through: &'a Client,
    direct: &'a Client,
}

impl ClientPair<'_> {
    /// Reads a list of this many items. A server without expected items may not know the method.
    async fn list(&self, method: &'static str, key: &str, expected: usize) -> Result<Vec<Normal>, String> {
        let theirs = match items(self.direct, method, key).await {
            Err(_) if expected == 0 => Vec::new(),
            theirs => theirs?,
        };
        if theirs.len() != expected {
            return Err(format!("{method} has {} items, expected {expected}: {theirs:?}", theirs.len()));
        }
        if expected > 0 {
            let mut ours = items(self.through, method, key).await?;
            ours.retain(|item| !is_manifest(item));
            same(method, &Normal::List(ours), &Normal::List(theirs.clone()))?;
        }
        Ok(theirs)
    }

    async fn get(&self, method: &'static str, params: &serde_json::Value) -> Result<(), String> {
        let theirs = raw(self.direct, method, params).await?;
        same(method, &raw(self.through, method, params).await?, &theirs)
    }
}

fn same(method: &str, ours: &Normal, theirs: &Normal) -> Result<(), String> {
    let other = |difference| Err(format!("{method} answers differently through the kernel {difference}"));
    difference(ours, theirs).map_or(Ok(()), other)
}

/// Returns `true` for the resource that the kernel adds to those of its servers.
pub(super) fn is_manifest(item: &Normal) -> bool {
    matches!(item.get("uri"), Some(Normal::Text(uri)) if uri == "mgp://manifest")
}

/// Returns `true` if a prompt has no required argument.
fn asks_nothing(prompt: &Normal) -> bool {
    let required =
        |argument: &Normal| matches!(argument.get("required"), Some(Normal::Word(word)) if word == "true");
    match prompt.get("arguments") {
        Some(Normal::List(arguments)) => !arguments.iter().any(required),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_without_required_arguments_asks_nothing() {
        let asks = |text: &str| !asks_nothing(&Normal::parse(text).unwrap());
        assert!(!asks(r#"{"name":"a"}"#) && !asks(r#"{"arguments":[{"name":"a"}]}"#));
        assert!(asks(r#"{"arguments":[{"name":"a"},{"name":"b","required":true}]}"#));
    }
}
