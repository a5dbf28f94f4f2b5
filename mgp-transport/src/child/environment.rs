//! The variables of this process that a child inherits.

use std::{collections::BTreeMap, env, ffi::OsString};

/// The variables that every child inherits, because programs find their files by them, and know their user and the language.
const ALWAYS: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

/// The variables that a child inherits unless it is isolated, because programs find certificates, proxies and folders by them. They name
/// files that an isolated process cannot read, and ways to the network that it does not have.
const SHARED: &[&str] = &[
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "DENO_CERT",
    "DENO_TLS_CA_STORE",
    "GIT_SSL_CAINFO",
    "NIX_SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "NODE_USE_SYSTEM_CA",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_USE_ENV_PROXY",
    "NO_PROXY",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "COMSPEC",
    "PROGRAMDATA",
    "PROGRAMFILES(X86)",
    "WINDIR",
];

/// The beginnings of the names of package runners' settings, which a child inherits as it does [`SHARED`], unless their names are those of
/// secrets.
const SETTINGS: &[&str] = &["UV_", "NPM_", "npm_config_", "PIP_"];

/// Parts of the names of secrets.
const SECRETS: &[&str] = &["AUTH", "CREDENTIAL", "PASSWD", "PASSWORD", "SECRET", "TOKEN"];

/// Returns the variables that a child inherits. `named` are the names of further ones, in which `*` at the end stands for any text.
pub(super) fn inherited(named: &[String], isolated: bool) -> BTreeMap<OsString, OsString> {
    let is_inherited =
        |name: &str| is_one_of(ALWAYS, name) || is_named(named, name) || (!isolated && is_shared(name));
    env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_inherited)).collect()
}

/// Returns whether a child that is not isolated inherits a variable. `named` are the names of further ones.
pub(super) fn is_inherited(named: &[String], name: &str) -> bool {
    is_one_of(ALWAYS, name) || is_shared(name) || is_named(named, name)
}

fn is_shared(name: &str) -> bool {
    is_one_of(SHARED, name) || (SETTINGS.iter().any(|start| name.starts_with(start)) && !is_secret(name))
}

/// Returns whether the name of a variable is one of a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRETS.iter().any(|part| name.contains(part)) || name.split('_').any(|word| word == "KEY")
}

fn is_named(named: &[String], name: &str) -> bool {
    named.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => is_same(known, name),
    })
}

fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| is_same(known, name))
}

/// Returns whether two names are one variable's: the case of letters does not count on Windows.
fn is_same(name: &str, other: &str) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(other) } else { name == other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    const DOCUMENT: &str = include_str!("../../../docs/configuration.md");

    #[test]
    fn every_variable_that_a_child_inherits_is_documented() {
        let section = DOCUMENT.split("### Environment of servers").nth(1).unwrap();
        let section = section.split("\n#").next().unwrap();
        for name in ALWAYS.iter().chain(SHARED) {
            assert!(section.contains(&format!("`{name}`")), "{name}");
        }
        for name in SETTINGS {
            assert!(section.contains(&format!("`{name}*`")), "{name}");
        }
        for name in SECRETS {
            assert!(section.contains(&format!("`{name}`")), "{name}");
        }
        #[cfg(target_os = "linux")]
        assert!(section.contains(&format!("`{}`", crate::child::left_behind::VARIABLE)));
    }

    #[test]
    fn settings_of_package_runners_are_inherited_and_secrets_among_them_are_not() {
        for name in
            ["UV_INDEX_URL", "UV_KEYRING_PROVIDER", "NPM_CONFIG_REGISTRY", "npm_config_cafile", "PIP_CERT"]
        {
            assert!(is_inherited(&[], name), "{name}");
        }
        for name in [
            "UV_PUBLISH_TOKEN",
            "UV_INDEX_CORP_PASSWORD",
            "NPM_TOKEN",
            "npm_config__auth",
            "npm_config_//registry.example/:_authToken",
            "PIP_KEY",
            "UV",
            "MGP_STATE_DIR",
            "GITHUB_TOKEN",
        ] {
            assert!(!is_inherited(&[], name), "{name}");
        }
    }

    #[test]
    fn named_variables_are_inherited_whatever_they_hold_and_however_isolated_the_child_is() {
        let named = ["PAT*".to_owned(), "CARGO_MANIFEST_DIR".to_owned()];
        let all = inherited(&named, true);
        let name = OsStr::new("CARGO_MANIFEST_DIR");
        assert!(all.contains_key(name), "a test has it");
        assert!(!inherited(&[], true).contains_key(name));
        assert!(is_named(&named, "PATTERN") && !is_named(&named, "CARGO_MANIFEST_DIRS"));
    }
}
