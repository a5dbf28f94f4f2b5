//! The modules of a crate, and the modules that each of their imports leads through.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Binding, Paths};
use crate::rust_code::RustCode;
use crate::tree::{File, Tree};

/// The most exports that a path is followed through.
const MAX_STEPS: usize = 16;

/// The modules of a crate, without its tests. The path of a module is a list of names, empty for the root of the crate.
#[derive(Debug, Default)]
pub(super) struct Crate {
    /// The folder of its sources.
    pub(super) source: String,
    modules: BTreeMap<Vec<String>, Module>,
    imports: Vec<Import>,
}

#[derive(Debug, Default)]
struct Module {
    children: BTreeSet<String>,
    paths: Paths,
}

/// A path that a module names.
#[derive(Debug)]
struct Import {
    from: Vec<String>,
    /// The modules that the path enters, in order. If a module exports a name of another module, the path continues there.
    through: Vec<Vec<String>>,
}

/// Pairs of direct children of a folder: the first imports the second. Each has the modules that contain the imports.
pub(super) type Arrows<'a> = BTreeMap<(&'a str, &'a str), BTreeSet<&'a [String]>>;

impl Crate {
    /// Reads every crate of the repository.
    pub(super) fn all(tree: &Tree) -> Vec<Self> {
        let files: BTreeMap<_, _> = tree.rust().map(|file| (file.path.as_str(), file)).collect();
        let manifests = tree.files.iter().filter(|file| file.name() == "Cargo.toml");
        let sources = manifests.filter_map(|file| file.path.strip_suffix("Cargo.toml"));
        sources.filter_map(|folder| Self::read(&files, format!("{folder}src"))).collect()
    }

    fn read(files: &BTreeMap<&str, &File>, source: String) -> Option<Self> {
        let mut read = Self { source, ..Self::default() };
        let folder = read.source.clone();
        for root in ["lib.rs", "main.rs"] {
            if let Some(file) = files.get(format!("{folder}/{root}").as_str()) {
                read.add(files, &[], file, &folder);
            }
        }
        read.imports = read.imports_of_all();
        (!read.modules.is_empty()).then_some(read)
    }

    /// Adds a module and the modules below it, whose files stand in a folder.
    fn add(&mut self, files: &BTreeMap<&str, &File>, path: &[String], file: &File, folder: &str) {
        let paths = Paths::of(&RustCode::parse(&file.text).without_tests().bare);
        let mut children = BTreeSet::new();
        for name in &paths.modules {
            let below = format!("{folder}/{name}");
            let candidates = [format!("{below}.rs"), format!("{below}/mod.rs")];
            let Some(file) = candidates.iter().find_map(|candidate| files.get(candidate.as_str())) else {
                continue;
            };
            if is_test(file) || !children.insert(name.clone()) {
                continue;
            }
            let child = [path, std::slice::from_ref(name)].concat();
            self.add(files, &child, file, &below);
        }
        let module = self.modules.entry(path.to_vec()).or_default();
        module.children.append(&mut children);
        module.paths.bindings.extend(paths.bindings);
        module.paths.inline.extend(paths.inline);
    }

    fn imports_of_all(&self) -> Vec<Import> {
        let mut imports = Vec::new();
        for (from, module) in &self.modules {
            let brought_in = module.paths.bindings.iter().map(|binding| &binding.path);
            let paths: BTreeSet<_> = brought_in.chain(&module.paths.inline).collect();
            for path in paths {
                let mut through = Vec::new();
                self.follow(from, path, MAX_STEPS, &mut through);
                if !through.is_empty() {
                    imports.push(Import { from: from.clone(), through });
                }
            }
        }
        imports
    }

    /// Adds the modules that a path enters, as a module names it.
    fn follow(&self, from: &[String], path: &[String], steps: usize, through: &mut Vec<Vec<String>>) {
        let Some(module) = self.modules.get(from) else { return };
        let Some((first, behind)) = path.split_first() else { return };
        let Some(steps) = steps.checked_sub(1) else { return };
        let (mut here, mut rest) = match first.as_str() {
            "crate" => (Vec::new(), behind),
            "self" | "super" => (from.to_vec(), path),
            child if module.children.contains(child) => (from.to_vec(), path),
            name => {
                if let Some(binding) = module.binding(name) {
                    let path = [binding.path.as_slice(), behind].concat();
                    self.follow(from, &path, steps, through);
                }
                return;
            }
        };
        while let Some((name, behind)) = rest.split_first() {
            let Some(module) = self.modules.get(&here) else { return };
            match name.as_str() {
                "self" => {}
                "super" => {
                    here.pop();
                }
                child if module.children.contains(child) => {
                    here.push(name.clone());
                    through.push(here.clone());
                }
                item => {
                    if let Some(binding) = module.binding(item) {
                        let path = [binding.path.as_slice(), behind].concat();
                        self.follow(&here, &path, steps, through);
                    }
                    return;
                }
            }
            rest = behind;
        }
    }

    /// Returns every module with its direct children.
    pub(super) fn folders(&self) -> impl Iterator<Item = (&[String], &BTreeSet<String>)> {
        self.modules.iter().map(|(path, module)| (path.as_slice(), &module.children))
    }

