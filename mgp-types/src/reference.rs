//! Data that a host passes from one server to another by reference, without carrying it.

use crate::json::RawObject;
use serde::{Deserialize, Serialize};

/// The member of `_meta` that holds a host's options for the kernel: `keep_result` and `refs`.
pub const CALL_KEY: &str = "dev.cloto/call";

/// The member of a result's `_meta` that holds the reference to the data that the kernel kept instead of the result.
pub const REFERENCE_KEY: &str = "dev.cloto/reference";

/// The beginning of the URI under which data that the kernel keeps can be read in parts.
pub const REFERENCE_URI: &str = "mgp://references/";

/// A reference to data that a server returned.
///
/// ```
/// use mgp_types::reference::DataReference;
/// let text = r#"{"ref_id":"ref-1","origin_server":"crm","mime_type":"text/csv","size_bytes":12}"#;
/// let reference: DataReference = serde_json::from_str(text)?;
/// assert_eq!((reference.uri().as_str(), reference.size_bytes), ("mgp://references/ref-1", Some(12)));
/// assert_eq!(serde_json::to_string(&reference)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DataReference {
    /// The name of the data. It cannot be guessed.
    pub ref_id: String,
    /// The server that returned the data.
    pub origin_server: String,
    /// The MIME type of the data.
    pub mime_type: String,
    /// The length of the data in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// The time after which the data is gone, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// A URL at which the data can be fetched without further credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_url: Option<String>,
    /// The hash of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<Checksum>,
}

/// The hash of data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Checksum {
    /// The algorithm, such as `sha256`.
    pub algorithm: String,
    /// The hash, in hexadecimal digits.
    pub value: String,
}

impl Checksum {
    /// The algorithm of the checksums that the kernel computes.
    pub const SHA256: &str = "sha256";

    /// Creates the checksum of a SHA-256.
    #[must_use]
    pub fn sha256(hash: &[u8; 32]) -> Self {
        Self { algorithm: Self::SHA256.to_owned(), value: crate::hex::encode(hash) }
    }
}

/// A part of a result that a kernel keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferencePart {
    /// The name of the reference.
    pub ref_id: String,
    /// The MIME type of the whole.
    pub mime_type: String,
    /// The place of the first byte. A part begins and ends between characters.
    pub offset: u64,
    /// The size of the whole, in bytes.
    pub size_bytes: u64,
    /// The place at which the next part begins; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// The text.
    pub text: String,
}

impl DataReference {
    /// Returns the URI under which the kernel lets its owner read the data.
    #[must_use]
    pub fn uri(&self) -> String {
        format!("{REFERENCE_URI}{}", self.ref_id)
    }

    /// Returns the reference in the `_meta` of a result that the kernel kept, if any.
    #[must_use]
    pub fn in_meta(meta: &RawObject) -> Option<Self> {
        meta.decode(REFERENCE_KEY).ok().flatten()
    }
}
