//! The rule on the rooms of the kernel: a room imports only rooms below it.

use super::modules::Crate;
use super::table::KERNEL;

/// Finds imports between rooms that run up. A module of the crate that is not in the list may import no room, and no room may import it.
pub(super) fn check(crates: &[Crate], rooms: &[&str]) -> Vec<String> {
    let Some(kernel) = crates.iter().find(|read| read.source == KERNEL) else {
        return vec![format!("{KERNEL} holds no sources")];
    };
    let floor = |name: &str| rooms.iter().position(|room| *room == name);
    let runs_down = |from: &str, to: &str| floor(from).zip(floor(to)).is_some_and(|(from, to)| from < to);
    let arrows = kernel.arrows(&[]).into_iter().filter(|((from, to), _)| !runs_down(from, to));
    let findings = arrows.map(|((from, to), files)| {
        let files: Vec<_> = files.into_iter().map(|module| kernel.place(module)).collect();
        format!("{from} may not name {to}: {}", files.join(", "))
    });
    findings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    const ROOMS: &[&str] = &["boot", "host", "ground"];

    /// A kernel that keeps the rule.
    const GOOD: [(&str, &str); 5] = [
        ("mgp-kernel/Cargo.toml", ""),
        ("mgp-kernel/src/lib.rs", "mod boot; mod host; mod ground; pub use boot::Kernel;"),
        ("mgp-kernel/src/boot.rs", "use crate::{ground::Trail, host::Hosts};"),
        ("mgp-kernel/src/host/mod.rs", "mod face; use super::ground::Trail;"),
        ("mgp-kernel/src/ground.rs", "// crate::boot"),
    ];

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        check(&Crate::all(&Tree::of(files)), ROOMS)
    }

    #[test]
    fn only_an_import_that_runs_up_is_found() {
        assert_eq!(findings(&GOOD), [] as [String; 0]);
        let face = ("mgp-kernel/src/host/face.rs", "use crate::{Kernel, ground::Trail};");
        let found = findings(&[&GOOD[..], &[face]].concat());
        assert_eq!(found, ["host may not name boot: mgp-kernel/src/host/face"]);
    }

    #[test]
    fn a_module_outside_of_the_rooms_is_a_stranger_to_all() {
        let files = [
            ("mgp-kernel/Cargo.toml", ""),
            ("mgp-kernel/src/lib.rs", "mod boot; mod core; mod ground;"),
            ("mgp-kernel/src/boot.rs", "use crate::core::Core;"),
            ("mgp-kernel/src/core.rs", "use crate::ground::Trail;"),
            ("mgp-kernel/src/ground.rs", ""),
        ];
        let expected =
            ["boot may not name core: mgp-kernel/src/boot", "core may not name ground: mgp-kernel/src/core"];
        assert_eq!(findings(&files), expected);
    }

    #[test]
    fn a_missing_kernel_is_found() {
        assert_eq!(findings(&[]), ["mgp-kernel/src holds no sources"]);
    }
}