    /// Returns the arrows between the direct children of a folder. The imports of the folder's own `mod.rs` or `lib.rs` are left out.
    pub(super) fn arrows(&self, folder: &[String]) -> Arrows<'_> {
        let mut arrows = Arrows::new();
        for import in &self.imports {
            let Some(from) = child_in(folder, &import.from) else { continue };
            let to = import.through.iter().find_map(|module| child_in(folder, module));
            if let Some(to) = to.filter(|to| *to != from) {
                arrows.entry((from, to)).or_default().insert(&import.from);
            }
        }
        arrows
    }

    /// Returns the path of a module in the repository, without the end of its file's name.
    pub(super) fn place(&self, module: &[String]) -> String {
        std::iter::once(&self.source).chain(module).map(String::as_str).collect::<Vec<_>>().join("/")
    }
}

impl Module {
    fn binding(&self, name: &str) -> Option<&Binding> {
        self.paths.bindings.iter().find(|binding| binding.name == name)
    }
}

/// Returns the direct child of a folder that a module is or stands in.
fn child_in<'a>(folder: &[String], module: &'a [String]) -> Option<&'a str> {
    module.strip_prefix(folder)?.first().map(String::as_str)
}

fn is_test(file: &File) -> bool {
    file.is_test() || file.name().starts_with("tests")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the arrows of a folder of a crate as "a > b", for a folder such as `c/d`.
    fn arrows(files: &[(&str, &str)], folder: &str) -> Vec<String> {
        let files = [files, &[("x/Cargo.toml", "")]].concat();
        let crates = Crate::all(&Tree::of(&files));
        let folder: Vec<_> =
            folder.split('/').filter(|name| !name.is_empty()).map(ToOwned::to_owned).collect();
        crates[0].arrows(&folder).into_keys().map(|(from, to)| format!("{from} > {to}")).collect()
    }

    #[test]
    fn paths_are_resolved_from_the_module_that_names_them() {
        let files = [
            ("x/src/lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
            ("x/src/a.rs", "use crate::{b::B, left_out}; fn f() { super::c::g() }"),
            ("x/src/b/mod.rs", "mod inner; fn f() { self::inner::g(); inner::h() }"),
            ("x/src/b/inner.rs", "use super::super::d; fn f() { d::g() }"),
            ("x/src/c.rs", "use std::b::B; fn f() { e.d::<u8>() }"),
            ("x/src/d.rs", ""),
            ("x/src/e.rs", "// crate::a::A\nconst F: &str = \"crate::a::A\";"),
        ];
        assert_eq!(arrows(&files, ""), ["a > b", "a > c", "b > d"]);
    }

    #[test]
    fn a_name_that_a_parent_exports_is_followed_to_its_module() {
        let files = [
            ("x/src/lib.rs", "mod a; mod b; mod c; pub use b::B as Renamed; use c::deep;"),
            ("x/src/a.rs", "use super::Renamed;"),
            ("x/src/b.rs", "use crate::deep; fn f() { deep::C }"),
            ("x/src/c/mod.rs", "pub mod deep; pub use deep::C;"),
            ("x/src/c/deep.rs", "use super::C;"),
        ];
        assert_eq!(arrows(&files, ""), ["a > b", "b > c"]);
    }

    #[test]
    fn a_folder_has_the_arrows_between_its_own_children() {
        let files = [
            ("x/src/lib.rs", "mod a; mod b;"),
            ("x/src/a/mod.rs", "mod c; mod d; pub use d::D; use crate::b::B;"),
            ("x/src/a/c.rs", "use crate::{a::D, b::B};"),
            ("x/src/a/d/mod.rs", "mod e;"),
            ("x/src/a/d/e.rs", "use super::super::c;"),
            ("x/src/b.rs", ""),
        ];
        assert_eq!(arrows(&files, "a"), ["c > d", "d > c"]);
        assert_eq!(arrows(&files, ""), ["a > b"]);
    }

    #[test]
    fn tests_are_not_modules_and_have_no_arrows() {
        let files = [
            ("x/src/lib.rs", "mod a; mod b; mod tests_of_a; #[cfg(test)] mod samples;"),
            ("x/src/a.rs", "#[cfg(test)] mod tests { use crate::b::B; }"),
            ("x/src/b.rs", "#[cfg(test)]\nmod tests;\n#[cfg(test)]\nuse crate::a::A;"),
            ("x/src/b/tests.rs", "use crate::a::A;"),
            ("x/src/tests_of_a.rs", "use crate::a::A;"),
            ("x/src/samples.rs", "use crate::a::A;"),
        ];
        assert_eq!(arrows(&files, ""), [] as [String; 0]);
        let crates = Crate::all(&Tree::of(&[&files[..], &[("x/Cargo.toml", "")]].concat()));
        let (_, children) = crates[0].folders().next().unwrap();
        assert_eq!(children.iter().collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn names_that_lead_to_each_other_are_followed_to_an_end() {
        let files = [
            ("x/src/lib.rs", "mod a; mod b;"),
            ("x/src/a.rs", "pub use crate::b::X; use X::Y;"),
            ("x/src/b.rs", "pub use crate::a::X;"),
        ];
        assert_eq!(arrows(&files, ""), ["a > b", "b > a"]);
    }

    #[test]
    fn the_modules_of_this_crate_are_read() {
        let mut tree = Tree::read(&crate::workspace::root()).unwrap();
        tree.files.retain(|file| file.path.starts_with("xtask/"));
        let crates = Crate::all(&tree);
        let xtask = crates.iter().find(|read| read.source == "xtask/src").unwrap();
        let from: Vec<_> = ["layers", "modules"].map(str::to_owned).into();
        let arrows = xtask.arrows(&from[..1]);
        assert!(arrows[&("modules", "paths")].contains(from.as_slice()), "{arrows:?}");
        assert!(!arrows.contains_key(&("paths", "modules")), "{arrows:?}");
        assert_eq!(xtask.place(&from), "xtask/src/layers/modules");
    }
}
