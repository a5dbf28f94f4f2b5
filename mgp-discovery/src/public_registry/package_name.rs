//! Names, versions and registries of packages. The programs that run packages also accept addresses, folders and repositories there. The text
//! must be a package of the registry that the entry names.

use super::{Package, names::one_line};
use url::Url;

/// The longest name or version of a package, in bytes.
const MAX_NAME: usize = 256;

/// The name endings that a runner interprets as a file in the current folder.
const FILES: [&str; 9] = [".tgz", ".tar", ".gz", ".zip", ".whl", ".bz2", ".xz", ".zst", ".tbz"];

/// The registries that each runner uses by default, in the spellings that entries use.
const DEFAULTS: [(&str, &[&str]); 3] = [
    ("npm", &["https://registry.npmjs.org"]),
    ("pypi", &["https://pypi.org", "https://pypi.org/simple"]),
    ("nuget", &["https://api.nuget.org/v3/index.json", "https://api.nuget.org", "https://api.nuget.org/v3"]),
];

/// Checks the name of a package.
///
/// # Errors
/// A sentence if the text cannot be the name of a package.
pub(super) fn check_name(kind: &str, name: &str) -> Result<(), String> {
    let legal = name.len() <= MAX_NAME
        && match kind {
            "npm" => match name.strip_prefix('@') {
                // Without a scope, a slash makes it a repository.
                Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| {
                    [scope, name].iter().all(|part| is_plain(part, "~") && !part.starts_with('~'))
                }),
                None => is_plain(name, "~") && !name.starts_with('~') && !is_file(name),
            },
            "pypi" => is_plain(name, "") && !is_file(name),
            "oci" => is_plain(name, "/:@"),
            _ => is_plain(name, ""),
        };
    legal.then_some(()).ok_or_else(|| format!("{:?} is not a valid {kind} package name", one_line(name, 64)))
}

/// Checks the version of a package.
///
/// # Errors
/// A sentence if the text cannot be a version after a name.
pub(super) fn check_version(kind: &str, version: &str) -> Result<(), String> {
    // A colon would begin an address or another package's name.
    let legal = match kind {
        "npm" => is_plain(version, "+~") && !is_file(version),
        // Any text that is not clearly a version would be a path.
        "pypi" => {
            let begins = version.strip_prefix('v').unwrap_or(version);
            let begins = begins.starts_with(|c: char| c.is_ascii_digit()) || version == "latest";
            begins && is_plain(version, "+!") && !is_file(version)
        }
        "oci" => is_plain(version, ""),
        _ => is_plain(version, "+"),
    };
    legal
        .then_some(())
        .ok_or_else(|| format!("its version {:?} cannot be used in a command", one_line(version, 64)))
}

