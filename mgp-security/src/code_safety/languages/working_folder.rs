//! Paths of files that code writes.

/// The extensions of files that programs run: sources that are interpreted or built without further instruction, libraries, and units of
/// services.
const RUN: &[&str] = &[
    "ac", "am", "apk", "app", "awk", "bash", "bat", "bazel", "bzl", "cjs", "class", "clj", "cmake", "cmd",
    "com", "cts", "deb", "desktop", "dll", "dylib", "ear", "el", "erl", "ex", "exe", "exs", "fish",
    "gemspec", "gradle", "groovy", "hta", "inf", "jar", "js", "jsx", "kts", "lnk", "lua", "mjs", "mk", "msi",
    "mts", "nix", "node", "php", "pl", "pm", "podspec", "ps1", "psm1", "pth", "py", "pyc", "pyd", "pyi",
    "pyw", "pyz", "rake", "rb", "reg", "rpm", "rs", "scala", "scr", "service", "sh", "so", "socket", "tcl",
    "tf", "timer", "ts", "tsx", "vbs", "vim", "war", "wasm", "wsf", "zsh",
];

/// The names of files that programs read without being given their paths, up to their first dot.
const READ: &[&str] = &[
    "appfile",
    "brewfile",
    "bsdmakefile",
    "caddyfile",
    "conftest",
    "containerfile",
    "crontab",
    "dangerfile",
    "dockerfile",
    "earthfile",
    "fastfile",
    "gemfile",
    "gnumakefile",
    "gruntfile",
    "gulpfile",
    "jakefile",
    "jenkinsfile",
    "justfile",
    "makefile",
    "noxfile",
    "pipfile",
    "podfile",
    "procfile",
    "rakefile",
    "sconscript",
    "sconstruct",
    "snakefile",
    "tiltfile",
    "vagrantfile",
    "workspace",
    "wscript",
];

/// Further names, in full.
const READ_WHOLE: &[&str] = &[
    "ansible.cfg",
    "build",
    "build.rs",
    "cmakelists.txt",
    "configure",
    "gradlew",
    "meson.build",
    "mvnw",
    "pyproject.toml",
    "pytest.ini",
    "setup.cfg",
];

/// Folders whose files programs run or load by their names.
const RUN_FOLDERS: &[&str] =
    &["bin", "sbin", "scripts", "node_modules", "site-packages", "venv", "env", "vendor", "hooks"];

/// The data formats that programs also read as settings, if the name is that of a program.
const SETTINGS: [&str; 11] =
    ["json", "jsonc", "json5", "xml", "plist", "webmanifest", "yaml", "yml", "toml", "ini", "cfg"];

/// Names of settings, without their extensions. A name with `config` is always one, and so is a name that ends with `rc` and is not a word.
const PROGRAMS: [&str; 49] = [
    "package",
    "package-lock",
    "manifest",
    "composer",
    "deno",
    "bower",
    "angular",
    "nx",
    "turbo",
    "lerna",
    "renovate",
    "vercel",
    "now",
    "firebase",
    "devcontainer",
    "launch",
    "tasks",
    "settings",
    "appsettings",
    "extensions",
    "project",
    "workspace",
    "pom",
    "build",
    "web",
    "app",
    "plugin",
    "mcp",
    "mcp_servers",
    "hooks",
    "nodemon",
    "cdk",
    "ecosystem",
    "processes",
    "expo",
    "nest-cli",
    "wrangler",
    "global",
    "cmakepresets",
    "pipelines",
    "docker-compose",
    "compose",
    "lefthook",
    "pnpm-workspace",
    "taskfile",
    "cargo",
    "tox",
    "netlify",
    "serverless",
];

/// The words that end with `rc`.
const WORDS: [&str; 4] = ["src", "arc", "crc", "dmarc"];

/// Returns whether a path leads to a file of the working folder that no program reads by itself.
pub(super) fn is_in_working_folder(path: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with(['.', '~', '-']);
    let path = path.strip_prefix("./").unwrap_or(path).to_ascii_lowercase();
    let file = path.rsplit('/').next().unwrap_or_default();
    let extension = file.rsplit_once('.').map(|(_, extension)| extension);
    let (stem, folders) =
        (file.split('.').next().unwrap_or_default(), path.rsplit_once('/').map(|(folders, _)| folders));
    let is_run = extension.is_some_and(|extension| RUN.contains(&extension))
        || file.contains(".so.")
        || READ.contains(&stem)
        || READ_WHOLE.contains(&file)
        || folders.is_some_and(|folders| folders.split('/').any(|folder| RUN_FOLDERS.contains(&folder)));
    !path.contains(['\\', ':', '\0', '$', '%', '*', '?', '['])
        && !is_run
        && !is_settings(file)
        && path.split('/').all(is_plain)
}

/// Returns whether a file, in lower case, contains settings, which name commands.
fn is_settings(file: &str) -> bool {
    let is_of_shell = |part: &str| part.ends_with("rc") && !WORDS.contains(&part);
    let Some((name, ending)) = file.rsplit_once('.') else { return is_of_shell(file) };
    // For example, `tsconfig.base.json`.
    let is_of_program = |part: &str| part.contains("config") || is_of_shell(part) || PROGRAMS.contains(&part);
    is_of_shell(ending)
        || ending == "config"
        || SETTINGS.contains(&ending) && name.split('.').any(is_of_program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_elsewhere_and_files_that_programs_run_differ() {
        for path in [
            "out.txt",
            "./a/b.json",
            "a.csv",
            "settings.txt",
            "tsconfig.csv",
            "src",
            "notes",
            "a/data.tsv",
            "report.html",
        ] {
            assert!(is_in_working_folder(path), "{path}");
        }
        for path in [
            "/a",
            "../a",
            "a/../b",
            ".a",
            "~/a",
            "a.PY",
            "b/Makefile",
            "c:a",
            "",
            "a//b",
            "$A/b",
            "gradlew",
            "Dockerfile.dev",
            "a/bin/ls",
            "libx.so.1",
            "x.service",
            "CMakeLists.txt",
            "node_modules/os",
        ] {
            assert!(!is_in_working_folder(path), "{path}");
        }
    }

    #[test]
    fn settings_files_are_recognized_by_the_programs_they_name() {
        for name in [
            "package.json",
            "tsconfig.base.json",
            "mcp.json",
            "nodemon.json",
            "cdk.json",
            "hooks.json",
            "ecosystem.config.json",
            "mocharc.json",
            "a/lintstagedrc.json",
            "babelrc",
            "x.npmrc",
            "deno.jsonc",
            "web.config",
            "docker-compose.yml",
            "Cargo.toml",
        ] {
            assert!(!is_in_working_folder(name), "{name}");
        }
    }
}
