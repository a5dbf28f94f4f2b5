//! The parts of a crate that people see in a registry: a README that runs, its licences, its documentation with every feature.

use super::{Finding, links};
use crate::tree::{File, Tree};

const LICENCES: &[&str] = &["LICENSE-MIT", "LICENSE-APACHE"];
/// Lines of a manifest.
const LINES: &[&str] = &[
    "description = ",
    "keywords = ",
    "categories = ",
    "license",
    "repository",
    "rust-version",
    "readme = \"README.md\"",
    // The workspace's list: without tests, which need files and programs next to the crate.
    "include.workspace = true",
];
const DOCS_RS: &str =
    "[package.metadata.docs.rs]\nall-features = true\nrustdoc-args = [\"--cfg\", \"docsrs\"]\n";
/// The limit of the registry.
const MAX_KEYWORDS: usize = 5;
/// The folders of a crate that its package contains.
const PACKED: &[&str] = &["src/", "examples/", "docs/", "README.md"];

/// Checks each crate that is published.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let is_published = |file: &&File| {
        file.name() == "Cargo.toml"
            && file.text.lines().any(|line| line == "[package]")
            && !file.text.lines().any(|line| line == "publish = false")
    };
    tree.files.iter().filter(is_published).flat_map(|manifest| package(tree, manifest)).collect()
}

fn package(tree: &Tree, manifest: &File) -> Vec<Finding> {
    let folder = manifest.path.trim_end_matches("Cargo.toml");
    let mut findings = Vec::new();
    for line in LINES {
        if !manifest.text.lines().any(|text| text.starts_with(line)) {
            findings.push(Finding::in_file(&manifest.path, format!("has no line `{}`", line.trim_end())));
        }
    }
    let keywords = manifest.text.lines().find_map(|line| line.strip_prefix("keywords = "));
    if keywords.is_some_and(|list| list.split(',').count() > MAX_KEYWORDS) {
        findings.push(Finding::in_file(&manifest.path, format!("has more than {MAX_KEYWORDS} keywords")));
    }
    findings.extend(tree.rust().flat_map(|file| foreign_includes(file, folder)));
    let has_library = tree.file(&format!("{folder}src/lib.rs")).is_some();
    if has_library && !manifest.text.contains(DOCS_RS) {
        let what = "does not have docs.rs show all features: expected [package.metadata.docs.rs] with all-features = true and rustdoc-args = [\"--cfg\", \"docsrs\"]";
        findings.push(Finding::in_file(&manifest.path, what));
    }
    for name in LICENCES {
        let (own, whole) = (tree.file(&format!("{folder}{name}")), tree.file(name));
        if own.map(|file| &file.text) != whole.map(|file| &file.text) {
            findings.push(Finding::in_file(&format!("{folder}{name}"), format!("is not the text of {name}")));
        }
    }
    findings.extend(readme(tree, manifest, folder));
    findings
}

/// Finds files that a packed source includes, but that its package does not contain.
fn foreign_includes(file: &File, folder: &str) -> Vec<Finding> {
    let is_packed = |path: &str| {
        path.strip_prefix(folder).is_some_and(|path| PACKED.iter().any(|start| path.starts_with(start)))
    };
    let mut findings = Vec::new();
    if !is_packed(&file.path) {
        return findings;
    }
    for (line, text) in file.text.lines().enumerate() {
        let paths =
            text.split("include_").skip(1).filter_map(|rest| rest.split_once("!(\"")?.1.split('"').next());
        for path in
            paths.filter(|path| !links::resolve(&file.path, path).is_some_and(|path| is_packed(&path)))
        {
            let what = format!(
                "includes {path:?}, which the package does not contain: put a symbolic link to it into {folder}docs/"
            );
            findings.push(Finding::on_line(&file.path, line + 1, what));
        }
    }
    findings
}

/// Checks that the README has an example, which runs as a test of the crate, and names each feature.
fn readme(tree: &Tree, manifest: &File, folder: &str) -> Vec<Finding> {
    let path = format!("{folder}README.md");
    let Some(readme) = tree.file(&path) else { return vec![Finding::in_file(&path, "is missing")] };
    let mut findings = Vec::new();
    let library = format!("{folder}src/lib.rs");
    if tree.file(&library).is_none() {
        // A program, which nobody depends on.
        if !readme.text.contains("\n```sh") {
            findings.push(Finding::in_file(&path, "has no command"));
        }
        return findings;
    }
    if !readme.text.contains("\n```rust") {
        findings.push(Finding::in_file(&path, "has no example"));
    }
    if !tree.file(&library).is_some_and(|file| file.text.contains("include_str!(\"../README.md\")")) {
        findings.push(Finding::in_file(&library, "does not run the example of the README as a test"));
    }
    for feature in features(manifest) {
        if !readme.text.contains(&format!("| `{feature}`")) {
            findings.push(Finding::in_file(&path, format!("does not mention the feature `{feature}`")));
        }
    }
    findings
}

