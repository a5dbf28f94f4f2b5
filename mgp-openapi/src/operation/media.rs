//! Media types.

/// The handling of a media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MediaKind {
    Json,
    Form,
    Multipart,
    Text,
    Image,
    Audio,
    Bytes,
}

/// The words that mark a media type outside of `text/` as text.
const TEXTS: &[&str] = &[
    "xml",
    "yaml",
    "yml",
    "csv",
    "ndjson",
    "jsonl",
    "seq",
    "graphql",
    "javascript",
    "ecmascript",
    "toml",
    "sh",
    "sql",
    "urlencoded",
    "jwt",
    "pem",
    "typescript",
    "markdown",
    "html",
];

impl MediaKind {
    /// Returns the kind of a media type. A wildcard is JSON, which APIs mean by it.
    pub(crate) fn of(media_type: &str) -> Self {
        let essence = essence(media_type);
        let (kind, name) = essence.split_once('/').unwrap_or((essence.as_str(), ""));
        if is_json(&essence) || essence == "*/*" || essence == "application/*" {
            return Self::Json;
        }
        match kind {
            "multipart" if name == "form-data" => Self::Multipart,
            "application" if name == "x-www-form-urlencoded" => Self::Form,
            "text" => Self::Text,
            _ if name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| TEXTS.contains(&word)) => {
                Self::Text
            }
            "image" => Self::Image,
            "audio" => Self::Audio,
            _ => Self::Bytes,
        }
    }
}

/// Returns a media type without its parameters, in small letters.
pub(crate) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns whether values of a media type are one JSON value.
pub(crate) fn is_json(media_type: &str) -> bool {
    let essence = essence(media_type);
    let is_lines = ["seq", "lines", "ndjson", "jsonl"].iter().any(|word| essence.contains(word));
    !is_lines && (essence.ends_with("/json") || essence.ends_with("+json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_have_a_kind() {
        for (media_type, kind) in [
            ("application/json; charset=utf-8", MediaKind::Json),
            ("Application/Problem+JSON", MediaKind::Json),
            ("*/*", MediaKind::Json),
            ("application/x-www-form-urlencoded", MediaKind::Form),
            ("multipart/form-data", MediaKind::Multipart),
            ("text/html", MediaKind::Text),
            ("application/x-ndjson", MediaKind::Text),
            ("application/vnd.api.v3.patch", MediaKind::Bytes),
            ("image/svg+xml", MediaKind::Text),
            ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", MediaKind::Bytes),
            ("image/png", MediaKind::Image),
            ("audio/mpeg", MediaKind::Audio),
            ("application/octet-stream", MediaKind::Bytes),
            ("", MediaKind::Bytes),
        ] {
            assert_eq!(MediaKind::of(media_type), kind, "{media_type}");
        }
    }
}
