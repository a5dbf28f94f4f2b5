//! The successful responses of an operation.

use super::MediaKind;
use crate::{
    document::References,
    limits::{MAX_ACCEPTED, MAX_ENTRIES},
};
use serde_json::Value;

/// The successful responses of an operation.
#[derive(Debug)]
pub(crate) struct Responses<'d> {
    /// The schema of the first response that is JSON.
    pub(crate) schema: Option<&'d Value>,
    /// The media types of all responses.
    pub(crate) media_types: Vec<&'d str>,
}

impl<'d> Responses<'d> {
    /// Reads the responses with a status from 200 to 299, in the order of their status. Responses that cannot be read are passed over.
    pub(crate) fn read(operation: &'d Value, references: References<'d>) -> Self {
        let responses = operation.get("responses").and_then(Value::as_object);
        let is_success = |status: &str| status.len() == 3 && status.starts_with('2');
        let mut responses: Vec<(&str, &Value)> = responses
            .into_iter()
            .flatten()
            .map(|(status, response)| (status.as_str(), response))
            .filter(|(status, _)| is_success(status))
            .take(MAX_ENTRIES)
            .collect();
        // `2XX` comes after every number.
        responses.sort_by_key(|(status, _)| status.to_ascii_uppercase());
        let (mut schema, mut media_types) = (None, Vec::new());
        for (_, response) in responses {
            let Ok(response) = references.follow(response) else { continue };
            let content = response.get("content").and_then(Value::as_object);
            for (media_type, media) in content.into_iter().flatten().take(MAX_ENTRIES) {
                if MediaKind::of(media_type) == MediaKind::Json {
                    schema = schema.or_else(|| media.get("schema"));
                }
                let is_new = !media_types.contains(&media_type.as_str());
                if is_new
                    && media_types.len() < MAX_ACCEPTED
                    && http::HeaderValue::try_from(media_type).is_ok()
                {
                    media_types.push(media_type);
                }
            }
        }
        // JSON first: a server that ignores weights may take the first.
        media_types.sort_by_key(|media_type| MediaKind::of(media_type) != MediaKind::Json);
        Self { schema, media_types }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_json_response_gives_the_schema() {
        let root = json!({"responses": {
            "default": {"content": {"application/json": {"schema": {"title": "error"}}}},
            "2XX": {"content": {"application/json": {"schema": {"title": "any"}}}},
            "201": {"$ref": "#/created"},
            "200": {"content": {"text/csv": {}}},
        }, "created": {"content": {"application/json": {"schema": {"title": "created"}}}}});
        let responses = Responses::read(&root, References::new(&root));
        assert_eq!(responses.schema, Some(&json!({"title": "created"})));
        assert_eq!(responses.media_types, ["application/json", "text/csv"]);
    }
}
