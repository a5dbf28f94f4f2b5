//! Paths of files that code writes.

/// The endings of files that programs run, and the files that they read by themselves.
const RUN: [&str; 31] = [
    "py", "pyc", "pyd", "pyi", "pth", "so", "dll", "dylib", "sh", "bat", "cmd", "exe", "mk", "js", "mjs",
    "cjs", "jsx", "ts", "mts", "cts", "tsx", "node", "ps1", "pl", "rb", "php", "lua", "rs", "gradle", "wasm",
    "jar",
];
const READ: [&str; 15] = [
    "gradlew",
    "configure",
    "package.json",
    "deno.json",
    "composer.json",
    "cargo.toml",
    "compose.yml",
    "compose.yaml",
    "docker-compose.yml",
    "docker-compose.yaml",
    "tsconfig.json",
    "pyproject.toml",
    "setup.cfg",
    "pytest.ini",
    "crontab",
];

/// Returns whether a path leads to a file of the working folder that no program reads by itself.
pub(super) fn is_in_working_folder(path: &str) -> bool {
    let is_plain =
        |part: &str| !part.is_empty() && !part.starts_with(['.', '~', '-']) && part != "node_modules";
    let path = path.strip_prefix("./").unwrap_or(path).to_ascii_lowercase();
    let file = path.rsplit('/').next().unwrap_or_default();
    let extension = file.rsplit_once('.').map(|(_, extension)| extension);
    let is_run = extension.is_some_and(|extension| RUN.contains(&extension)) || READ.contains(&file);
    // Tools name the files that they run so: Makefile, Dockerfile, Rakefile.
    let is_recipe = extension.is_none() && file.ends_with("file");
    !path.contains(['\\', ':', '\0', '$', '%', '*', '?', '['])
        && !is_run
        && !is_recipe
        && path.split('/').all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_elsewhere_and_files_that_programs_run_are_told_apart() {
        for path in ["out.txt", "./a/b.json", "a.csv"] {
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
            "Rakefile",
            "node_modules/a/b.txt",
            "c:a",
            "",
            "a//b",
            "$A/b",
        ] {
            assert!(!is_in_working_folder(path), "{path}");
        }
    }
}
