//! Files in arguments: base64, or a `data:` URL.

use super::{ArgumentError, arguments::invalid, value::text};
use base64::{
    Engine,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use mgp_types::json::RawJson;

const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const ENGINES: [GeneralPurpose; 2] =
    [GeneralPurpose::new(&STANDARD, CONFIG), GeneralPurpose::new(&URL_SAFE, CONFIG)];

/// The content of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileContent {
    pub(super) bytes: Vec<u8>,
    /// The media type of a `data:` URL.
    pub(super) media_type: Option<String>,
}

/// Reads the content of a file from an argument.
pub(super) fn file(argument: &str, value: &RawJson) -> Result<FileContent, ArgumentError> {
    let text = text(value);
    let (media_type, data) = match text.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        Some((media_type, data)) => (Some(media_type), data),
        None => (None, text.as_str()),
    };
    let data: String = data.split_ascii_whitespace().collect();
    let Some(bytes) = ENGINES.iter().find_map(|engine| engine.decode(&data).ok()) else {
        return Err(invalid(argument, value, "a text in base64"));
    };
    let is_safe = |name: &&str| !name.is_empty() && http::HeaderValue::try_from(*name).is_ok();
    Ok(FileContent { bytes, media_type: media_type.filter(is_safe).map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_in_its_common_forms() {
        for (text, expected) in [
            ("aGk=", Some((&b"hi"[..], None))),
            ("aGk", Some((b"hi", None))),
            ("_-8=", Some((b"\xff\xef", None))),
            ("/+8=", Some((b"\xff\xef", None))),
            ("aG\nk=", Some((b"hi", None))),
            ("", Some((b"", None))),
            ("data:image/png;base64,aGk=", Some((b"hi", Some("image/png")))),
            ("data:a\r\nb: c;base64,aGk=", Some((b"hi", None))),
            ("hi!", None),
        ] {
            let read = file("a", &RawJson::string(text)).ok();
            let expected = expected.map(|(bytes, media_type)| FileContent {
                bytes: bytes.to_vec(),
                media_type: media_type.map(str::to_owned),
            });
            assert_eq!(read, expected, "{text}");
        }
    }
}
