//! Files that some program loads or runs by itself, so that who writes one writes code for later.

/// Folders inside which tools keep programs, modules and what they built.
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
    // Git, in any folder: one that holds these is a repository.
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
    // What tells agents and this gateway what to do.
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    "mgp.toml",
    "servers.toml",
];

/// Beginnings of such names.
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

/// Ends of such names.
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

/// Folders of a project whose scripts others run.
const SCRIPTS: &[&str] = &["scripts", "script", "bin", "tools", "ci", "tasks"];

/// Returns whether some program loads or runs a file by its name or its place.
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

/// Ends of the names of files that hold data or prose.
pub(super) const INERT: &[&str] =
    &[".log", ".txt", ".md", ".csv", ".out", ".html", ".json", ".css", ".svg", ".bak", ".diff", ".patch"];

/// Returns whether nothing runs a file by its name: a test runner finds its tests even in prose.
pub(super) fn is_inert(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let tested = name.starts_with("test") && [".txt", ".md", ".rst"].iter().any(|end| name.ends_with(end));
    !is_loaded(path) && !tested && INERT.iter().any(|end| name.ends_with(end))
}
