//! Paths of files that code writes.

/// The endings of files that programs run, and the files that they read by themselves.
const RUN: [&str; 19] = [
    "py", "pyc", "pyd", "pyi", "pth", "so", "dll", "dylib", "sh", "bat", "cmd", "exe", "mk", "js", "mjs",
    "cjs", "ts", "node", "ps1",
];
const READ: [&str; 8] = [
    "makefile",
    "gnumakefile",
    "dockerfile",
    "procfile",
    "pyproject.toml",
    "setup.cfg",
    "pytest.ini",
    "crontab",
];

/// The formats of data that programs read as settings too, where a name says of what program.
const SETTINGS: [&str; 11] =
    ["json", "jsonc", "json5", "xml", "plist", "webmanifest", "yaml", "yml", "toml", "ini", "cfg"];

/// Names of such files, without their endings. A name with `config` is always one, and so is one that ends with `rc` and is no word.
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
    let is_run = extension.is_some_and(|extension| RUN.contains(&extension)) || READ.contains(&file);
    !path.contains(['\\', ':', '\0', '$', '%', '*', '?', '['])
        && !is_run
        && !is_settings(file)
        && path.split('/').all(is_plain)
}

/// Returns whether a file, in lower case, is one of settings, which name commands.
fn is_settings(file: &str) -> bool {
    let is_of_shell = |part: &str| part.ends_with("rc") && !WORDS.contains(&part);
    let Some((name, ending)) = file.rsplit_once('.') else { return is_of_shell(file) };
    // Such as `tsconfig.base.json`.
    let is_of_program = |part: &str| part.contains("config") || is_of_shell(part) || PROGRAMS.contains(&part);
    is_of_shell(ending)
        || ending == "config"
        || SETTINGS.contains(&ending) && name.split('.').any(is_of_program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_elsewhere_and_files_that_programs_run_are_told_apart() {
        for path in ["out.txt", "./a/b.json", "a.csv", "settings.txt", "tsconfig.csv", "src", "notes"] {
            assert!(is_in_working_folder(path), "{path}");
        }
        for path in ["/a", "../a", "a/../b", ".a", "~/a", "a.PY", "b/Makefile", "c:a", "", "a//b", "$A/b"] {
            assert!(!is_in_working_folder(path), "{path}");
        }
    }

    #[test]
    fn files_of_settings_are_told_by_the_programs_that_they_name() {
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
