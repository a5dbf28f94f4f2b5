//! Tests of §7: corpora, levels, and code that is fixed by hints.

mod corpora;
mod declarations;
mod levels;
mod long_names;
mod mending;
