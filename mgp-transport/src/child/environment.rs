//! The variables of this process that a child inherits.

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
};

/// The variables that every child inherits: programs use them to find files, and to determine the user and the language.
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

/// The variables that a child inherits unless it is isolated: programs use them to find certificates, proxies and folders. An
/// isolated process cannot read those files, or reach those networks.
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

/// The prefixes of package runners' settings. A child inherits these as it does [`SHARED`], except names of secrets.
const SETTINGS: &[&str] = &["UV_", "NPM_", "npm_config_", "PIP_"];

/// Parts of the names of secrets.
const SECRETS: &[&str] = &["AUTH", "CREDENTIAL", "PASSWD", "PASSWORD", "SECRET", "TOKEN"];

/// Returns the variables that a child inherits. `named` lists the names of further ones; a `*` at the end matches any text.
pub(super) fn inherited(named: &[String], isolated: bool) -> BTreeMap<OsString, OsString> {
    let is_inherited = |name: &OsStr, value: &OsStr| {
        name.to_str().is_some_and(|name| is_passed_on(named, isolated, name, value))
    };
    env::vars_os().filter(|(name, value)| is_inherited(name, value)).collect()
}

/// Returns the value of a variable that a child inherits unless it is isolated. `named` lists the names of further ones.
pub(super) fn inherited_value(named: &[String], name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| is_passed_on(named, false, name, value))
}

/// Returns the names of the variables that a child would inherit if their values held no credentials.
pub(super) fn left_out_for_credentials(named: &[String]) -> Vec<String> {
    let is_left_out =
        |name: &str, value: &OsStr| is_inherited(named, name) && !is_passed_on(named, false, name, value);
    let names = env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    names.filter(|(name, value)| is_left_out(name, value)).map(|(name, _)| name).collect()
}

/// Returns whether a child inherits a variable with this value. Only a variable that `named` names may hold credentials.
fn is_passed_on(named: &[String], isolated: bool, name: &str, value: &OsStr) -> bool {
    is_one_of(ALWAYS, name)
        || is_named(named, name)
        || (!isolated && is_shared(name) && !has_credentials(&value.to_string_lossy()))
}

/// Returns whether a text contains an address with a user name or a password. Some addresses of proxies have no scheme; of these,
/// only those with a password count.
pub(super) fn has_credentials(text: &str) -> bool {
    let user = |address: &str| {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '/' | '\\' | '?' | '#');
        let authority = address.split(is_end).next().unwrap_or_default();
        authority.rfind('@').map(|end| authority[..end].contains(':'))
    };
    let mut addresses = text.split("://");
    let without_scheme = addresses.next().unwrap_or_default();
    user(without_scheme) == Some(true) || addresses.any(|address| user(address).is_some())
}

/// Returns whether a child that is not isolated inherits a variable whose value has no credentials. `named` lists the names of
/// further ones.
pub(super) fn is_inherited(named: &[String], name: &str) -> bool {
    is_one_of(ALWAYS, name) || is_shared(name) || is_named(named, name)
}

fn is_shared(name: &str) -> bool {
    is_one_of(SHARED, name) || (SETTINGS.iter().any(|start| name.starts_with(start)) && !is_secret(name))
}

/// Returns whether a variable's name is that of a secret.
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

/// Returns whether two names denote the same variable. On Windows, names are case-insensitive.
fn is_same(name: &str, other: &str) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(other) } else { name == other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    const DOCUMENT: &str = include_str!("../../docs/configuration.md");

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
    fn package_runner_settings_are_inherited_without_secrets() {
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
    fn values_with_credentials_are_inherited_only_by_name() {
        let named = ["PIP_*".to_owned()];
        for value in [
            "https://__token__:secret@host/simple",
            "https://token@host",
            "http://u:p@proxy:3128",
            "u:p@proxy:3128",
            "https://host/simple https://u:p@other/simple",
            "https://host/,https://u:p@other/",
            "corp=https://u:p@host/",
            "socks5h://u:p%40q@proxy",
            "http://u:p@q@proxy",
        ] {
            for name in ["PIP_INDEX_URL", "HTTPS_PROXY"] {
                assert!(!is_passed_on(&[], false, name, value.as_ref()), "{name} {value}");
                assert_eq!(
                    is_passed_on(&named, false, name, value.as_ref()),
                    name == "PIP_INDEX_URL",
                    "{value}"
                );
            }
            assert!(is_passed_on(&[], false, "HOME", value.as_ref()), "{value}");
        }
        for value in [
            "http://proxy:3128",
            "proxy:3128",
            "https://host/@scope/package",
            "https://host/?mail=a@b.example",
            "me@mail.example",
            "/etc/certs:/home/a@b",
            r"C:\certs\a@b.pem",
            "localhost,.example",
            "",
        ] {
            assert!(is_passed_on(&[], false, "PIP_INDEX_URL", value.as_ref()), "{value}");
            assert!(!is_passed_on(&[], true, "PIP_INDEX_URL", value.as_ref()), "{value}");
        }
    }

    #[test]
    fn named_variables_are_always_inherited() {
        let named = ["PAT*".to_owned(), "CARGO_MANIFEST_DIR".to_owned()];
        let all = inherited(&named, true);
        let name = OsStr::new("CARGO_MANIFEST_DIR");
        assert!(all.contains_key(name), "a test has it");
        assert!(!inherited(&[], true).contains_key(name));
        assert!(is_named(&named, "PATTERN") && !is_named(&named, "CARGO_MANIFEST_DIRS"));
    }
}
