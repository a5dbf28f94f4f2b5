//! Files that programs load or run by themselves, so that writing one is writing code for later.

/// Folders in which tools keep programs, modules and build outputs.
const FOLDERS: &[&str] = &[
    "node_modules",
    "venv",
    ".venv",
    "site-packages",
    "dist-packages",
    "target",
    "vendor",
    ".next",
    ".nuxt",
    "__pycache__",
    "hooks",
    "CMakeFiles",
    "classes",
    "initializers",
    "fastlane",
    "wrapper",
    ".husky",
    ".yarn",
    ".cargo",
    ".mvn",
    ".gradle",
    ".bundle",
];

/// Names of files that build tools, test runners, interpreters, agents and git read unasked.
const NAMES: &[&str] = &[
    // Git, in any folder: a folder that contains these is a repository.
    "HEAD",
    "config",
    "hooks",
    ".gitattributes",
    ".gitmodules",
    ".gitconfig",
    // Python.
    "conftest.py",
    "sitecustomize.py",
    "usercustomize.py",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "pytest.ini",
    "tox.ini",
    "mypy.ini",
    "noxfile.py",
    "Pipfile",
    "manage.py",
    "fabfile.py",
    "dodo.py",
    "SConstruct",
    "SConscript",
    "wscript",
    "tasks.py",
    // JavaScript.
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "bunfig.toml",
    "deno.json",
    "deno.jsonc",
    "gulpfile.js",
    "Gruntfile.js",
    "karma.conf.js",
    "binding.gyp",
    "lerna.json",
    "nx.json",
    "turbo.json",
    // C, Rust, Go, the JVM and .NET.
    "Makefile",
    "makefile",
    "GNUmakefile",
    "CMakeLists.txt",
    "CMakePresets.json",
    "CMakeUserPresets.json",
    "configure",
    "meson.build",
    "build.rs",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain",
    "rust-toolchain.toml",
    "go.mod",
    "go.work",
    "go.sum",
    "gradlew",
    "mvnw",
    "gradle.properties",
    "gradle-wrapper.properties",
    "gradle-wrapper.jar",
    "pom.xml",
    "build.xml",
    "nuget.config",
    "global.json",
    "dune",
    // Ruby, PHP, Elixir and Apple.
    "Gemfile",
    "Gemfile.lock",
    "Rakefile",
    "Guardfile",
    "spec_helper.rb",
    "rails_helper.rb",
    "composer.json",
    "composer.lock",
    "phpunit.xml",
    "mix.exs",
    "Podfile",
    "Fastfile",
    "Appfile",
    "Package.swift",
    // Machines, containers and pipelines.
    "Vagrantfile",
    "Procfile",
    "Jenkinsfile",
    "azure-pipelines.yml",
    "action.yml",
    "action.yaml",
    "ansible.cfg",
    "kubeconfig",
    "WORKSPACE",
    "MODULE.bazel",
    "BUILD",
    "BUILD.bazel",
    "bazel",
    "justfile",
    "Justfile",
    "Taskfile.yml",
    "Taskfile.yaml",
    "activate",
    // Instructions to agents and to this gateway.
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    "mgp.toml",
    "servers.toml",
];

/// Prefixes of these names.
const STARTS: &[&str] = &[
    "requirements",
    "constraints",
    "Dockerfile",
    "Containerfile",
    "docker-compose",
    "compose.y",
    "lefthook",
    "activate.",
];

/// Suffixes of these names.
const ENDS: &[&str] = &[
    ".pth",
    ".mk",
    ".gyp",
    ".gypi",
    ".gradle",
    ".gradle.kts",
    ".sbt",
    ".props",
    ".targets",
    ".csproj",
    ".sln",
    ".nix",
    ".tf",
    ".tfrc",
    ".cmake",
    ".bzl",
    ".gemspec",
    ".pyc",
    ".service",
    ".desktop",
    ".plist",
];

/// Folders of a project for scripts that others run.
const SCRIPTS: &[&str] = &["scripts", "script", "bin", "tools", "ci", "tasks"];

/// Returns whether a program loads or runs a file by its name or path.
pub(super) fn is_loaded(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let inside = |list: &[&str]| folders.split('/').any(|part| list.contains(&part));
    let configures = || {
        let (start, end) = name.rsplit_once('.').unwrap_or((name, ""));
        ["js", "cjs", "mjs", "ts", "mts", "cts"].contains(&end)
            && (start.ends_with(".config") || start.ends_with(".conf"))
    };
    if ["/tmp/", "/var/tmp/"].iter().any(|free| path.starts_with(free)) {
        return false;
    }
    let is_script = || {
        !name.contains('.')
            || [".sh", ".py", ".js", ".mjs", ".ts", ".rb", ".pl", ".bash"]
                .iter()
                .any(|end| name.ends_with(end))
    };
    inside(FOLDERS)
        || path.ends_with(".git") && !folders.is_empty()
        || NAMES.contains(&name)
        || FOLDERS.contains(&name) && !["target", "vendor", "wrapper", "classes"].contains(&name)
        || STARTS.iter().any(|start| name.starts_with(start))
        || ENDS.iter().any(|end| name.ends_with(end))
        || configures()
        || inside(SCRIPTS) && is_script()
}

/// Suffixes of the names of files with data or prose.
pub(super) const INERT: &[&str] =
    &[".log", ".txt", ".md", ".csv", ".out", ".html", ".json", ".css", ".svg", ".bak", ".diff", ".patch"];

/// Returns whether no program runs a file by its name: a test runner finds its tests even in prose.
pub(super) fn is_inert(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let tested = name.starts_with("test") && [".txt", ".md", ".rst"].iter().any(|end| name.ends_with(end));
    !is_loaded(path) && !tested && INERT.iter().any(|end| name.ends_with(end))
}
