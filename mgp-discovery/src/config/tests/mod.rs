//! Tests of whole files.

mod mistakes;
mod values;
