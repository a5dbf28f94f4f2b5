//! Tests of a trail whose events are stored in journals: kills, damaged files, and several processes.

mod support;

mod changes;
mod kills;
mod modes;
mod outages;
mod processes;
mod removals;
mod replaced_files;
mod unreadable;
