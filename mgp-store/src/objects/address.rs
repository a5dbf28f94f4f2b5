//! The address of a folder of objects.

use crate::StoreError;
use object_store::path::Path;

/// The beginning of an address.
const SCHEME: &str = "s3://";

/// Returns the bucket and the folder of an address such as `s3://bucket/folder`.
///
/// # Errors
/// [`StoreError`] for any other form.
pub(super) fn parse(address: &str) -> Result<(&str, Path), StoreError> {
    let (bucket, folder) = address
        .strip_prefix(SCHEME)
        .map(|rest| rest.split_once('/').unwrap_or((rest, "")))
        .filter(|(bucket, _)| is_bucket(bucket))
        .ok_or_else(|| invalid(address, "a bucket"))?;
    let folder = folder.strip_suffix('/').unwrap_or(folder);
    let path = Path::parse(folder).ok().filter(|path| path.as_ref() == folder);
    Ok((bucket, path.ok_or_else(|| invalid(address, "a folder without empty names"))?))
}

fn is_bucket(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    !name.is_empty() && name.bytes().all(is_plain)
}

fn invalid(address: &str, part: &str) -> StoreError {
    StoreError::new(format!(
        "{address:?} is not an address of objects: expected {part}, as in s3://bucket/folder"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_bucket_and_perhaps_a_folder() {
        for (address, bucket, folder) in [
            ("s3://kept", "kept", ""),
            ("s3://kept/", "kept", ""),
            ("s3://kept/mgp", "kept", "mgp"),
            ("s3://kept.example-1/mgp/results/", "kept.example-1", "mgp/results"),
        ] {
            let (found, path) = parse(address).unwrap();
            assert_eq!((found, path.as_ref()), (bucket, folder), "{address}");
        }
        for address in [
            "",
            "s3:",
            "s3://",
            "s3:///mgp",
            "https://kept/mgp",
            "s3://a b",
            "s3://u:p@kept",
            "s3://kept//mgp",
        ] {
            let problem = parse(address).unwrap_err().to_string();
            assert!(
                problem.contains(&format!("{address:?}")) && problem.contains("s3://bucket/folder"),
                "{problem}"
            );
        }
    }
}
