//! Tests of the trails in a database.

mod support;

mod faults;
mod reading;
mod removal;
mod verifying;
