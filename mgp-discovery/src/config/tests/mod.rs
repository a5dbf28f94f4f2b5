//! Tests of whole files.

mod confinement;
mod mistakes;
mod values;
