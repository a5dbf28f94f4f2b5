//! The rule on the rooms of the kernel: a room imports only rooms below it. The imports that break the rule today are counted, and only get fewer.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::modules::Crate;
use super::table::KERNEL_MODULES;
use crate::tree::Tree;

/// The file with the numbers of imports that break the rule.
const LIST: &str = "xtask/src/layers/rooms_todo.txt";

const HEAD: &str = "\
# The imports between rooms of the kernel that run up: the room that imports, the room that it names, and the number of
# files that do so. They only get fewer; `cargo xtask layers --write` lowers them.
";

/// The files of a room that name another, by the names of both.
type Violations = BTreeMap<(String, String), BTreeSet<String>>;

/// The numbers of those files in the list.
type Counts = BTreeMap<(String, String), usize>;

/// The line and the findings of the rule.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) line: String,
    pub(super) findings: Vec<String>,
}

/// Finds imports that run up and the list does not count, and lines of the list that count too many.
pub(super) fn check(tree: &Tree, crates: &[Crate], rooms: &[&str]) -> Report {
    let found = violations(crates, rooms);
    let line = match found {
        Some(_) => format!("{} rooms of the kernel import only rooms below them", rooms.len()),
        None => "the kernel has no rooms yet".to_owned(),
    };
    let findings = match (listed(tree), found) {
        (Err(problem), _) => vec![problem],
        (Ok(listed), Some(found)) => compare(&found, &listed),
        (Ok(listed), None) if listed.is_empty() => Vec::new(),
        (Ok(listed), None) => vec![format!("{LIST} has {} lines, but the kernel has no rooms", listed.len())],
    };
    Report { line, findings }
}

/// Writes today's numbers to the list. A list with lines is only made smaller.
///
/// # Errors
/// A number that would grow, or a file that cannot be written.
pub(super) fn write(root: &Path, tree: &Tree, crates: &[Crate], rooms: &[&str]) -> Result<(), String> {
    let found = violations(crates, rooms).unwrap_or_default();
    let listed = listed(tree)?;
    let grown = found.iter().filter(|(pair, files)| listed.get(*pair).is_none_or(|most| files.len() > *most));
    let grown: Vec<_> = grown.map(|((from, to), files)| format!("{from} {to} {}", files.len())).collect();
    if !listed.is_empty() && !grown.is_empty() {
        return Err(format!("failed to lower {LIST}, because numbers grew to: {}", grown.join(", ")));
    }
    fs::write(root.join(LIST), text_of(&found)).map_err(|error| format!("failed to write {LIST}: {error}"))
}

/// Returns the imports that run up, or `None` if the kernel has no rooms. A module that is not in the table may import no
/// room, and no room may import it.
fn violations(crates: &[Crate], rooms: &[&str]) -> Option<Violations> {
    let (kernel, folder) = kernel(crates, rooms)?;
    let mut violations = Violations::new();
    for ((from, to), files) in kernel.arrows(&folder) {
        let floor = |name| rooms.iter().position(|room| *room == name);
        let runs_down = floor(from).zip(floor(to)).is_some_and(|(from, to)| from < to);
        if !runs_down {
            let files = files.into_iter().map(|module| kernel.place(module)).collect();
            violations.insert((from.to_owned(), to.to_owned()), files);
        }
    }
    Some(violations)
}

/// Returns the crate and the module that hold the rooms. The crate `mgp-kernel` always has rooms. A module of another crate has rooms if
/// the highest and the lowest room exist.
fn kernel<'a>(crates: &'a [Crate], rooms: &[&str]) -> Option<(&'a Crate, Vec<String>)> {
    KERNEL_MODULES.iter().find_map(|(source, folder)| {
        let kernel = crates.iter().find(|read| read.source == *source)?;
        let folder: Vec<_> = folder.iter().map(|name| (*name).to_owned()).collect();
        let (_, children) = kernel.folders().find(|(path, _)| *path == folder)?;
        let is_here = |room: Option<&&str>| room.is_some_and(|room| children.contains(*room));
        let has_rooms = folder.is_empty() || is_here(rooms.first()) && is_here(rooms.last());
        has_rooms.then_some((kernel, folder))
    })
}

fn listed(tree: &Tree) -> Result<Counts, String> {
    tree.file(LIST).map_or(Ok(Counts::new()), |file| parse(&file.text))
}

fn compare(found: &Violations, listed: &Counts) -> Vec<String> {
    let pairs: BTreeSet<_> = found.keys().chain(listed.keys()).collect();
    let mut findings = Vec::new();
    for pair in pairs {
        let (from, to) = pair;
        let files = found.get(pair);
        let count = files.map_or(0, BTreeSet::len);
        let most = listed.get(pair).copied().unwrap_or_default();
        if count > most {
            let files: Vec<_> = files.into_iter().flatten().map(String::as_str).collect();
            let files = files.join(", ");
            findings.push(format!("{from} names {to} in {count} files, at most {most} may: {files}"));
        } else if count < most {
            findings.push(format!(
                "{from} names {to} in {count} files, fewer than the {most} of {LIST}: lower it with \
                 `cargo xtask layers --write`"
            ));
        }
    }
    findings
}

fn text_of(found: &Violations) -> String {
    let lines = found.iter().map(|((from, to), files)| format!("{from} {to} {}\n", files.len()));
    std::iter::once(HEAD.to_owned()).chain(lines).collect()
}

/// Reads the list: lines of two rooms and a number.
fn parse(text: &str) -> Result<Counts, String> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|(number, line)| parse_line(line).ok_or_else(|| not_a_line(number))).collect()
}

