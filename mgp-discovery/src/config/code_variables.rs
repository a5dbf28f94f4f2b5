//! Environment variables by which the loader, the shell or the interpreter of a program runs other code, or another program.

/// The variables, in capitals.
const NAMES: &[&str] = &[
    "BASHOPTS",
    "BASH_ENV",
    "CDPATH",
    "CLASSPATH",
    "COMSPEC",
    "DOTNET_ADDITIONAL_DEPS",
    "DOTNET_SHARED_STORE",
    "DOTNET_STARTUP_HOOKS",
    "ELECTRON_RUN_AS_NODE",
    "ENV",
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
    "GTK_MODULES",
    "IFS",
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LESSCLOSE",
    "LESSOPEN",
    "LIBPATH",
    "LUA_CPATH",
    "LUA_INIT",
    "LUA_PATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "NPM_CONFIG_GLOBALCONFIG",
    "NPM_CONFIG_NODE_OPTIONS",
    "NPM_CONFIG_SCRIPT_SHELL",
    "NPM_CONFIG_USERCONFIG",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "PATH",
    "PATHEXT",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
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
    "PYTHONSTARTUP",
    "PYTHONUSERBASE",
    "PYTHONWARNINGS",
    "QT_PLUGIN_PATH",
    "RUBYLIB",
    "RUBYOPT",
    "RUSTC_WRAPPER",
    "R_ENVIRON",
    "R_PROFILE",
    "R_PROFILE_USER",
    "SHELLOPTS",
    "SHLIB_PATH",
    "SSH_ASKPASS",
    "TAR_OPTIONS",
    "_JAVA_OPTIONS",
];

/// The beginnings of further ones: of loaders, of functions that a shell takes over, of profilers of .NET, and of git's configuration.
const PREFIXES: &[&str] = &["BASH_FUNC_", "CORECLR_", "COR_", "DYLD_", "GIT_CONFIG", "LD_"];

/// Returns whether a program may run other code because of a variable of its environment, whatever the case of its name.
pub(crate) fn runs_other_code(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.contains(&&*name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_loaders_and_interpreters_are_known_in_any_case() {
        for name in
            ["LD_PRELOAD", "ld_audit", "NODE_OPTIONS", "npm_config_node_options", "BASH_FUNC_x%%", "Path"]
        {
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
