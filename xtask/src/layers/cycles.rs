//! The rule on import cycles: modules of one folder that import each other in a ring stay few.

use std::collections::{BTreeMap, BTreeSet};

use super::modules::{Arrows, Crate};
use super::table::MAX_CYCLE;

/// The most modules of a folder that is not looked at. The root of a crate is looked at in any case.
const MAX_SMALL_FOLDER: usize = 8;

/// The most names of a cycle that are printed.
const MAX_NAMES: usize = 12;

/// The lines and the findings of the rule.
#[derive(Debug, Default)]
pub(super) struct Cycles {
    /// A line for each folder.
    pub(super) lines: Vec<String>,
    pub(super) findings: Vec<String>,
}

/// Finds folders whose largest cycle exceeds the limit.
pub(super) fn check(crates: &[Crate]) -> Cycles {
    let mut cycles = Cycles::default();
    for read in crates {
        for (folder, children) in read.folders() {
            if children.is_empty() || !folder.is_empty() && children.len() <= MAX_SMALL_FOLDER {
                continue;
            }
            let place = read.place(folder);
            let cycle = largest(&read.arrows(folder));
            let shape = match cycle.len() {
                0 => "no cycle".to_owned(),
                size => format!("cycle of {size}: {}", shortened(&cycle)),
            };
            cycles.lines.push(format!("{place}: {} modules, {shape}", children.len()));
            if cycle.len() > MAX_CYCLE {
                let (size, names) = (cycle.len(), cycle.join(", "));
                cycles.findings.push(format!(
                    "{place}: {size} modules import each other, at most {MAX_CYCLE} may: {names}"
                ));
            }
        }
    }
    cycles
}

fn shortened(names: &[String]) -> String {
    match names.get(..MAX_NAMES) {
        Some(first) if first.len() < names.len() => format!("{}, ..", first.join(", ")),
        _ => names.join(", "),
    }
}

/// Returns the largest group of modules each of which leads to every other of them, empty without a cycle.
fn largest(arrows: &Arrows<'_>) -> Vec<String> {
    let mut ahead: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for &(from, to) in arrows.keys() {
        ahead.entry(from).or_default().push(to);
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        ahead.keys().map(|from| (*from, reached_from(from, &ahead))).collect();
    let leads = |from: &str, to: &str| reached.get(from).is_some_and(|reached| reached.contains(to));
    let group = |one: &str| -> Vec<String> {
        let others = reached.get(one).into_iter().flatten();
        others.filter(|other| leads(other, one)).map(|other| (*other).to_owned()).collect()
    };
    reached.keys().map(|one| group(one)).max_by_key(Vec::len).unwrap_or_default()
}

/// Returns the modules that a module leads to: itself only if it stands in a cycle.
fn reached_from<'a>(from: &str, ahead: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(at) = waiting.pop() {
        for next in ahead.get(at).into_iter().flatten() {
            if reached.insert(*next) {
                waiting.push(*next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    /// Returns the crate `x`, whose modules each import the next one, the last of the first `ring` the first.
    fn crates(modules: usize, ring: usize) -> Vec<Crate> {
        let name = |at: usize| format!("m{at}");
        let root: String = (0..modules).map(|at| format!("mod {};\n", name(at))).collect();
        let module = |at: usize| match at + 1 {
            next if next == ring => format!("use crate::{}::X;", name(0)),
            next if next < ring => format!("use crate::{}::X;", name(next)),
            _ => String::new(),
        };
        let files: Vec<_> = (0..modules).map(|at| (format!("x/src/{}.rs", name(at)), module(at))).collect();
        let mut files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        files.extend([("x/Cargo.toml", ""), ("x/src/lib.rs", root.as_str())]);
        Crate::all(&Tree::of(&files))
    }

    fn findings(crates: &[Crate]) -> Vec<String> {
        check(crates).findings
    }

    #[test]
    fn a_cycle_of_four_modules_is_found_and_one_of_three_passes() {
        assert_eq!(findings(&crates(6, 3)), [] as [String; 0]);
        assert_eq!(check(&crates(6, 3)).lines, ["x/src: 6 modules, cycle of 3: m0, m1, m2"]);
        assert_eq!(
            findings(&crates(6, 4)),
            ["x/src: 4 modules import each other, at most 3 may: m0, m1, m2, m3"]
        );
        let long = check(&crates(14, 14)).lines;
        assert!(long[0].ends_with("m0, m1, m10, m11, m12, m13, m2, m3, m4, m5, m6, m7, .."), "{long:?}");
    }

    #[test]
    fn modules_outside_of_a_cycle_are_not_in_it() {
        let files = [
            ("x/Cargo.toml", ""),
            ("x/src/main.rs", "mod a; mod b; mod c; mod d; mod e;"),
            ("x/src/a.rs", "use crate::b;"),
            ("x/src/b.rs", "use crate::{c, d};"),
            ("x/src/c.rs", "use crate::b;"),
            ("x/src/d.rs", "use crate::e;"),
            ("x/src/e.rs", ""),
        ];
        let cycles = check(&Crate::all(&Tree::of(&files)));
        assert_eq!(cycles.lines, ["x/src: 5 modules, cycle of 2: b, c"]);
        let alone = check(&crates(2, 0));
        assert_eq!(alone.lines, ["x/src: 2 modules, no cycle"]);
    }

    #[test]
    fn small_folders_are_ignored() {
        for (modules, is_listed) in [(8, false), (9, true)] {
            let root: String = (0..modules).map(|at| format!("mod m{at};")).collect();
            let paths: Vec<_> = (0..modules).map(|at| format!("x/src/a/m{at}.rs")).collect();
            let mut files: Vec<_> = paths.iter().map(|path| (path.as_str(), "")).collect();
            files.extend([
                ("x/Cargo.toml", ""),
                ("x/src/lib.rs", "mod a;"),
                ("x/src/a/mod.rs", root.as_str()),
            ]);
            let lines = check(&Crate::all(&Tree::of(&files))).lines;
            assert_eq!(lines.iter().any(|line| line.starts_with("x/src/a:")), is_listed, "{lines:?}");
        }
    }
}