/// Checks that a package comes from the default registry of its runner. On another registry, the same name is a different package.
///
/// # Errors
/// A sentence if the package comes from another registry.
pub(super) fn is_of_the_default(kind: &str, base: Option<&str>) -> Result<(), String> {
    let Some(base) = base.filter(|base| !base.is_empty()) else { return Ok(()) };
    let known = DEFAULTS.iter().find(|(known, _)| *known == kind).map_or(&[][..], |(_, known)| known);
    if known.contains(&base.trim_end_matches('/').to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    let expected = known.first().copied().unwrap_or("none");
    Err(format!("it comes from the registry {:?}: expected {expected}", one_line(base, 64)))
}

/// Returns an image, with its registry and its version if its name does not have them.
///
/// # Errors
/// A sentence if the registry cannot be part of an image's name, or if it differs from the one in the name.
pub(super) fn image(package: &Package) -> Result<String, String> {
    let name = &package.identifier;
    let base = package.registry_base_url.as_deref().filter(|base| !base.is_empty());
    let full = match base.map(host).transpose()? {
        None => name.clone(),
        Some(host) => match named_host(name) {
            Some(named) if named.eq_ignore_ascii_case(&host) => name.clone(),
            Some(named) => {
                let named = one_line(named, 64);
                return Err(format!("its name has the registry {named:?}, and the entry has {host:?}"));
            }
            None if host == "docker.io" => name.clone(),
            None => format!("{host}/{name}"),
        },
    };
    let tagged = full.contains('@') || full.rsplit('/').next().is_some_and(|last| last.contains(':'));
    Ok(match &package.version {
        Some(version) if !tagged => format!("{full}:{version}"),
        _ => full,
    })
}

/// Returns the host of a registry of images. The name of an image cannot hold the rest of an address.
fn host(base: &str) -> Result<String, String> {
    let wrong = || {
        let base = one_line(base, 64);
        format!("it comes from the registry {base:?}: expected http or https, a host, and nothing more")
    };
    let url = Url::parse(base).map_err(|_| wrong())?;
    let bare = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.path().chars().all(|c| c == '/')
        && url.query().is_none()
        && url.fragment().is_none();
    let host = url.host_str().filter(|host| bare && is_plain(host, "")).ok_or_else(wrong)?;
    Ok(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// Returns the registry that an image's name begins with. A name without a registry belongs to Docker Hub.
fn named_host(name: &str) -> Option<&str> {
    let (first, _) = name.split_once('/')?;
    (first.contains(['.', ':']) || first == "localhost").then_some(first)
}

/// Returns whether a text is a plain name or version. An option, an address or a second word would make its runner do something else.
fn is_plain(name: &str, also: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c) || also.contains(c);
    !name.is_empty()
        && name.len() <= MAX_NAME
        && name.chars().all(legal)
        && !name.starts_with(['-', '.', '/'])
        && !name.contains("..")
}

fn is_file(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    FILES.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_registry_names_are_names() {
        for (kind, names) in [
            ("npm", &["notes", "@example/notes", "a~b", "a.b-c_d", "x.js"][..]),
            ("pypi", &["notes-mcp", "Notes.MCP", "web.py"]),
            ("nuget", &["Example.Weather"]),
            ("oci", &["example/notes", "ghcr.io/x/y:1", "x@sha256:00"]),
        ] {
            for name in names {
                assert_eq!(check_name(kind, name), Ok(()), "{kind} {name}");
            }
        }
        let long = "x".repeat(MAX_NAME + 1);
        for (kind, names) in [
            (
                "npm",
                &[
                    "",
                    "evil/repo",
                    "~/x",
                    "~",
                    "~x",
                    ".",
                    "./x",
                    "/x",
                    "..",
                    "@x",
                    "@/x",
                    "@x/",
                    "@x/y/z",
                    "@~x/y",
                    "@x/~y",
                    "@x/../y",
                    "@x/.y",
                    "@@x/y",
                    "x@1",
                    "github:x/y",
                    "file:x",
                    "-x",
                    "a b",
                    "x.tgz",
                    "x.tar.gz",
                    "X.TAR",
                    &long,
                ][..],
            ),
            ("pypi", &["", "x/y", ".", "a@b", "a[b]", "x.whl", "x.tar.gz", "git+https://x", &long]),
            ("nuget", &["", "x/y", "a:b", "-x", &long]),
            ("oci", &["", "-v", "/x", "a b", "a/../b", &long]),
        ] {
            for name in names {
                assert!(check_name(kind, name).is_err(), "{kind} {name}");
            }
        }
    }

    #[test]
    fn only_versions_are_versions() {
        for (kind, versions) in [
            ("npm", &["1.0.2", "latest", "1.0.0-rc.1+x", "~1.2"][..]),
            ("pypi", &["0.5.0", "1!2.0", "2.0+local", "v1", "latest"]),
            ("nuget", &["1.0.0-beta+x"]),
            ("oci", &["1.2.0", "latest"]),
        ] {
            for version in versions {
                assert_eq!(check_version(kind, version), Ok(()), "{kind} {version}");
            }
        }
        for (kind, versions) in [
            ("npm", &["", "npm:other", "file:x", "x/y", "~/x", "../x", "x.tgz", "1 --evil", "git+ssh:x"][..]),
            ("pypi", &["", "file:x", "folder", "x/y", "1.whl", "v", "https://x"]),
            ("nuget", &["", "a:b", "[1,2]", "-x"]),
            ("oci", &["", "sha256:00", "1/2", "-x", "a@b"]),
        ] {
            for version in versions {
                assert!(check_version(kind, version).is_err(), "{kind} {version}");
            }
        }
    }

    #[test]
    fn a_package_of_another_registry_stays_there() {
        for (kind, base) in [
            ("npm", None),
            ("npm", Some("")),
            ("npm", Some("https://registry.npmjs.org/")),
            ("pypi", Some("https://pypi.org")),
            ("pypi", Some("https://pypi.org/simple/")),
            ("nuget", Some("https://api.nuget.org/v3/index.json")),
        ] {
            assert_eq!(is_of_the_default(kind, base), Ok(()), "{kind} {base:?}");
        }
        for (kind, base) in [
            ("npm", "https://npm.example.com"),
            ("npm", "https://registry.npmjs.org.example.com"),
            ("npm", "https://registry.npmjs.org/other"),
            ("npm", "http://registry.npmjs.org"),
            ("pypi", "https://registry.npmjs.org"),
            ("pypi", "https://test.pypi.org"),
            ("nuget", "https://nuget.example.com/v3/index.json"),
            ("nuget", "x"),
        ] {
            let error = is_of_the_default(kind, Some(base)).unwrap_err();
            assert!(error.contains(base) && error.contains("expected https://"), "{error}");
        }
    }

    #[test]
    fn an_image_keeps_its_registry_or_is_refused() {
        let image = |base: Option<&str>, name: &str, version: Option<&str>| {
            image(&Package {
                registry_base_url: base.map(Into::into),
                identifier: name.into(),
                version: version.map(Into::into),
                ..Package::default()
            })
        };
        for (base, name, expected) in [
            (None, "x/y", "x/y:1"),
            (Some(""), "x/y", "x/y:1"),
            (Some("https://docker.io/"), "x/y", "x/y:1"),
            (Some("https://docker.io"), "docker.io/x/y:2", "docker.io/x/y:2"),
            (Some("https://ghcr.io"), "x/y", "ghcr.io/x/y:1"),
            (Some("https://GHCR.io"), "ghcr.io/x/y@sha256:00", "ghcr.io/x/y@sha256:00"),
            (Some("http://localhost:5000"), "y", "localhost:5000/y:1"),
            (None, "localhost:5000/y", "localhost:5000/y:1"),
        ] {
            assert_eq!(image(base, name, Some("1")).as_deref(), Ok(expected), "{base:?} {name}");
        }
        assert_eq!(image(None, "x/y", None).as_deref(), Ok("x/y"));
        for base in [
            "https://example.com/team",
            "https://u:p@example.com",
            "https://example.com?x",
            "https://example.com#x",
            "ftp://example.com",
            "example.com",
            "https://[::1]",
        ] {
            let error = image(Some(base), "x/y", None).unwrap_err();
            assert!(error.contains(&format!("it comes from the registry {base:?}")), "{error}");
        }
        let other = image(Some("https://docker.io"), "ghcr.io/x/y", None).unwrap_err();
        assert!(other.contains(r#""ghcr.io", and the entry has "docker.io""#), "{other}");
    }
}
