//! Judges variables that a command sets.

use super::finding::Finding;
use crate::validator::shell::{OPAQUE, Word};

/// Variables whose value makes a program load or run something at once.
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

/// Suffixes of the names of variables with which programs find, load or run something.
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

/// Prefixes of these names.
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

/// Variables that only affect the output, or the mode in which a project runs.
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

/// Prefixes of the names of variables with which tools find their settings, parts and servers. Numbers and plain yes or no values
/// are harmless.
const TOOLS: &[&str] = &[
    "AWS_",
    "OPENSSL_",
    "SSL_",
    "CURL_",
    "DOTNET_",
    "NUGET_",
    "MSBUILD",
    "CUSTOMBEFORE",
    "CUSTOMAFTER",
    "DIRECTORYBUILD",
    "DIRECTORYPACKAGES",
    "R_",
    "LUA_",
    "UV_",
    "TF_",
    "CMAKE_",
    "YARN_",
    "PNPM_",
    "COREPACK_",
    "BUN_",
    "DENO_",
    "COVERAGE_",
    "TOX_",
    "NOX_",
    "PYTEST_",
    "MYPY",
    "PYLINT",
    "CYPRESS_",
    "PRISMA_",
    "PLAYWRIGHT_",
    "PUPPETEER_",
    "CHROME_",
    "DOCKER_",
    "COMPOSE_",
    "COMPOSER",
    "HELM_",
    "KUBE",
    "RUSTUP_",
    "MAVEN_",
    "MVN",
    "ANT_",
    "GRADLE_",
    "JAVA_",
    "JDK_",
    "_JAVA",
    "SBT_",
    "PIPENV_",
    "POETRY_",
    "PDM_",
    "VIRTUAL_",
    "LESS",
    "GCC",
    "CC_",
    "CXX_",
    "CPATH",
    "CPP",
    "DEPENDENCIES_",
    "SUNPRO_",
    "PROTOC",
    "NODE_",
    "ESLINT_",
    "JEST_",
    "BABEL_",
    "WEBPACK_",
    "SSH_",
    "XDG_",
    "MGP_",
    "NPM_",
    "CARGO_",
    "RUSTC_",
    "GEM_",
    "BASH_",
    "ZSH",
    "ZDOT",
    "FISH_",
    "OLDPWD",
    "PWD",
    "CDPATH",
    "TMPDIR",
    "TEMP",
    "BAZEL_",
    "NINJA_",
    "MESON_",
    "DBT_",
    "ANSIBLE_",
    "VAGRANT_",
    "TERRAFORM_",
    "MAKE",
    "PHP_",
    "PHPRC",
    "MIX_",
    "ERL_",
    "ELIXIR_",
    "JUST_",
    "HG",
    "SVN_",
    "MAIL",
    "TERMINFO",
    "NLSPATH",
    "LOCPATH",
    "HOSTALIASES",
    "RES_OPTIONS",
    "LOCALDOMAIN",
];

/// Values that make an editor or pager do nothing.
const IDLE: &[&str] = &["", "cat", "true", ":", "less"];

/// Judges the setting of a variable. `exported` is true if a program sees it.
pub(super) fn judge(name: &str, value: &Word, exported: bool) -> Option<Finding> {
    let shown: String = name.chars().take(40).collect();
    let person = ["GIT_AUTHOR_", "GIT_COMMITTER_"].iter().any(|prefix| name.starts_with(prefix));
    if person || HARMLESS.contains(&name) || name.starts_with("LC_") || name.is_empty() {
        return None;
    }
    if name.contains(OPAQUE) {
        return Some(Finding::doubt("a variable whose name is known only when the command runs"));
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
        || DOUBTFUL_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || name.to_ascii_lowercase().starts_with("npm_config_");
    let plain =
        value.text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ',' | ':'));
    // An address of this machine.
    let host = value.text.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or_default());
    let host = host.map(|host| host.rsplit('@').next().unwrap_or_default());
    let own = host
        .is_some_and(|host| ["localhost", "127.0.0.1"].contains(&host.split(':').next().unwrap_or_default()));
    let upper = name.to_ascii_uppercase();
    let tool = TOOLS.iter().any(|start| upper.starts_with(start))
        && (exported || ["OLDPWD", "PWD", "CDPATH"].contains(&name));
    let switch = value.text.bytes().all(|b| b.is_ascii_digit()) && !value.text.is_empty()
        || ["true", "false"].contains(&value.text.as_str());
    let fine = memory || (!doubtful && (!tool || switch) && (!exported || plain || own));
    (!fine)
        .then(|| Finding::doubt(format!("a variable by which programs may find or run something ({shown})")))
}

/// Returns whether a variable with which programs find others has a value inside the project.
fn harmless_value(name: &str, value: &str) -> bool {
    match name {
        "CARGO_TARGET_DIR" => {
            value.starts_with("target") || value.starts_with("build") || value.starts_with("/tmp/")
        }
        "PYTHONPATH" => value.split(':').all(|path| !path.starts_with(['/', '~']) && !path.contains("..")),
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
