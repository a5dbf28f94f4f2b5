//! Attacks on a journal.

mod support;

mod disks;
mod ends;
mod forgeries;
mod indexing;
mod kills;
mod reading;
