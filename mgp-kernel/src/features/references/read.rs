//! Kept data in parts, by `resources/read` and by the tool `mgp_result_read`.

use super::{References, data::KeptData};
use crate::features::own_resources::UnlistedResources;
use async_trait::async_trait;
use mgp_toolindex::meta_tools::ReadRequest;
use mgp_transport::seam::Reply;
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    reference::{REFERENCE_KEY, REFERENCE_URI, ReferencePart},
    rpc::ErrorObject,
};
use std::ops::RangeInclusive;

/// The default length of a part, in bytes.
const PART: usize = 16 * 1024;
/// The maximum length of a part, in bytes.
const MAX_PART: usize = 256 * 1024;
/// The minimum length of a part: every character fits, so that reading always progresses.
const MIN_PART: usize = 4;
const LENGTHS: RangeInclusive<usize> = MIN_PART..=MAX_PART;

/// The part of kept data in a URI.
#[derive(Debug, PartialEq, Eq)]
struct WantedPart<'a> {
    id: &'a str,
    offset: u64,
    length: usize,
}

impl<'a> WantedPart<'a> {
    fn parse(uri: &'a str) -> Result<Self, ErrorObject> {
        let rest = uri.strip_prefix(REFERENCE_URI).unwrap_or(uri);
        let (id, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut part = Self { id, offset: 0, length: PART };
        for (key, value) in
            query.split('&').filter(|pair| !pair.is_empty()).filter_map(|pair| pair.split_once('='))
        {
            let invalid = |expected: &str| {
                let value: String = value.chars().take(32).collect();
                ErrorObject::invalid_params(format!("invalid {key}: expected {expected}, found {value:?}"))
            };
            match key {
                "offset" => part.offset = value.parse().map_err(|_| invalid("a number of bytes"))?,
                "length" => {
                    let length = value.parse().ok().filter(|length| LENGTHS.contains(length));
                    part.length = length.ok_or_else(|| invalid(&format!("{MIN_PART} to {MAX_PART}")))?;
                }
                other => {
                    let other: String = other.chars().take(32).collect();
                    let message = format!("unknown parameter {other:?}: expected offset or length");
                    return Err(ErrorObject::invalid_params(message));
                }
            }
        }
        Ok(part)
    }
}

impl References {
    /// Returns whether results over a limit are kept without a request, so that hosts need a way to read the rest.
    pub(crate) fn keeps_long_results(&self) -> bool {
        self.settings.results.max_tokens.is_some()
    }
}

#[async_trait]
impl UnlistedResources for References {
    fn has(&self, uri: &str) -> bool {
        uri.starts_with(REFERENCE_URI)
    }

    /// Answers `resources/read` for kept data.
    ///
    /// # Errors
    /// Those of [`References::find`], and -32602 for an invalid part.
    async fn read(&self, principal: &Principal, uri: &str) -> Result<Reply, ErrorObject> {
        let part = read_part(self, principal, WantedPart::parse(uri)?).await?;
        Ok(contents(uri, &part))
    }
}

/// Returns the result of `resources/read` with a part.
fn contents(uri: &str, part: &ReferencePart) -> Reply {
    let number = |number: u64| RawJson::from_value(&number).unwrap_or_else(|_| RawJson::null());
    let mut place =
        RawObject::from_iter([("offset", number(part.offset)), ("size_bytes", number(part.size_bytes))]);
    if let Some(next) = part.next_offset {
        place.insert("next_offset", number(next));
    }
    let content = RawObject::from_iter([
        ("uri", RawJson::string(uri)),
        ("mimeType", RawJson::string(&part.mime_type)),
        ("text", RawJson::string(&part.text)),
        ("_meta", RawObject::from_iter([(REFERENCE_KEY, place.to_json())]).to_json()),
    ]);
    let contents = RawJson::from_value(&[content]).unwrap_or_else(|_| RawJson::null());
    Reply::ok(RawObject::from_iter([("contents", contents)]).to_json())
}

/// Answers the tool that reads kept data. The default length of a part is within the limit of results for hosts.
///
/// # Errors
/// Those of [`References::find`], and -32602 for an invalid part.
pub(super) async fn read_on(
    references: &References,
    principal: &Principal,
    request: &ReadRequest,
) -> Result<ReferencePart, ErrorObject> {
    let length = match request.length {
        Some(length) => {
            usize::try_from(length).ok().filter(|length| LENGTHS.contains(length)).ok_or_else(|| {
                ErrorObject::invalid_params(format!(
                    "invalid length: expected {MIN_PART} to {MAX_PART}, found {length}"
                ))
            })?
        }
        None => {
            // A token has at least one byte.
            let most = references.settings.results.max_tokens.and_then(|most| usize::try_from(most).ok());
            most.map_or(PART, |most| most.clamp(MIN_PART, PART))
        }
    };
    read_part(references, principal, WantedPart { id: &request.reference, offset: request.offset, length })
        .await
}

async fn read_part(
    references: &References,
    principal: &Principal,
    wanted: WantedPart<'_>,
) -> Result<ReferencePart, ErrorObject> {
    let kept = references.find(principal, wanted.id).await?;
    let (offset, length) = (wanted.offset, wanted.length);
    if offset > kept.spool.length() {
        let message = format!("invalid offset: expected at most {}, found {offset}", kept.spool.length());
        return Err(ErrorObject::invalid_params(message));
    }
    let broken = |error: String| ErrorObject::internal(error);
    let read = tokio::task::spawn_blocking(move || part(&kept, offset, length));
    let part = read.await.map_err(|error| broken(error.to_string()))?;
    part.map_err(|error| broken(error.to_string()))
}

/// Reads a part, which begins and ends at character boundaries.
fn part(kept: &KeptData, offset: u64, length: usize) -> std::io::Result<ReferencePart> {
    let bytes = kept.spool.read(offset, length)?;
    let is_inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    let skipped = bytes.iter().take(3).take_while(is_inside).count();
    let text = &bytes[skipped..];
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default(),
    };
    let offset = offset + skipped as u64;
    let next = offset + text.len() as u64;
    Ok(ReferencePart {
        ref_id: kept.reference.ref_id.clone(),
        mime_type: kept.reference.mime_type.clone(),
        offset,
        size_bytes: kept.spool.length(),
        next_offset: (next < kept.spool.length()).then_some(next),
        text: text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_from_its_uri_and_mistakes_are_named() {
        let read = |rest: &str| {
            WantedPart::parse(&format!("{REFERENCE_URI}{rest}"))
                .map(|part| (part.id.to_owned(), part.offset, part.length))
                .map_err(|error| error.message)
        };
        assert_eq!(read("ref-1"), Ok(("ref-1".to_owned(), 0, PART)));
        assert_eq!(read("ref-1?length=4&offset=7"), Ok(("ref-1".to_owned(), 7, 4)));
        for (rest, problem) in [
            ("r?offset=-1", "invalid offset: expected a number of bytes"),
            ("r?length=3", "invalid length: expected 4 to 262144, found \"3\""),
            ("r?length=262145", "invalid length"),
            ("r?page=1", "unknown parameter \"page\""),
        ] {
            assert!(read(rest).unwrap_err().contains(problem), "{rest}");
        }
    }
}
