//! §2.4 The version of MGP, and the compatibility of versions.

use std::{fmt, str::FromStr};

/// The version of MGP that is implemented here.
pub const MGP_VERSION: &str = "0.3.0";

/// A version of MGP (semver). Only the three numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MgpVersion {
    /// The major version. A different one means a different protocol.
    pub major: u32,
    /// The minor version. A new one adds features.
    pub minor: u32,
    /// The patch version. A new one fixes errors.
    pub patch: u32,
}

/// The error for a text that is not a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidVersion(String);

impl fmt::Display for InvalidVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid version {:?}: expected major.minor.patch", self.0)
    }
}

impl std::error::Error for InvalidVersion {}

/// The compatibility of a peer's version with the one implemented here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compatibility {
    /// The two versions are compatible.
    Full,
    /// The two versions are compatible, but something may be missing, which is worth a warning.
    OtherMinor,
    /// The two versions are not compatible: the peer is a plain MCP peer.
    OtherMajor,
}

impl MgpVersion {
    /// The version that is implemented here, as numbers.
    pub const CURRENT: Self = Self { major: 0, minor: 3, patch: 0 };

    /// Returns the compatibility of a peer's version. Before 1.0, another minor version may also change something.
    #[must_use]
    pub const fn compatibility(self) -> Compatibility {
        if self.major != Self::CURRENT.major {
            Compatibility::OtherMajor
        } else if self.major == 0 && self.minor != Self::CURRENT.minor {
            Compatibility::OtherMinor
        } else {
            Compatibility::Full
        }
    }
}

impl FromStr for MgpVersion {
    type Err = InvalidVersion;
    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        read(text).ok_or_else(|| InvalidVersion(text.chars().take(64).collect()))
    }
}

fn read(text: &str) -> Option<MgpVersion> {
    let (core, build) = text.split_once('+').map_or((text, None), |(core, build)| (core, Some(build)));
    let (core, pre) = core.split_once('-').map_or((core, None), |(core, pre)| (core, Some(pre)));
    let identifiers = |text: &str| {
        text.split('.').all(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
    };
    if text.len() > 128 || !pre.into_iter().chain(build).all(identifiers) {
        return None;
    }
    let mut numbers = core.split('.').map(|number| {
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        let leading_zero = number.len() > 1 && number.starts_with('0');
        (digits && !leading_zero).then(|| number.parse().ok()).flatten()
    });
    let version = MgpVersion { major: numbers.next()??, minor: numbers.next()??, patch: numbers.next()?? };
    numbers.next().is_none().then_some(version)
}

impl fmt::Display for MgpVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_version_s_text_and_numbers_agree() {
        assert_eq!(MGP_VERSION.parse(), Ok(MgpVersion::CURRENT));
        assert_eq!(MgpVersion::CURRENT.to_string(), MGP_VERSION);
    }

    #[test]
    fn only_another_major_version_is_another_protocol() {
        let check = |text: &str| text.parse::<MgpVersion>().unwrap().compatibility();
        assert_eq!(check("0.3.9-draft+build.7"), Compatibility::Full);
        assert_eq!(check("0.1.0"), Compatibility::OtherMinor);
        assert_eq!(check("0.8.0"), Compatibility::OtherMinor);
        assert_eq!(check("1.0.0"), Compatibility::OtherMajor);
    }

    #[test]
    fn an_invalid_version_is_refused() {
        for text in
            ["", "1", "1.2", "1.2.3.4", "a.b.c", "01.2.3", "1.2.-3", "1.2.3-", "+1.2.3", "99999999999.0.0"]
        {
            assert!(text.parse::<MgpVersion>().is_err(), "{text}");
        }
    }
}