fn features(manifest: &File) -> impl Iterator<Item = &str> {
    let lines = manifest.text.lines().skip_while(|line| *line != "[features]").skip(1);
    let names = lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once(" = "));
    names.map(|(name, _)| name).filter(|name| *name != "default" && !name.starts_with([' ', '#']))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"a\"\ndescription = \"A.\"\nlicense.workspace = true\nkeywords = [\"a\"]\n\
        categories = []\nrepository = \"r\"\nrust-version = \"1\"\nreadme = \"README.md\"\ninclude.workspace = true\n\n\
        [package.metadata.docs.rs]\nall-features = true\nrustdoc-args = [\"--cfg\", \"docsrs\"]\n\n\
        [features]\ndefault = [\"x\"]\n# Says x.\nx = [\n  \"y/z\",\n]\n\n[dependencies]\ny = \"1\"\n";
    const README: &str =
        "# a\n\n```rust\nassert!(true);\n```\n\n| feature | |\n|---|---|\n| `x` (default) | says x |\n";
    const LIBRARY: &str = "#[doc = include_str!(\"../README.md\")]";

    fn tree<'a>(
        manifest: &'a str,
        readme: &'a str,
        library: &'a str,
        licence: &'a str,
    ) -> Vec<(&'a str, &'a str)> {
        let mut files = vec![("a/Cargo.toml", manifest), ("a/README.md", readme), ("a/src/lib.rs", library)];
        files.extend([("a/LICENSE-MIT", licence), ("a/LICENSE-APACHE", "Apache")]);
        files.extend([("LICENSE-MIT", "MIT"), ("LICENSE-APACHE", "Apache")]);
        files
    }

    #[test]
    fn a_complete_crate_and_an_unpublished_one_pass() {
        assert_eq!(check(&Tree::of(&tree(MANIFEST, README, LIBRARY, "MIT"))), []);
        assert_eq!(check(&Tree::of(&[("b/Cargo.toml", "[package]\npublish = false\n")])), []);
        assert_eq!(check(&Tree::of(&[("Cargo.toml", "[workspace]\n")])), []);
    }

    #[test]
    fn a_program_needs_a_command_in_its_readme() {
        let manifest = MANIFEST.replace(DOCS_RS, "");
        let of = |readme| {
            let files = tree(&manifest, readme, "", "MIT");
            let files: Vec<_> = files.into_iter().filter(|(path, _)| *path != "a/src/lib.rs").collect();
            check(&Tree::of(&files))
        };
        assert_eq!(of("# a\n\n```sh\ncargo install a\n```\n"), []);
        assert_eq!(of("# a\n"), [Finding::in_file("a/README.md", "has no command")]);
    }

    #[test]
    fn each_missing_part_is_found() {
        let findings = check(&Tree::of(&tree("[package]\n\n[features]\nx = []\n", "# a\n", "", "other")));
        let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
        let expected = [
            "a/Cargo.toml: has no line `description =`",
            "a/Cargo.toml: has no line `keywords =`",
            "a/Cargo.toml: has no line `categories =`",
            "a/Cargo.toml: has no line `license`",
            "a/Cargo.toml: has no line `repository`",
            "a/Cargo.toml: has no line `rust-version`",
            "a/Cargo.toml: has no line `readme = \"README.md\"`",
            "a/Cargo.toml: has no line `include.workspace = true`",
            "a/Cargo.toml: does not have docs.rs show all features: expected [package.metadata.docs.rs] with all-features = true and rustdoc-args = [\"--cfg\", \"docsrs\"]",
            "a/LICENSE-MIT: is not the text of LICENSE-MIT",
            "a/README.md: has no example",
            "a/src/lib.rs: does not run the example of the README as a test",
            "a/README.md: does not mention the feature `x`",
        ];
        assert_eq!(told, expected);
        let nothing =
            check(&Tree::of(&[("a/Cargo.toml", MANIFEST), ("LICENSE-MIT", "MIT"), ("LICENSE-APACHE", "A")]));
        assert_eq!(nothing.len(), 3, "{nothing:?}");
    }

    #[test]
    fn a_sixth_keyword_is_found() {
        let manifest = MANIFEST.replace("[\"a\"]", "[\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]");
        let expected = Finding::in_file("a/Cargo.toml", "has more than 5 keywords");
        assert_eq!(check(&Tree::of(&tree(&manifest, README, LIBRARY, "MIT"))), [expected]);
    }

    #[test]
    fn a_source_that_includes_what_its_package_lacks_is_found() {
        let source = "const IN: &str = include_str!(\"b/c.txt\");\nconst OUT: &str = include_str!(\"../../docs/d.md\");\n";
        let mut files = tree(MANIFEST, README, LIBRARY, "MIT");
        files.extend([("a/src/b.rs", source), ("a/tests/c.rs", source), ("z/src/b.rs", source)]);
        let what = "includes \"../../docs/d.md\", which the package does not contain: put a symbolic link to it into a/docs/";
        assert_eq!(check(&Tree::of(&files)), [Finding::on_line("a/src/b.rs", 2, what)]);
    }
}
