//! Environment variables that make the loader, shell or interpreter of a program run other code or another program.

/// The variables, in capitals.
const NAMES: &[&str] = &[
    "BASHOPTS",
    "BASH_ENV",
    "BROWSER",
    "BUNDLE_GEMFILE",
    "BUNDLE_PATH",
    "CARGO_BUILD_RUSTC",
    "CDPATH",
    "CLASSPATH",
    "COMSPEC",
    "DOTNET_ADDITIONAL_DEPS",
    "DOTNET_SHARED_STORE",
    "DOTNET_STARTUP_HOOKS",
    "EDITOR",
    "ELECTRON_RUN_AS_NODE",
    "ENV",
    "ERL_AFLAGS",
    "ERL_FLAGS",
    "ERL_LIBS",
    "ERL_ZFLAGS",
    "GCONV_PATH",
    "GEM_HOME",
    "GEM_PATH",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_TEMPLATE_DIR",
    "GLIBC_TUNABLES",
    "GOFLAGS",
    "GRADLE_OPTS",
    "GTK_MODULES",
    "IFS",
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "JULIA_DEPOT_PATH",
    "JULIA_LOAD_PATH",
    "LESSCLOSE",
    "LESSOPEN",
    "LIBPATH",
    "LUA_CPATH",
    "LUA_INIT",
    "LUA_PATH",
    "MANPAGER",
    "MAVEN_OPTS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "PAGER",
    "PATH",
    "PATHEXT",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "PERL_MB_OPT",
    "PERL_MM_OPT",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHONBREAKPOINT",
    "PYTHONEXECUTABLE",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONPATH",
    "PYTHONPLATLIBDIR",
    "PYTHONPYCACHEPREFIX",
    "PYTHONSTARTUP",
    "PYTHONUSERBASE",
    "PYTHONWARNINGS",
    "QT_PLUGIN_PATH",
    "RUBYLIB",
    "RUBYOPT",
    "RUBYSHELL",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "R_ENVIRON",
    "R_LIBS",
    "R_LIBS_SITE",
    "R_LIBS_USER",
    "R_PROFILE",
    "R_PROFILE_USER",
    "SBT_OPTS",
    "SHELLOPTS",
    "SHLIB_PATH",
    "SSH_ASKPASS",
    "TAR_OPTIONS",
    "VISUAL",
    "_JAVA_OPTIONS",
];

/// The prefixes of further variables: of loaders, of shell functions, of .NET profilers, of git's configuration, and of package runners,
/// which may take other packages than the named ones, or run them elsewhere.
const PREFIXES: &[&str] = &[
    "BASH_FUNC_",
    "BUN_",
    "CORECLR_",
    "COR_",
    "DOCKER_",
    "DYLD_",
    "GIT_CONFIG",
    "LD_",
    "NPM_CONFIG_",
    "NUGET_",
    "PIP_",
    "UV_",
];

/// Returns whether an environment variable may make a program run other code. The case of the name is ignored.
pub(crate) fn runs_other_code(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.contains(&&*name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_loaders_and_interpreters_are_known_in_any_case() {
        for name in [
            "LD_PRELOAD",
            "ld_audit",
            "NODE_OPTIONS",
            "npm_config_node_options",
            "BASH_FUNC_x%%",
            "Path",
            "uv_index_url",
            "PIP_INDEX_URL",
            "Editor",
        ] {
            assert!(runs_other_code(name), "{name}");
        }
        for name in
            ["NOTES_KEY", "LEVEL", "NODE_ENV", "PYTHONUNBUFFERED", "GIT_AUTHOR_NAME", "FIELD_ID", "MY_PATH"]
        {
            assert!(!runs_other_code(name), "{name}");
        }
        assert!(NAMES.is_sorted() && NAMES.iter().all(|name| *name == name.to_ascii_uppercase()));
    }
}
