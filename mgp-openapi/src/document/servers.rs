//! The base URLs that a document names.

use crate::limits::MAX_ENTRIES;
use serde_json::Value;

/// Returns the URLs of a list of servers, with the defaults of their variables.
pub(crate) fn server_urls(owner: &Value) -> Vec<String> {
    let servers = owner.get("servers").and_then(Value::as_array);
    servers.into_iter().flatten().take(MAX_ENTRIES).filter_map(url).collect()
}

fn url(server: &Value) -> Option<String> {
    let template = server.get("url")?.as_str()?.trim();
    let mut url = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}')?;
        let variable = server.get("variables").and_then(|variables| variables.get(name))?;
        let value = match variable.get("default") {
            Some(Value::String(text)) => text.clone(),
            Some(value @ Value::Number(_)) => value.to_string(),
            _ => variable.get("enum")?.get(0)?.as_str()?.to_owned(),
        };
        url.push_str(before);
        url.push_str(&value);
        rest = after;
    }
    url.push_str(rest);
    Some(url).filter(|url| !url.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn variables_have_their_defaults() {
        let owner = json!({"servers": [
            {"url": "https://{region}.example.com:{port}/v1", "variables": {
                "region": {"default": "eu"}, "port": {"enum": ["443"]}
            }},
            {"url": "/v2"},
            {"url": "https://{unknown}.example.com"},
            {"url": 7},
        ]});
        assert_eq!(server_urls(&owner), ["https://eu.example.com:443/v1", "/v2"]);
    }
}
