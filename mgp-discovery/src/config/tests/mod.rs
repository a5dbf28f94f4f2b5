//! Tests of whole files.

mod documented;
mod mistakes;
mod values;
