//! The list of the rules.

use super::{
    Finding, dependencies, dialect, documents, events, leftovers, links, modules, names, packages,
    paragraphs, paths, prose, samples, size, test_names, whitespace,
};
use crate::tree::Tree;

pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) why: &'static str,
    pub(super) check: fn(&Tree) -> Vec<Finding>,
}

pub(super) const RULES: &[Rule] = &[
    Rule { name: "size", why: "a file that fits in a head: at most 800 lines", check: size::check },
    Rule {
        name: "open ends",
        why: "unfinished work is not committed as a remark",
        check: leftovers::open_ends,
    },
    Rule {
        name: "unfinished code",
        why: "no stubs, no debug prints, no tests that do not run",
        check: leftovers::unfinished,
    },
    Rule { name: "blanks", why: "a document has numbers, not placeholders", check: leftovers::blanks },
    Rule {
        name: "outside folders",
        why: "the crates do not depend on other checkouts",
        check: paths::outside_folders,
    },
    Rule { name: "machine paths", why: "the code runs on any machine", check: paths::machine_paths },
    Rule {
        name: "no logic in mod.rs",
        why: "mod.rs and lib.rs are tables of contents",
        check: modules::no_logic,
    },
    Rule { name: "module openings", why: "a module begins with a line of docs", check: modules::openings },
    Rule { name: "type names", why: "a type is named after what it is", check: names::check },
    Rule {
        name: "test names",
        why: "a test is a short sentence in a list of failures: at most 60 characters",
        check: test_names::check,
    },
    Rule {
        name: "doc openings",
        why: "a doc line begins with a verb or a noun, not with a question",
        check: prose::interrogatives,
    },
    Rule {
        name: "docs of types",
        why: "a type is a noun, and so is what its doc begins with",
        check: prose::verbs,
    },
    Rule {
        name: "full stops",
        why: "the first line of a public doc is a sentence",
        check: prose::full_stops,
    },
    Rule {
        name: "dialect",
        why: "texts are written in the idiom of the standard library",
        check: dialect::check,
    },
    Rule {
        name: "dependency reasons",
        why: "docs/dependencies.md gives a reason for each",
        check: dependencies::reasons,
    },
    Rule {
        name: "shared dependencies",
        why: "each version is written once, in [workspace.dependencies]",
        check: dependencies::inherited,
    },
    Rule {
        name: "unused dependencies",
        why: "an unnamed dependency is not needed",
        check: dependencies::unused,
    },
    Rule { name: "documents", why: "the documents that a newcomer looks for", check: documents::check },
    Rule {
        name: "document sizes",
        why: "the first pages are read whole, because they are short",
        check: documents::sizes,
    },
    Rule { name: "samples", why: "a sample in a document is the code of today", check: samples::check },
    Rule {
        name: "paragraphs",
        why: "a page is read in short pieces: 120 words a paragraph, 40 words a cell",
        check: paragraphs::check,
    },
    Rule {
        name: "event types",
        why: "the page and `mgp audit --type` know every event",
        check: events::check,
    },
    Rule { name: "packages", why: "a crate explains itself in a registry", check: packages::check },
    Rule { name: "links", why: "a link in a document leads somewhere", check: links::check },
    Rule {
        name: "whitespace",
        why: "no trailing blanks, one line break at the end",
        check: whitespace::check,
    },
];
