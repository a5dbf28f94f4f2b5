//! Tests of the trails in a database.

mod support;

mod copies;
mod faults;
mod reading;
mod removal;
mod verifying;
