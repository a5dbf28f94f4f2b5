//! Judges variables that a command sets.

use super::finding::Finding;
use crate::validator::shell::Word;

/// Variables by whose value a program loads or runs something at once.
const HARMFUL: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "BASH_ENV",
    "ENV",
    "PS4",
    "PROMPT_COMMAND",
    "SHELLOPTS",
    "BASHOPTS",
    "IFS",
    "LESSOPEN",
    "LESSCLOSE",
    "PERL5OPT",
    "PERL5DB",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
    "RUBYOPT",
    "TAR_OPTIONS",
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "GLOBIGNORE",
];

/// Ends of the names of variables by which programs find, load or run something.
const DOUBTFUL: &[&str] = &[
    "PATH",
    "HOME",
    "OPTS",
    "OPTIONS",
    "FLAGS",
    "CMD",
    "COMMAND",
    "EDITOR",
    "PAGER",
    "SHELL",
    "WRAPPER",
    "RUNNER",
    "LINKER",
    "CONFIG",
    "RC",
    "ENV",
    "BROWSER",
    "RUSTC",
    "VISUAL",
    "CC",
    "CXX",
    "PROXY",
    "proxy",
    "HOST",
    "SSH",
    "ASKPASS",
    "OPT",
    "LIB",
    "MAKEFILES",
    "SITE",
    "RUSTDOC",
    "RUSTFMT",
    "CARGO",
    "MAKE",
    "VIMINIT",
    "EXINIT",
    "REJECT_UNAUTHORIZED",
    "GEMFILE",
    "TEMPLATE",
    "DIR",
    "PLUGINS",
    "INDEX_URL",
    "REGISTRY",
    "registry",
];

/// Beginnings of such names.
const DOUBTFUL_PREFIXES: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_",
    "BASH_FUNC",
    "PYTHON",
    "RUBY",
    "PERL",
    "BUNDLE_",
    "GO",
    "npm_config_",
    "NPM_CONFIG_",
    "PIP_",
    "GCONV_",
    "MALLOC_",
];

/// Variables that only say how something is shown, or in which mode a project runs.
const HARMLESS: &[&str] = &[
    "NODE_ENV",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "CI",
    "DEBUG",
    "LANG",
    "TZ",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "GOOS",
    "GOARCH",
    "GOMAXPROCS",
    "GO111MODULE",
    "APP_ENV",
    "RAILS_ENV",
    "RACK_ENV",
    "FLASK_ENV",
    "DJANGO_SETTINGS_MODULE",
    "GIT_TERMINAL_PROMPT",
    "DJANGO_ENV",
    "MIX_ENV",
    "HOST",
];

/// Values with which an editor or pager does nothing.
const IDLE: &[&str] = &["", "cat", "true", ":", "less"];

/// Judges the setting of a variable. `exported` is true if a program sees it.
pub(super) fn judge(name: &str, value: &Word, exported: bool) -> Option<Finding> {
    let shown: String = name.chars().take(40).collect();
    let person = ["GIT_AUTHOR_", "GIT_COMMITTER_"].iter().any(|prefix| name.starts_with(prefix));
    if person || HARMLESS.contains(&name) || name.starts_with("LC_") || name.is_empty() {
        return None;
    }
    if HARMFUL.contains(&name) {
        return Some(Finding::harm(format!("a variable that makes programs run something ({shown})")));
    }
    if (name.ends_with("EDITOR") || name.ends_with("PAGER")) && IDLE.contains(&value.text.as_str()) {
        return None;
    }
    let memory = name == "NODE_OPTIONS"
        && value.text.starts_with("--max-old-space-size=")
        && !value.text.contains(' ');
    let tools = ["LD", "AR", "AS", "NM", "FC", "RANLIB", "STRIP"];
    if harmless_value(name, &value.text) {
        return None;
    }
    let doubtful = tools.contains(&name)
        || DOUBTFUL.iter().any(|end| name.ends_with(end))
        || DOUBTFUL_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let plain = value.text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ',' | ':'));
    let fine = memory || (!doubtful && (!exported || plain));
    (!fine)
        .then(|| Finding::doubt(format!("a variable by which programs may find or run something ({shown})")))
}

/// Returns whether a variable by which programs find others has a value that stays inside the project.
fn harmless_value(name: &str, value: &str) -> bool {
    match name {
        "PYTHONPATH" | "CARGO_TARGET_DIR" => {
            value.split(':').all(|path| !path.starts_with(['/', '~']) && !path.contains(".."))
        }
        "RUSTFLAGS" => {
            !value.contains(['/', '@'])
                && !["link", "-Z", "-C", "codegen"].iter().any(|part| {
                    value
                        .replace("-C target-cpu=native", "")
                        .replace("-Ctarget-cpu=native", "")
                        .contains(part)
                })
        }
        "GOFLAGS" => value.split(' ').all(|flag| {
            ["-mod=", "-count=", "-v", "-race", "-buildvcs=", "-tags="]
                .iter()
                .any(|known| flag.starts_with(known) && !flag.contains('/'))
        }),
        _ => false,
    }
}