fn parse_line(line: &str) -> Option<((String, String), usize)> {
    let mut words = line.split_whitespace();
    let pair = (words.next()?.to_owned(), words.next()?.to_owned());
    let count = words.next()?.parse::<usize>().ok().filter(|count| *count > 0)?;
    words.next().is_none().then_some((pair, count))
}

fn not_a_line(number: usize) -> String {
    format!("{LIST}:{number}: expected two rooms and the number of files, such as `upstream host 9`")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[&str] = &["boot", "host", "ground"];

    /// A kernel that keeps the rules.
    const GOOD: [(&str, &str); 5] = [
        ("mgp-kernel/Cargo.toml", ""),
        ("mgp-kernel/src/lib.rs", "mod boot; mod host; mod ground; pub use boot::Kernel;"),
        ("mgp-kernel/src/boot.rs", "use crate::{ground::Trail, host::Hosts};"),
        ("mgp-kernel/src/host/mod.rs", "mod face; use super::ground::Trail;"),
        ("mgp-kernel/src/ground.rs", "// crate::boot"),
    ];

    fn with(file: (&'static str, &'static str)) -> Tree {
        Tree::of(&[&GOOD[..], &[file]].concat())
    }

    fn findings(tree: &Tree) -> Vec<String> {
        check(tree, &Crate::all(tree), RULES).findings
    }

    const FACE: (&str, &str) = ("mgp-kernel/src/host/face.rs", "use crate::{Kernel, ground::Trail};");

    #[test]
    fn only_an_import_that_runs_up_is_found() {
        assert_eq!(findings(&Tree::of(&GOOD)), [] as [String; 0]);
        assert_eq!(
            findings(&with(FACE)),
            ["host names boot in 1 files, at most 0 may: mgp-kernel/src/host/face"]
        );
    }

    #[test]
    fn a_line_of_the_list_is_exact() {
        for (list, expected) in [
            ("# a remark\nhost boot 1\n", None),
            ("host boot 2\n", Some("host names boot in 1 files, fewer than the 2 of")),
            ("host boot 1\nground host 3\n", Some("ground names host in 0 files, fewer than the 3 of")),
            ("host boot one\n", Some("xtask/src/layers/rooms_todo.txt:1: expected two rooms")),
            ("\nhost boot 0\n", Some("xtask/src/layers/rooms_todo.txt:2: expected two rooms")),
        ] {
            let found = findings(&Tree::of(&[&GOOD[..], &[FACE, (LIST, list)]].concat()));
            assert_eq!(found.len(), usize::from(expected.is_some()), "{found:?}");
            assert!(found.iter().zip(expected).all(|(found, start)| found.starts_with(start)), "{found:?}");
        }
    }

    #[test]
    fn a_module_that_is_no_room_is_a_stranger_to_all() {
        let files = [
            ("mgp-kernel/Cargo.toml", ""),
            ("mgp-kernel/src/lib.rs", "mod boot; mod core; mod ground;"),
            ("mgp-kernel/src/boot.rs", "use crate::core::Core;"),
            ("mgp-kernel/src/core.rs", "use crate::ground::Trail;"),
            ("mgp-kernel/src/ground.rs", ""),
        ];
        assert_eq!(
            findings(&Tree::of(&files)),
            [
                "boot names core in 1 files, at most 0 may: mgp-kernel/src/boot",
                "core names ground in 1 files, at most 0 may: mgp-kernel/src/core",
            ]
        );
    }

    #[test]
    fn a_kernel_without_rooms_passes_if_the_list_is_empty() {
        let files = [
            ("mgp-client-sdk/Cargo.toml", ""),
            ("mgp-client-sdk/src/lib.rs", "mod kernel;"),
            ("mgp-client-sdk/src/kernel/mod.rs", "mod host; mod ground;"),
            ("mgp-client-sdk/src/kernel/host.rs", ""),
            ("mgp-client-sdk/src/kernel/ground.rs", "use super::host::Hosts;"),
        ];
        let tree = Tree::of(&files);
        let expected = Report { line: "the kernel has no rooms yet".to_owned(), findings: Vec::new() };
        assert_eq!(check(&tree, &Crate::all(&tree), RULES), expected);
        let tree = Tree::of(&[&files[..], &[(LIST, "ground host 1\n")]].concat());
        assert_eq!(
            findings(&tree),
            ["xtask/src/layers/rooms_todo.txt has 1 lines, but the kernel has no rooms"]
        );
        let mut files = [&files[..], &[("mgp-client-sdk/src/kernel/boot.rs", "")]].concat();
        files[2].1 = "mod boot; mod host; mod ground;";
        assert_eq!(
            findings(&Tree::of(&files)),
            ["ground names host in 1 files, at most 0 may: mgp-client-sdk/src/kernel/ground"]
        );
    }

    #[test]
    fn the_list_is_written_once_and_then_only_lowered() {
        let root = std::env::temp_dir().join(format!("xtask-rooms-{}", std::process::id()));
        fs::create_dir_all(root.join("xtask/src/layers")).unwrap();
        let tree = with(FACE);
        write(&root, &tree, &Crate::all(&tree), RULES).unwrap();
        let text = fs::read_to_string(root.join(LIST)).unwrap();
        assert_eq!(text, format!("{HEAD}host boot 1\n"));

        let grown = Tree::of(&[&GOOD[..], &[FACE, (LIST, "ground host 1\n")]].concat());
        let error = write(&root, &grown, &Crate::all(&grown), RULES).unwrap_err();
        assert!(error.ends_with("because numbers grew to: host boot 1"), "{error}");

        let fallen = with((LIST, "host boot 1\n"));
        write(&root, &fallen, &Crate::all(&fallen), RULES).unwrap();
        assert_eq!(fs::read_to_string(root.join(LIST)).unwrap(), HEAD);
        fs::remove_dir_all(&root).unwrap();
    }
}
