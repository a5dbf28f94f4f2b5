//! §2.2, §2.3 The `mgp` object itself.

use super::{ExtensionSet, MgpVersion};
use crate::{
    context::TrustLevel,
    json::{JsonError, RawJson, RawObject},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};

/// The most names of extensions that are read; later ones are ignored.
pub const MAX_EXTENSIONS: usize = 64;

/// The longest name of an extension that is read, in bytes; a longer one is ignored.
pub const MAX_NAME_LENGTH: usize = 128;

/// The most names of permissions that an object may declare; an object with more is malformed.
pub const MAX_PERMISSIONS: usize = 256;

/// The `mgp` object of a handshake. Unknown members are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MgpCapabilities {
    /// The version of MGP, as the peer wrote it.
    pub version: String,
    /// The names of extensions.
    pub extensions: Vec<String>,
    /// The permissions that the server needs, by name (§3).
    pub permissions_required: Option<Vec<String>>,
    /// The server's name for itself.
    pub server_id: Option<String>,
    /// The trust level that the server claims, as it was written.
    pub trust_level: Option<String>,
    /// Members that this version does not know, as they were read.
    pub other: RawObject,
}

impl MgpCapabilities {
    /// Returns the extensions that are known here.
    #[must_use]
    pub fn extension_set(&self) -> ExtensionSet {
        ExtensionSet::from_spellings(&self.extensions)
    }

    /// Returns the trust level that the server claims. An unknown level counts as the lowest.
    #[must_use]
    pub fn claimed_trust(&self) -> Option<TrustLevel> {
        let claim = self.trust_level.as_deref()?;
        Some(RawJson::string(claim).decode().unwrap_or_default())
    }

    /// Reads an object. A malformed object is an error here, but must never fail a handshake.
    ///
    /// # Errors
    /// [`JsonError`], naming the member that is missing or has another form.
    pub fn read(json: &RawJson) -> Result<Self, JsonError> {
        let mut object = RawObject::from_json(json)?;
        let version: String = object.take("version")?.ok_or(JsonError::Missing("version"))?;
        version.parse::<MgpVersion>().map_err(|error| member("version", error.to_string()))?;
        let mut extensions: Vec<String> =
            object.take("extensions")?.ok_or(JsonError::Missing("extensions"))?;
        extensions.retain(|name| name.len() <= MAX_NAME_LENGTH);
        extensions.truncate(MAX_EXTENSIONS);
        let permissions_required: Option<Vec<String>> =
            object.take::<Option<_>>("permissions_required")?.flatten();
        if let Some(names) = &permissions_required
            && names.len() > MAX_PERMISSIONS
        {
            let problem = format!("expected at most {MAX_PERMISSIONS} names, found {}", names.len());
            return Err(member("permissions_required", problem));
        }
        Ok(Self {
            version,
            extensions,
            permissions_required,
            server_id: object.take::<Option<_>>("server_id")?.flatten(),
            trust_level: object.take::<Option<_>>("trust_level")?.flatten(),
            other: object,
        })
    }
}

fn member(key: &str, problem: String) -> JsonError {
    JsonError::Member { key: key.to_owned(), problem }
}

impl Serialize for MgpCapabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("version", &self.version)?;
        map.serialize_entry("extensions", &self.extensions)?;
        if let Some(permissions) = &self.permissions_required {
            map.serialize_entry("permissions_required", permissions)?;
        }
        if let Some(server_id) = &self.server_id {
            map.serialize_entry("server_id", server_id)?;
        }
        if let Some(trust_level) = &self.trust_level {
            map.serialize_entry("trust_level", trust_level)?;
        }
        for (key, value) in self.other.iter() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for MgpCapabilities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&RawJson::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<MgpCapabilities, JsonError> {
        MgpCapabilities::read(&RawJson::parse(text.to_owned()).unwrap())
    }

    #[test]
    fn unknown_members_survive_unchanged() {
        let text =
            r#"{"version":"0.6.0","extensions":["events"],"trust_level":"core","delegation":{"n":1e500}}"#;
        let mgp = read(text).unwrap();
        assert_eq!(mgp.claimed_trust(), Some(TrustLevel::Trusted));
        assert_eq!(serde_json::to_string(&mgp).unwrap(), text);
    }

    #[test]
    fn a_malformed_member_is_named() {
        for (text, part) in [
            ("[]", "found an array"),
            ("{}", "missing version"),
            (r#"{"version":1,"extensions":[]}"#, "invalid version"),
            (r#"{"version":"x","extensions":[]}"#, "expected major.minor.patch"),
            (r#"{"version":"0.3.0"}"#, "missing extensions"),
            (r#"{"version":"0.3.0","extensions":[1]}"#, "invalid extensions"),
            (r#"{"version":"0.3.0","extensions":[],"permissions_required":"shell"}"#, "permissions_required"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let many = vec![r#""camera""#; MAX_PERMISSIONS + 1].join(",");
        let text = format!(r#"{{"version":"0.3.0","extensions":[],"permissions_required":[{many}]}}"#);
        assert!(read(&text).unwrap_err().to_string().contains("at most 256 names, found 257"));
    }

    #[test]
    fn names_past_the_bounds_are_ignored() {
        let mut names = vec![format!("\"{}\"", "x".repeat(MAX_NAME_LENGTH + 1))];
        names.extend((0..100).map(|i| format!("\"e{i}\"")));
        let mgp = read(&format!(r#"{{"version":"0.3.0","extensions":[{}]}}"#, names.join(","))).unwrap();
        assert_eq!(mgp.extensions.len(), MAX_EXTENSIONS);
        assert_eq!(mgp.extensions[0], "e0");
    }

    #[test]
    fn an_unknown_trust_level_counts_as_the_lowest() {
        let mgp = read(r#"{"version":"0.3.0","extensions":[],"trust_level":"divine"}"#).unwrap();
        assert_eq!(mgp.claimed_trust(), Some(TrustLevel::Sandboxed));
    }
}
